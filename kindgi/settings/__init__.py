"""All settings, read from the environment; README.md lists the variables.

``KINDGI_ENV`` chooses the mode (development, production, test), and the mode chooses the defaults. Settings that
are the same everywhere are plain constants.
"""

import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured
from environs import EnvError

from kindgi.settings.database import database
from kindgi.settings.environment import (
    BASE_DIR,
    VAR_DIR,
    Mode,
    env,
    kept_secret,
    one_of,
    read_mode,
    require,
    seconds,
    whole_number,
)
from kindgi.settings.logs import LEVELS, logging_config
from kindgi.settings.replays import allowed_networks
from kindgi.settings.tasks import BROKER_SECONDS, broker, schedule

# Lets the types that the checker knows as generic be written so: ModelAdmin[Run], Paginator[Any].
django_stubs_ext.monkeypatch()

try:
    MODE = read_mode()
    PRODUCTION = MODE is Mode.PRODUCTION
    if PRODUCTION:
        require("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL")

    # What must be secret, and who may ask.
    SECRET_KEY = env.str("SECRET_KEY", "") or kept_secret(VAR_DIR / "secret_key")
    SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", [])
    DEBUG = env.bool("DEBUG", False)
    ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
    CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])

    # HTTPS: on in production, each part of it switchable for who terminates it elsewhere.
    SECURE_SSL_REDIRECT = env.bool("SSL_REDIRECT", PRODUCTION)
    SECURE_HSTS_SECONDS = whole_number("HSTS_SECONDS", 31_536_000 if PRODUCTION else 0, least=0, most=315_360_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("HSTS_INCLUDE_SUBDOMAINS", PRODUCTION)
    SECURE_HSTS_PRELOAD = env.bool("HSTS_PRELOAD", PRODUCTION)
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.bool("SECURE_COOKIES", PRODUCTION)
    _proxy_header = env.str("PROXY_SSL_HEADER", "")
    SECURE_PROXY_SSL_HEADER = ("HTTP_" + _proxy_header.upper().replace("-", "_"), "https") if _proxy_header else None

    DATABASES = {"default": database(MODE)}
    STATIC_ROOT = BASE_DIR / env.path("STATIC_ROOT", VAR_DIR / "static")
    LOGGING = logging_config(one_of("LOG_LEVEL", "INFO", choices=LEVELS))

    # The web server (`manage.py serve`).
    WEB_HOST = env.str("WEB_HOST", "127.0.0.1")
    WEB_PORT = env.int("PORT", 8000)
    WEB_WORKERS = whole_number("WEB_WORKERS", 2, least=1, most=1000)
    WEB_THREADS = whole_number("WEB_THREADS", 4, least=1, most=1000)

    # The worker (`manage.py worker`), and what it does by itself.
    CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = broker(MODE)
    CELERY_WORKER_CONCURRENCY = whole_number("WORKER_THREADS", 8, least=1, most=1000)
    CELERY_BEAT_SCHEDULE = schedule()
    # How long an answer waits for a catch-up, in seconds, before it says how far that is.
    CATCH_UP_WAIT_SECONDS = whole_number("CATCH_UP_WAIT_SECONDS", 10, least=0, most=10)

    # How long a reviewer has to decide about a suggested change that somebody asked to make live.
    PROPOSAL_REVIEW_DAYS = whole_number("PROPOSAL_REVIEW_DAYS", 14, least=1, most=365)

    # Replays: whom they may ask beside the public internet, how long for one request and for a whole job, and after how
    # long without a sign of life a worker counts as gone.
    REPLAY_ALLOWED_NETWORKS = allowed_networks(MODE)
    REPLAY_SECONDS = seconds("REPLAY_SECONDS", 30, least=1, most=300)
    REPLAY_JOB_HOURS = whole_number("REPLAY_JOB_HOURS", 24, least=1, most=24 * 7)
    REPLAY_STALE_SECONDS = seconds("REPLAY_STALE_SECONDS", 5, least=1, most=300)
except (EnvError, OSError, ValueError) as error:
    raise ImproperlyConfigured(f"The environment cannot be read: {error}") from error

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "django_filters",
    "django_htmx",
    "django_tables2",
    "template_partials",
    "csp",
    "kindgi.embedded",
    "kindgi.api",
    "kindgi.access",
    "kindgi.runs",
    "corrections",
    "judging",
    "improve",
    "quality_console",
]

MIDDLEWARE = [
    "kindgi.api.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "kindgi.browser.WhiteNoiseMiddleware",
    "kindgi.browser.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "kindgi.browser.AuthenticationMiddleware",
    "kindgi.browser.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "kindgi.browser.HtmxMiddleware",
    "kindgi.browser.CSPMiddleware",
    "quality_console.middleware.TimeZoneMiddleware",
]

CSRF_FAILURE_VIEW = "quality_console.views.refusals.not_from_here"
# Of forms; /v1 reads its bodies itself. The form for a correction has the most: 50 calls with 100 arguments, two fields
# each, and as many for calls that were added. Its texts are a run's, of which /v1 takes 2 MiB, three times as long as a
# form spells them, and once more what was typed.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024

ROOT_URLCONF = "kindgi.urls"
WSGI_APPLICATION = "kindgi.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "quality_console.context_processors.console",
            ],
        },
    },
]

AUTH_USER_MODEL = "access.User"
_VALIDATORS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATORS}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATORS}.MinimumLengthValidator"},
    {"NAME": f"{_VALIDATORS}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATORS}.NumericPasswordValidator"},
]

LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"

# Pages load only what this server serves, as files: nothing inline, nothing from elsewhere, and nobody frames them.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

# The /v1 views bring their own authentication, parsing and rendering (kindgi.api).
REST_FRAMEWORK = {"UNAUTHENTICATED_USER": None, "UNAUTHENTICATED_TOKEN": None}

# Celery (kindgi/celery.py says why threads). A task is done when it is done: a killed worker's are done again.
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_EXPIRES = None
CELERY_TASK_DEFAULT_QUEUE = "kindgi"
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not CELERY_BROKER_URL.startswith("folder://")
# A broker may go away and come back at any time, also before there ever was one: whoever works waits for it.
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # without end; after some, both worker and schedule would end
CELERY_BROKER_CONNECTION_TIMEOUT = BROKER_SECONDS
# RabbitMQ closes the channel of a task that lasts longer than half an hour; the worker would end by it.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_BROKER_HEARTBEAT = 30  # a worker notices so soon that RabbitMQ is gone without a word
# Threads can't be stopped: what runs when the connection is lost ends by itself, and is done again by another.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
# One more try, for a connection that has died unused; whoever sends sees to the rest (kindgi.celery.send).
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.2}
CELERY_BROKER_POOL_ACQUIRE_TIMEOUT = BROKER_SECONDS
CELERY_BEAT_SCHEDULER = "kindgi.celery:Scheduler"

LANGUAGE_CODE = "en"
# A page is in one of these; Django's own texts in a language that has none of ours would stand beside English ones.
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

STATIC_URL = "static/"
STATICFILES_DIRS = [path for path in [BASE_DIR / "static"] if path.is_dir()]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "whitenoise.storage.CompressedManifestStaticFilesStorage"
            if PRODUCTION
            else "django.contrib.staticfiles.storage.StaticFilesStorage"
        )
    },
}
# Outside of production nobody need run collectstatic.
WHITENOISE_USE_FINDERS = not PRODUCTION
if not PRODUCTION:
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)

if MODE is Mode.TEST:
    # Passwords in tests protect nothing, and the real hasher takes a quarter of a second each.
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
