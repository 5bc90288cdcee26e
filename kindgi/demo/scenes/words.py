"""Names, places and small things that scenes are made of."""

# ruff: noqa: RUF001 - people write in their own letters

from __future__ import annotations

from datetime import date, timedelta
from random import Random

FIRST_NAMES = (
    "Amara", "Björn", "Chiara", "Dmitri", "Eun-ji", "Fatima", "Grzegorz", "Hana", "Ifeoma", "João", "Kwame", "Léa",
    "Mateus", "Nadia", "Oisín", "Paloma", "Quentin", "Rania", "Søren", "Thuý", "Uma", "Viktor", "Wanjiru", "Yusuf",
)  # fmt: skip
LAST_NAMES = (
    "Abebe", "Bergström", "Castellanos", "Díaz", "El-Amin", "Ferreira", "Gallagher", "Hoang", "Ito", "Jansen",
    "Kowalczyk", "Lindgren", "Moreau", "Novák", "Okafor", "Petrov", "Quispe", "Rossi", "Silva", "Tran", "Yıldız",
)  # fmt: skip

CITIES = {
    "Lisbon": "LIS", "Oslo": "OSL", "Kraków": "KRK", "Athens": "ATH", "Nairobi": "NBO", "Montréal": "YUL",
    "São Paulo": "GRU", "Reykjavík": "KEF", "Marrakech": "RAK", "Singapore": "SIN", "Dublin": "DUB", "Vienna": "VIE",
}  # fmt: skip


def person(rng: Random) -> str:
    """A full name."""
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"


def two_cities(rng: Random) -> tuple[str, str]:
    """Where from and where to."""
    start, end = rng.sample(list(CITIES), 2)
    return start, end


def reference(rng: Random) -> str:
    """A booking's reference, such as ``K7QX2M``."""
    return "".join(rng.choices("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=6))


def order_number(rng: Random) -> str:
    """An order's number, such as ``AO-204817``."""
    return f"AO-{rng.randrange(180_000, 240_000)}"


def flight_number(rng: Random) -> str:
    """A flight of the airline that Meridian books with."""
    return f"MQ{rng.randrange(100, 990)}"


def day(rng: Random, *, within: int = 60) -> date:
    """A day of a made-up season; conversations name days, and don't depend on when they are told."""
    return date(2031, 3, 1) + timedelta(days=rng.randrange(within))


def spoken(at: date) -> str:
    """A day as people write it: ``Tuesday 4 March``."""
    return f"{at:%A} {at.day} {at:%B}"


def clock(rng: Random) -> str:
    """A departure time."""
    return f"{rng.randrange(6, 22):02}:{rng.choice((0, 5, 10, 25, 35, 40, 50, 55)):02}"
