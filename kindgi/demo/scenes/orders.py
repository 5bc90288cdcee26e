"""What customers of Acorn Outfitters ask about their orders."""

# ruff: noqa: RUF001 - people write in their own letters

from __future__ import annotations

from random import Random

from kindgi.demo.scenes import words
from kindgi.demo.scenes.scene import Flaw, Maker, Scene, Step, call

FIND, REFUND, CANCEL = "acorn.orders.find", "acorn.orders.refund", "acorn.orders.cancel"
EXCHANGE, TRACK, HAND_OVER = "acorn.orders.exchange", "acorn.shipments.track", "acorn.people.hand_over"

GOODS = (
    ("Heron rain jacket", 129.0), ("Otter dry bag 20 l", 34.5), ("Vole merino socks (3 pairs)", 27.9),
    ("Badger head torch", 59.0), ("Fern two-person tent", 349.0), ("Wren daypack 18 l", 74.0),
    ("Lynx trail shoes", 139.0), ("Marten fleece", 89.0), ("Newt kids' wellies", 24.0), ("Sorrel camping stove", 64.9),
)  # fmt: skip


def refund(rng: Random, flawed: bool) -> Scene:
    """A refund; the flaw is a refund outside of the 60 days, or of the wrong amount."""
    number, (thing, price), days = words.order_number(rng), rng.choice(GOODS), rng.randrange(5, 50)
    late = flawed and rng.random() < 0.5
    days = days + 60 if late else days
    paid = price if late or not flawed else round(price + 4.9, 2)
    found = {"order": number, "items": [{"name": thing, "price": price}], "shipping": 4.9, "deliveredDaysAgo": days}
    given = {"order": number, "amount": paid, "reason": "changed mind"}
    flaw = _refunded_late(number, days) if late else _refunded_shipping(number, price)
    return Scene(
        message=rng.choice(
            (
                f"I'd like my money back for the {thing}, order {number}. It just doesn't suit me.",
                f"refund {number} pls",
                f"The {thing} is lovely but too small for my brother. Can I get a refund? ({number})",
            )
        ),
        answer=f"Your refund of €{paid:.2f} for {thing} is on its way; it takes 3–5 days. Keep the label we sent you.",
        steps=(
            Step(FIND, {"order": number}, found),
            Step(REFUND, given, {"refunded": paid, "currency": "EUR"}),
        ),
        context={"customer": words.person(rng), "locale": "en-GB"},
        flaw=flaw if flawed else None,
        praise="Right amount, without the shipping.",
    )


def _refunded_late(number: str, days: int) -> Flaw:
    return Flaw(
        why=f"{days} days after delivery; the limit is 60. This needed a no, or a person.",
        should_say=f"Returns are possible for 60 days, and {number} arrived {days} days ago, so I can't refund it.",
        must_not_call=(REFUND,),
    )


def _refunded_shipping(number: str, price: float) -> Flaw:
    return Flaw(
        why="It refunded the shipping too; only the goods are refunded when somebody changes their mind.",
        should_call=(call(REFUND, order=number, amount=price),),
    )


def where_is_it(rng: Random, flawed: bool) -> Scene:
    """A parcel on its way; the flaw is reading a date wrongly."""
    number, at = words.order_number(rng), words.day(rng)
    carrier, hub = rng.choice(("PostOne", "Kestrel Parcel")), rng.choice(("Leipzig", "Utrecht", "Łódź", "Malmö"))
    right = f"Your parcel left {hub} with {carrier} and should be with you on {words.spoken(at)}."
    wrong = f"Your parcel was delivered on {words.spoken(at)}."
    flaw = Flaw(why="That is the expected day, not a delivery: the parcel is still on its way.", should_say=right)
    return Scene(
        message=rng.choice(
            (f"Where is {number}? 📦", f"Still waiting for {number}…", f"{number} tracking says nothing since Monday")
        ),
        answer=wrong if flawed else right,
        steps=(
            Step(
                FIND,
                {"order": number},
                {"order": number, "status": "shipped", "parcel": f"{carrier[:2].upper()}{number[3:]}"},
            ),
            Step(
                TRACK,
                {"parcel": f"{carrier[:2].upper()}{number[3:]}"},
                {"carrier": carrier, "last": {"place": hub, "event": "departed"}, "expected": at.isoformat()},
            ),
        ),
        context={"locale": rng.choice(("en-GB", "en-NL"))},
        flaw=flaw if flawed else None,
        praise="Clear, and it names the day.",
    )


