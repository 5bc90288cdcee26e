"""The same few questions in other languages and scripts, also right to left; the flaw is answering in English."""

# ruff: noqa: RUF001 - people write in their own letters

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from random import Random

from kindgi.demo.scenes import words
from kindgi.demo.scenes.scene import Flaw, Maker, Scene, Step


@dataclass(frozen=True, slots=True)
class Phrase:
    """A question about ``{id}`` and its answer with ``{when}``."""

    locale: str
    asked: str
    answered: str


TRAVEL = (
    Phrase(
        "ar",
        "مرحبًا، متى تقلع رحلتي؟ رقم الحجز {id} 🙏",
        "مرحبًا! تقلع رحلتك {flight} الساعة {when} من البوابة B12. نتمنى لك رحلة سعيدة.",
    ),
    Phrase(
        "he",
        "שלום, באיזו שעה הטיסה שלי? מספר הזמנה {id}",
        "שלום! טיסה {flight} יוצאת בשעה {when}. כדאי להגיע שעתיים לפני.",
    ),
    Phrase(
        "ja", "予約番号{id}の便は何時に出発しますか？", "{flight}便は{when}に出発します。搭乗口は30分前に閉まります。"
    ),
    Phrase(
        "de",
        "Wann geht mein Flug? Buchung {id}, danke schön",
        "{flight} startet um {when} Uhr. Bitte seien Sie 45 Minuten vorher am Gate.",
    ),
    Phrase("pt-BR", "Oi! Que horas sai meu voo? Reserva {id} ✈️", "Oi! O voo {flight} sai às {when}. Boa viagem! 😊"),
    Phrase("hi", "मेरी उड़ान कितने बजे है? बुकिंग {id}", "आपकी उड़ान {flight} {when} बजे है। शुभ यात्रा!"),
    Phrase("el", "Τι ώρα πετάω; Κράτηση {id}", "Η πτήση {flight} αναχωρεί στις {when}. Καλό ταξίδι!"),
)
SHOP = (
    Phrase("ar", "أين طلبي {id}؟ انتظرت أسبوعين 😡", "نعتذر عن التأخير. طلبك {id} مع شركة الشحن، وسيصل {when}."),
    Phrase("he", "איפה ההזמנה שלי {id}?", "ההזמנה {id} בדרך ותגיע {when}."),
    Phrase("uk", "Де моє замовлення {id}? Дякую 💙", "Ваше замовлення {id} вже в дорозі, очікуйте {when}."),
    Phrase(
        "es", "¿Cuándo llega el pedido {id}? Es un regalo 🎁", "El pedido {id} llega {when}. ¡Gracias por la paciencia!"
    ),
    Phrase("zh-Hans", "订单{id}什么时候到？", "订单{id}已经发货，预计{when}送达。"),
    Phrase("fr", "Ma commande {id} n'est toujours pas là…", "Votre commande {id} est en route ; elle arrive {when}."),
)
_WRONG = "The answer is in English, and the question wasn't."


def _travel(phrase: Phrase, rng: Random, flawed: bool) -> Scene:
    ref, flight, when = words.reference(rng), words.flight_number(rng), words.clock(rng)
    right = phrase.answered.format(id=ref, flight=flight, when=when)
    return Scene(
        message=phrase.asked.format(id=ref),
        answer=f"Your flight {flight} leaves at {when}." if flawed else right,
        steps=(
            Step("meridian.bookings.find", {"reference": ref}, {"reference": ref, "flight": flight}),
            Step("meridian.flights.status", {"flight": flight}, {"flight": flight, "departs": when, "delayMinutes": 0}),
        ),
        context={"locale": phrase.locale},
        flaw=Flaw(why=_WRONG, should_say=right) if flawed else None,
        praise="Right, and in the traveller's own language.",
    )


def _shop(phrase: Phrase, rng: Random, flawed: bool) -> Scene:
    number, at = words.order_number(rng), words.day(rng).isoformat()
    right = phrase.answered.format(id=number, when=at)
    return Scene(
        message=phrase.asked.format(id=number),
        answer=f"Your order {number} arrives on {at}." if flawed else right,
        steps=(
            Step("acorn.orders.find", {"order": number}, {"order": number, "status": "shipped"}),
            Step("acorn.shipments.track", {"order": number}, {"carrier": "Kestrel Parcel", "expected": at}),
        ),
        context={"locale": phrase.locale},
        flaw=Flaw(why=_WRONG, should_say=right) if flawed else None,
        praise="Right, and in the customer's own language.",
    )


TRAVEL_MAKERS: tuple[Maker, ...] = tuple(partial(_travel, phrase) for phrase in TRAVEL)
SHOP_MAKERS: tuple[Maker, ...] = tuple(partial(_shop, phrase) for phrase in SHOP)
