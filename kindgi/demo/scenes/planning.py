"""What people ask the trip matcher: journeys, ranked, and long itineraries."""

from __future__ import annotations

from random import Random
from typing import Any

from kindgi.demo.scenes import words
from kindgi.demo.scenes.scene import Flaw, Maker, Scene, Step

SEARCH, QUOTE, WEATHER = "meridian.catalog.search", "meridian.prices.quote", "meridian.weather.outlook"

TRIPS: dict[str, tuple[str, ...]] = {
    "by the sea": (
        "Azores whale week", "Cabo de Gata on foot", "Milos by small boat", "Zanzibar spice coast", "Gower surf camp",
        "Puglia beach towers", "Madeira levadas",
    ),
    "in the snow": (
        "Lofoten ski and sail", "Zakopane huts", "Lapland by reindeer sledge", "Hokkaidō powder trains",
        "Dolomites hut to hut", "Abisko northern lights",
    ),
    "for food": (
        "Lima market to table", "Bologna pasta workshop", "Penang hawker nights", "San Sebastián pintxos",
        "Oaxaca mole kitchens", "Tbilisi feast and wine",
    ),
    "by train": (
        "Bergen line and fjords", "Transylvania sleeper", "Glacier valleys by rail", "Kyōto to Kagoshima slowly",
        "Douro vineyard line", "West Highland steam",
    ),
}  # fmt: skip
WISHES = {
    "by the sea": (
        "somewhere warm by the sea, not too busy 🌊",
        "sea, cliffs, no resorts",
        "week at the coast with a toddler",
    ),
    "in the snow": ("snow! but we don't ski ❄️", "northern lights if possible", "winter, huts, walking"),
    "for food": ("a trip that's mostly about eating 🍜", "cooking classes, markets, no museums", "food, for two"),
    "by train": ("no flying, trains only 🚆", "slow travel by rail", "the most beautiful railway lines"),
}


def ranked(rng: Random, flawed: bool) -> Scene:
    """A wish and its matches, best first; the flaw is one to three that don't fit."""
    theme = rng.choice(list(TRIPS))
    budget = rng.randrange(6, 25) * 100
    titles = rng.sample(TRIPS[theme], k=rng.randrange(4, len(TRIPS[theme])))
    wrong: tuple[int, ...] = ()
    if flawed:
        wrong = tuple(sorted(rng.sample(range(len(titles)), k=rng.randrange(1, 4))))
        other = rng.choice([name for name in TRIPS if name != theme])
        for place, title in zip(wrong, rng.sample(TRIPS[other], k=len(wrong)), strict=True):
            titles[place] = title
    matches = tuple(_match(rng, place, title, theme, budget) for place, title in enumerate(titles))
    named = ", ".join(titles[place] for place in wrong)
    flaw = Flaw(why=f"{named}: not a trip {theme}.", wrong_places=wrong) if flawed else None
    return Scene(
        message=f"{rng.choice(WISHES[theme])}, about €{budget} each, {rng.randrange(5, 15)} days",
        answer=f"I found {len(matches)} trips {theme} within €{budget}. {titles[0]} fits best.",
        steps=(
            Step(SEARCH, {"theme": theme, "maxPrice": budget, "limit": 40}, {"found": rng.randrange(12, 41)}),
            Step(QUOTE, {"trips": [match["id"] for match in matches]}, {m["id"]: m["price"] for m in matches}),
        ),
        context={"travellers": rng.randrange(1, 6), "locale": rng.choice(("en-GB", "en-US", "de-DE"))},
        matches=matches,
        flaw=flaw,
        praise="The first one is what I would have chosen myself.",
    )


def itinerary(rng: Random, flawed: bool) -> Scene:
    """A plan for many days, some for two months; the flaw is a day that can't be done."""
    theme = rng.choice(list(TRIPS))
    title, days = rng.choice(TRIPS[theme]), rng.choice((5, 7, 10, 14, 21, 60))
    impossible = rng.randrange(2, days) if flawed else None
    plan = "\n\n".join(_day(rng, number, number == impossible) for number in range(1, days + 1))
    flaw = None
    if impossible is not None:
        flaw = Flaw(
            why=f"Day {impossible} has eleven hours on the road and a museum that closes at four.",
            should_say=f"Split day {impossible} in two, or leave out the museum.",
        )
    return Scene(
        message=f"We booked “{title}”. Can you write a plan for all {days} days? We like mornings slow.",
        answer=f"# {title}, {days} days\n\n{plan}\n\nHave a wonderful trip! ✨",
        steps=(
            Step(SEARCH, {"title": title}, {"id": _slug(title), "days": days}),
            Step(WEATHER, {"trip": _slug(title)}, {"outlook": rng.choice(("mild", "wet", "clear and cold", "hot"))}),
        ),
        context={"travellers": 2, "locale": "en-GB"},
        flaw=flaw,
        praise="Realistic distances, and slow mornings as asked.",
    )


def _match(rng: Random, place: int, title: str, theme: str, budget: int) -> dict[str, Any]:
    return {
        "id": _slug(title),
        "title": title,
        "score": round(0.97 - 0.07 * place - rng.random() * 0.04, 3),
        "price": round(budget * (0.7 + rng.random() * 0.3)),
        "currency": "EUR",
        "reason": rng.choice(
            (f"A trip {theme}, in small groups.", "Loved by travellers like you.", "Well within budget.")
        ),
    }


_MORNINGS = (
    "A late breakfast in the square.",
    "Coffee with a view, and nothing before ten.",
    "Market stalls open at nine.",
)
_NOONS = (
    "Walk the old mill path to the chapel (two hours, one steep bit).",
    "The ferry at 12:40 crosses in half an hour; sit on the left.",
    "Lunch at a farm: they cook one dish, and it's the right one.",
    "Swim from the rocks below the lighthouse if the sea is calm.",
)
_EVENINGS = ("Dinner is included.", "Take the last bus at 21:15.", "Early night: tomorrow's train leaves at 8:02.")
TOO_MUCH = (
    "Drive 640 km to the coast (eleven hours with breaks) and visit the maritime museum before it closes at 16:00."
)


def _day(rng: Random, number: int, impossible: bool) -> str:
    noon = TOO_MUCH if impossible else rng.choice(_NOONS)
    where = rng.choice(tuple(words.CITIES))
    return f"## Day {number}: towards {where}\n\n{rng.choice(_MORNINGS)} {noon}\n\n{rng.choice(_EVENINGS)}"


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-")


MAKERS: tuple[Maker, ...] = (ranked, ranked, ranked, itinerary)