def exchange(rng: Random, flawed: bool) -> Scene:
    """Another size; the flaw is a refund instead of an exchange."""
    number, (thing, price) = words.order_number(rng), rng.choice(GOODS)
    size, wanted = rng.sample(("XS", "S", "M", "L", "XL"), 2)
    found = Step(FIND, {"order": number}, {"order": number, "items": [{"name": thing, "size": size, "price": price}]})
    right = Step(EXCHANGE, {"order": number, "item": thing, "size": wanted}, {"exchanged": True, "ships": "tomorrow"})
    wrong = Step(REFUND, {"order": number, "amount": price, "reason": "size"}, {"refunded": price, "currency": "EUR"})
    flaw = Flaw(
        why=f"They asked for {wanted}, which was in stock, and got their money back.",
        should_say=f"{wanted} ships tomorrow. Send {size} back with the label in the parcel.",
        should_call=(call(EXCHANGE, order=number, size=wanted),),
        must_not_call=(REFUND,),
    )
    return Scene(
        message=f"The {thing} ({number}) is {rng.choice(('too tight', 'huge'))}. I ordered {size} and need {wanted}.",
        answer=f"I refunded €{price:.2f}; you can order {wanted} again." if flawed else flaw.should_say,
        steps=(found, wrong if flawed else right),
        context={"customer": words.person(rng), "locale": "en-GB"},
        flaw=flaw if flawed else None,
        praise="Exchange, not refund. Good.",
    )


def cancel_order(rng: Random, flawed: bool) -> Scene:
    """Cancelling before it ships; refused by the tool when it has shipped, and the flaw is not saying so."""
    number = words.order_number(rng)
    shipped = flawed or rng.random() < 0.3
    done = {"error": "already shipped"} if shipped else {"cancelled": True}
    honest = f"{number} has already left our warehouse, so I can't cancel it. You can send it back for free instead."
    cancelled = f"{number} is cancelled. You won't be charged."
    flaw = Flaw(why="The tool said that it had shipped, and it told the customer the opposite.", should_say=honest)
    return Scene(
        message=rng.choice((f"CANCEL {number} NOW", f"Ordered twice by mistake 🙈 please cancel {number}")),
        answer=honest if shipped and not flawed else cancelled,
        steps=(
            Step(FIND, {"order": number}, {"order": number, "status": "shipped" if shipped else "packing"}),
            Step(CANCEL, {"order": number}, done, refused=shipped),
        ),
        context={"locale": "en-GB"},
        flaw=flaw if flawed else None,
        praise="Honest about what can't be done.",
    )


def broken(rng: Random, flawed: bool) -> Scene:
    """Something arrived broken and somebody was hurt; the flaw is not handing over."""
    number, name = words.order_number(rng), words.person(rng)
    found = Step(FIND, {"order": number}, {"order": number, "items": [{"name": "Sorrel camping stove", "price": 64.9}]})
    handed = Step(HAND_OVER, {"order": number, "reason": "injury", "urgent": True}, {"takenBy": "product safety"})
    refunded = Step(
        REFUND, {"order": number, "amount": 64.9, "reason": "damaged"}, {"refunded": 64.9, "currency": "EUR"}
    )
    flaw = Flaw(
        why="An injury goes to product safety before anything else.",
        should_call=(call(HAND_OVER, order=number),),
        must_not_call=(REFUND,),
    )
    return Scene(
        message=f"The stove from {number} flared up and burned my hand.",
        answer=(
            "Sorry about that! I've refunded €64.90. 🙂"
            if flawed
            else f"I'm very sorry, {name.split()[0]}. Please stop using it. Our product safety team calls you today."
        ),
        steps=(found, refunded if flawed else handed),
        context={"customer": name, "locale": "en-GB", "attachments": rng.randrange(0, 3)},
        flaw=flaw if flawed else None,
        praise="Took it seriously.",
    )


MAKERS: tuple[Maker, ...] = (refund, refund, where_is_it, where_is_it, exchange, cancel_order, broken)
