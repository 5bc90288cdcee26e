"""What customers ask the product finder: things for an occasion, ranked."""

# ruff: noqa: RUF001 - people write in their own letters

from __future__ import annotations

from random import Random
from typing import Any

from kindgi.demo.scenes.scene import Flaw, Maker, Scene, Step

SEARCH, STOCK = "acorn.catalog.search", "acorn.stock.check"

SHELVES: dict[str, tuple[str, ...]] = {
    "rain": (
        "Heron rain jacket", "Heron rain trousers", "Otter dry bag 20 l", "Grebe rain cape", "Newt kids' wellies",
        "Coot umbrella, storm-proof",
    ),
    "cold": (
        "Marten fleece", "Ermine down jacket", "Vole merino socks (3 pairs)", "Stoat liner gloves", "Lynx winter boots",
        "Yak neck warmer",
    ),
    "camping": (
        "Fern two-person tent", "Sorrel camping stove", "Badger head torch", "Dormouse sleeping bag",
        "Moss sleeping mat", "Bramble mess kit",
    ),
    "running": ("Lynx trail shoes", "Swift vest 5 l", "Hare running tights", "Swallow cap", "Finch wind shirt"),
}  # fmt: skip
ASKED = {
    "rain": (
        "something for cycling to work in the rain ☔",
        "it rains 300 days a year here",
        "Regenkleidung für eine Woche Irland",
    ),
    "cold": (
        "I'm always cold. Help 🥶",
        "gift for someone who feels the cold, < €100",
        "chaud mais léger, pour marcher",
    ),
    "camping": (
        "first time camping with two kids ⛺",
        "what do I need for three nights outside?",
        "キャンプ用品のおすすめは？",
    ),
    "running": (
        "trail running, starting from zero 🏃‍♀️",
        "light gear for a mountain race",
        "corro 10 km, ¿qué me recomiendas?",
    ),
}


def ranked(rng: Random, flawed: bool) -> Scene:
    """Things for an occasion, best first; the flaw is one or two from another shelf, or out of stock."""
    shelf = rng.choice(list(SHELVES))
    names = rng.sample(SHELVES[shelf], k=rng.randrange(3, len(SHELVES[shelf]) + 1))
    wrong: tuple[int, ...] = ()
    if flawed:
        wrong = tuple(sorted(rng.sample(range(len(names)), k=rng.randrange(1, 3))))
        other = rng.choice([name for name in SHELVES if name != shelf])
        for place, name in zip(wrong, rng.sample(SHELVES[other], k=len(wrong)), strict=True):
            names[place] = name
    matches = tuple(_match(rng, place, name) for place, name in enumerate(names))
    missed = " and ".join(names[place] for place in wrong)
    asked = rng.choice(ASKED[shelf])
    return Scene(
        message=asked,
        answer=_answer(asked, names[0], len(names)),
        steps=(
            Step(SEARCH, {"query": asked, "shelf": shelf, "limit": 30}, {"found": rng.randrange(8, 31)}),
            Step(
                STOCK,
                {"skus": [match["sku"] for match in matches]},
                {match["sku"]: match["stock"] for match in matches},
            ),
        ),
        context={"locale": _locale(asked), "channel": rng.choice(("web", "app", "store kiosk"))},
        matches=matches,
        flaw=Flaw(why=f"{missed}: not what was asked for.", wrong_places=wrong) if flawed else None,
        praise="All of these fit.",
    )


def _match(rng: Random, place: int, name: str) -> dict[str, Any]:
    return {
        "sku": "".join(word[:3] for word in name.upper().split()[:2]) + f"-{len(name):02}",
        "name": name,
        "score": round(0.98 - 0.08 * place - rng.random() * 0.05, 3),
        "price": round(20 + rng.random() * 200, 2),
        "stock": rng.randrange(1, 80),
    }


def _locale(asked: str) -> str:
    marks = {"Regen": "de-DE", "chaud": "fr-FR", "キャンプ": "ja-JP", "corro": "es-ES"}
    return next((locale for mark, locale in marks.items() if mark in asked), "en-GB")


_ANSWERS = {
    "de-DE": "Hier sind {count} Vorschläge. Am besten passt: {best}.",
    "fr-FR": "Voici {count} idées. La meilleure : {best}.",
    "ja-JP": "おすすめを{count}点選びました。一番は「{best}」です。",
    "es-ES": "Te propongo {count} cosas. La mejor: {best}.",
    "en-GB": "Here are {count} things that would do. I'd start with the {best}.",
}


def _answer(asked: str, best: str, count: int) -> str:
    return _ANSWERS[_locale(asked)].format(count=count, best=best)


MAKERS: tuple[Maker, ...] = (ranked,)
