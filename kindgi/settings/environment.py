"""How the settings read the environment.

Every variable may also be given as ``<NAME>_FILE``, the path of a file that holds the value: the usual way to
hand a secret to a container.
"""

import os
import secrets
from contextlib import suppress
from enum import StrEnum
from math import nan
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from environs import FileAwareEnv

BASE_DIR = Path(__file__).resolve().parent.parent.parent
env = FileAwareEnv(strip_whitespace=True)
VAR_DIR = BASE_DIR / env.path("VAR_DIR", Path("var"))


class Mode(StrEnum):
    """What the process is for; ``KINDGI_ENV`` names it."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"
    TEST = "test"


def read_mode() -> Mode:
    """``KINDGI_ENV``, or test under pytest (which sets ``PYTEST_VERSION``), or development."""
    name = env.str("KINDGI_ENV", Mode.TEST if "PYTEST_VERSION" in os.environ else Mode.DEVELOPMENT)
    try:
        return Mode(name)
    except ValueError:
        raise ImproperlyConfigured(f"Set KINDGI_ENV to development, production or test, not to {name!r}.") from None


def require(*names: str) -> None:
    """Raise ``ImproperlyConfigured`` with one sentence that names each variable that is missing or has no text."""
    missing = [f"{name} (or {name}_FILE)" for name in names if not env.str(name, "").strip(", \t\r\n")]
    if missing:
        listed = " and ".join(filter(None, [", ".join(missing[:-1]), missing[-1]]))
        raise ImproperlyConfigured(f"Set {listed}: in production mode (KINDGI_ENV=production) nothing starts without.")


def whole_number(name: str, default: int, *, least: int, most: int) -> int:
    """The whole number in ``name``; raises ``ImproperlyConfigured`` with a sentence that says what it takes."""
    return int(_number(name, default, kind=int, least=least, most=most))


def seconds(name: str, default: float, *, least: int, most: int) -> float:
    """The number of seconds in ``name``; raises ``ImproperlyConfigured`` with a sentence that says what it takes."""
    return _number(name, default, kind=float, least=least, most=most)


def _number(name: str, default: float, *, kind: type[int] | type[float], least: int, most: int) -> float:
    text = env.str(name, "")
    try:
        number = kind(text) if text else default
    except ValueError:
        number = nan
    if not least <= number <= most:
        a_number = "a whole number" if kind is int else "a number of seconds"
        raise ImproperlyConfigured(f"Set {name} to {a_number} from {least} to {most}, not to {text!r}.")
    return number


def one_of(name: str, default: str, *, choices: tuple[str, ...]) -> str:
    """The choice in ``name``, in capitals; raises ``ImproperlyConfigured`` with a sentence that lists them."""
    text = env.str(name, "") or default
    if text.upper() not in choices:
        raise ImproperlyConfigured(f"Set {name} to {', '.join(choices[:-1])} or {choices[-1]}, not to {text!r}.")
    return text.upper()


def kept_secret(path: Path) -> str:
    """The secret in ``path``, made on first use and readable by its owner alone."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        with suppress(FileExistsError):  # whoever links first has made the secret
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_text()
