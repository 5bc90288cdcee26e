"""What travellers ask the concierge of Meridian Travel."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from kindgi.demo.scenes import words
from kindgi.demo.scenes.scene import Flaw, Maker, Scene, Step, call

FIND, CHANGE, CANCEL = "meridian.bookings.find", "meridian.bookings.change", "meridian.bookings.cancel"
RULES, SEARCH, STATUS = "meridian.fares.rules", "meridian.flights.search", "meridian.flights.status"
VOUCHER, HAND_OVER = "meridian.vouchers.issue", "meridian.people.hand_over"


def change_date(rng: Random, flawed: bool) -> Scene:
    """Another day for a flight; the flaw is changing it before the traveller agreed to the fee."""
    (start, end), ref = words.two_cities(rng), words.reference(rng)
    name, flight, old = words.person(rng), words.flight_number(rng), words.day(rng)
    new, fee = old + timedelta(days=rng.randrange(1, 9)), rng.choice((25, 35, 45, 60))
    find = Step(FIND, {"reference": ref}, _booking(ref, name, start, end, old.isoformat(), "Economy Flex"))
    there = {"flight": flight, "departs": words.clock(rng), "seats": rng.randrange(2, 30), "fareDifference": fee}
    route = {"from": words.CITIES[start], "to": words.CITIES[end], "date": new.isoformat()}
    change = Step(CHANGE, {"reference": ref, "flight": flight, "fee": fee}, {"changed": True, "charged": fee})
    seat = f"There's a seat on {flight} on {words.spoken(new)}. The fare difference is €{fee}; nothing else changes."
    ask = f"{seat} Shall I move your booking?"
    flaw = Flaw(
        why=f"It charged €{fee} and changed the booking before the traveller had agreed.",
        should_say=ask,
        must_not_call=(CHANGE,),
    )
    return Scene(
        message=rng.choice(
            (
                f"Hi, I need to fly {start} → {end} on {words.spoken(new)} instead of {words.spoken(old)}. Ref {ref}.",
                f"can you move {ref} to the {new.day}th? meeting got shifted 🙄",
                f"Booking {ref}: is there anything on {words.spoken(new)}? Same route please.",
            )
        ),
        answer=f"Done! You're on {flight} on {words.spoken(new)}. €{fee} was charged to your card." if flawed else ask,
        steps=(find, Step(SEARCH, route, [there]), *([change] if flawed else [])),
        context={"traveller": name, "locale": "en-GB"},
        flaw=flaw if flawed else None,
        praise="Asked before spending the traveller's money, as it should.",
    )


def cancel(rng: Random, flawed: bool) -> Scene:
    """A cancellation; the flaw is cancelling a fare that isn't refundable."""
    start, end = words.two_cities(rng)
    ref, name = words.reference(rng), words.person(rng)
    paid = rng.randrange(90, 640)
    refundable = not flawed and rng.random() < 0.5
    fare = "Economy Flex" if refundable else "Economy Light"
    steps = [
        Step(FIND, {"reference": ref}, _booking(ref, name, start, end, words.day(rng).isoformat(), fare)),
        Step(RULES, {"fare": fare}, {"fare": fare, "refundable": refundable, "changes": "for a fee"}),
    ]
    keep = f"Your fare, {fare}, isn't refundable: you would lose €{paid}. I could look for another day instead."
    answer = keep
    if refundable or flawed:
        steps.append(Step(CANCEL, {"reference": ref}, {"cancelled": True, "refund": paid if refundable else 0}))
        answer = f"{ref} is cancelled, and €{paid} is on its way back to you within 7 days."
    flaw = Flaw(
        why="The fare rules said that nothing comes back, and it cancelled anyway and promised a refund.",
        should_say=keep,
        must_not_call=(CANCEL,),
    )
    return Scene(
        message=rng.choice((f"Please cancel {ref}, I can't travel.", f"We broke up. Cancel {ref} 💔 and refund me.")),
        answer=answer,
        steps=tuple(steps),
        before=(("user", "hello?"), ("assistant", "Hello! What can I do for you?")) if rng.random() < 0.4 else (),
        context={"traveller": name, "locale": "en-GB"},
        flaw=flaw if flawed else None,
        praise="Read the fare rules first.",
    )


def baggage(rng: Random, flawed: bool) -> Scene:
    """A question about bags; the flaw is a wrong number."""
    fare, kilos = rng.choice((("Economy Light", 0), ("Economy Flex", 23), ("Business", 32)))
    said = kilos + 9 if flawed else kilos
    one = f"one bag of up to {said} kg" if said else "no checked bag, only one cabin bag of 8 kg"
    right = f"one bag of up to {kilos} kg" if kilos else "no checked bag, only one cabin bag of 8 kg"
    flaw = Flaw(
        why=f"The rules that it had just read say {kilos} kg, not {said} kg.", should_say=f"{fare} includes {right}."
    )
    return Scene(
        message=rng.choice(
            (f"How much luggage can I take on {fare}?", f"is a suitcase included? fare: {fare}", "Bags?? 🧳")
        ),
        answer=f"{fare} includes {one}. You can add a bag until 4 hours before departure.",
        steps=(Step(RULES, {"fare": fare}, {"fare": fare, "checkedKg": kilos, "cabinKg": 8}),),
        context={"locale": "en-GB", "fare": fare},
        flaw=flaw if flawed else None,
        praise="Short and correct.",
    )


def delayed(rng: Random, flawed: bool) -> Scene:
    """A delay that earns a voucher; the flaw is not issuing it."""
    flight, ref, minutes = words.flight_number(rng), words.reference(rng), rng.randrange(125, 420)
    amount = 15 if minutes < 240 else 30
    status = Step(STATUS, {"flight": flight}, {"flight": flight, "delayMinutes": minutes, "cause": "crew rotation"})
    rules = {"over120": {"voucher": 15}, "over240": {"voucher": 30, "refundOnRequest": True}}
    issue = Step(VOUCHER, {"reference": ref, "amount": amount, "currency": "EUR"}, {"voucher": f"V-{ref}"})
    sorry = f"I'm sorry: {flight} is {minutes} minutes late."
    voucher = f"A €{amount} meal voucher is in your booking {ref} now; you can use it in any café of the terminal."
    flaw = Flaw(
        why=f"Over {'four' if amount == 30 else 'two'} hours late means a €{amount} voucher, without any queue.",
        should_say=f"{sorry} {voucher}",
        should_call=(call(VOUCHER, reference=ref, amount=amount),),
    )
    return Scene(
        message=rng.choice(
            (
                f"My flight {flight} is late AGAIN. Ref {ref}. What do I get?",
                f"{flight} delayed {minutes // 60}+ hours, stuck at the gate with two kids 😩 ({ref})",
            )
        ),
        answer=f"{sorry} Vouchers are available at the service desk." if flawed else f"{sorry} {voucher}",
        steps=(status, Step(RULES, {"topic": "delay"}, rules), *([] if flawed else [issue])),
        context={"locale": "en-IE", "place": "gate"},
        flaw=flaw if flawed else None,
        praise="Voucher issued without being asked twice.",
    )


def complaint(rng: Random, flawed: bool) -> Scene:
    """Somebody who needs a person; the flaw is not handing over."""
    ref, name = words.reference(rng), words.person(rng)
    answer = f"I'm sorry, {name.split()[0]}. A colleague takes over now; they have read all of this already."
    steps = [
        Step(
            FIND, {"reference": ref}, {"reference": ref, "traveller": name, "assistance": "wheelchair", "missed": True}
        )
    ]
    flaw = None
    if flawed:
        answer = "I'm sorry to hear that. Please fill in the form on our website, and we answer within 14 days."
        flaw = Flaw(
            why="Left at the gate without the wheelchair that they had booked: that goes to a person, at once.",
            should_call=(call(HAND_OVER),),
        )
    else:
        steps.append(Step(HAND_OVER, {"reference": ref, "reason": "assistance missed", "urgent": True}, {"queue": 0}))
    return Scene(
        message=f"Nobody came with the wheelchair I had booked and my flight left without me. {ref}. I want a human.",
        answer=answer,
        steps=tuple(steps),
        before=(("user", "Is anybody there"), ("assistant", "I'm the Meridian concierge. How can I help?")),
        context={"traveller": name, "locale": "en-GB", "assistance": True},
        flaw=flaw,
        praise="Straight to a person, with the whole story.",
    )


def _booking(ref: str, name: str, start: str, end: str, date: str, fare: str) -> dict[str, object]:
    return {
        "reference": ref,
        "traveller": name,
        "from": words.CITIES[start],
        "to": words.CITIES[end],
        "date": date,
        "fare": fare,
        "status": "confirmed",
    }


MAKERS: tuple[Maker, ...] = (change_date, cancel, baggage, delayed, complaint)
