"""The settings: what production insists on, secrets from files, and modes."""

import stat

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from kindgi.settings.database import database
from kindgi.settings.environment import Mode, kept_secret, one_of, whole_number
from kindgi.settings.logs import LEVELS
from kindgi.settings.tasks import schedule
from tests.support.commands import PRODUCTION, manage


@pytest.mark.parametrize("name", ["SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL"])
@pytest.mark.parametrize("value", [None, "", "   ", ",", " , ,"])
def test_production_does_not_start_without(name: str, value: str | None):
    environment = {**PRODUCTION, name: value}
    done = manage("check", environment={key: text for key, text in environment.items() if text is not None})
    assert done.returncode == 1
    assert done.stderr == (
        f"kindgi: Set {name} (or {name}_FILE): in production mode (KINDGI_ENV=production) nothing starts without.\n"
    )


def test_production_names_all_that_is_missing_in_one_sentence():
    done = manage("migrate", environment={"KINDGI_ENV": "production"})
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "SECRET_KEY (or SECRET_KEY_FILE), ALLOWED_HOSTS (or ALLOWED_HOSTS_FILE) and DATABASE_URL" in done.stderr


def test_the_web_server_too_says_what_is_missing():
    done = manage("serve", environment={**PRODUCTION, "ALLOWED_HOSTS": ""})
    assert done.returncode == 1 and done.stderr.startswith("kindgi: Set ALLOWED_HOSTS")


def test_a_deployment_check_in_production_finds_nothing():
    done = manage("check", "--deploy", "--fail-level", "DEBUG", environment=PRODUCTION)
    assert (done.returncode, done.stdout + done.stderr) == (0, "System check identified no issues (0 silenced).\n")


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"KINDGI_ENV": "staging"}, "Set KINDGI_ENV to development, production or test, not to 'staging'."),
        ({"PORT": "high"}, 'The environment cannot be read: Environment variable "PORT" invalid'),
        ({"DATABASE_URL": "mysql://host/name"}, "Set DATABASE_URL to a PostgreSQL address"),
        ({"LOG_LEVEL": "LOUD"}, "Set LOG_LEVEL to DEBUG, INFO, WARNING, ERROR or CRITICAL, not to 'LOUD'."),
        ({"WORKER_THREADS": "0"}, "Set WORKER_THREADS to a whole number from 1 to 1000, not to '0'."),
        ({"CELERY_BROKER_URL": "sqs://key@"}, "Set CELERY_BROKER_URL to the address of Redis (redis://host:6379/0) or"),
        ({"PURGE_EVERY_SECONDS": "1e300"}, "Set PURGE_EVERY_SECONDS to a number of seconds from 1 to 604800, not to"),
        ({"SECRET_KEY_FILE": "/nowhere"}, "The value of SECRET_KEY_FILE must be a readable file path."),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(environment: dict[str, str], said: str):
    done = manage("check", environment=environment)
    assert done.returncode == 1 and said in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "name"), [("worker", "SWEEP_EVERY_SECONDS"), ("serve", "WEB_THREADS"), ("demo", "DATABASE_URL")]
)
def test_no_process_starts_with_what_cannot_be_read(command: str, name: str):
    done = manage(command, environment={"KINDGI_ENV": "development", name: "zzz"})
    assert done.returncode == 1 and done.stderr.startswith(f"kindgi: Set {name} to ") and done.stderr.count("\n") == 1


NUMBERS = {
    "WEB_WORKERS": (1, 1000),
    "WEB_THREADS": (1, 1000),
    "WORKER_THREADS": (1, 1000),
    "HSTS_SECONDS": (0, 315_360_000),
    "DATABASE_PREPARE_THRESHOLD": (0, 1_000_000),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_out_of_bounds_is_refused_and_its_bounds_are_said(monkeypatch, name: str):
    least, most = NUMBERS[name]
    for text in (str(least - 1), str(most + 1), "-5", "1.5", "1e3", "many", "nan", "9" * 5000):
        monkeypatch.setenv(name, text)
        with pytest.raises(ImproperlyConfigured) as refused:
            whole_number(name, 1, least=least, most=most)
        assert str(refused.value) == f"Set {name} to a whole number from {least} to {most}, not to {text!r}."
    for number in (least, most):
        monkeypatch.setenv(name, str(number))
        assert whole_number(name, 1, least=least, most=most) == number
    monkeypatch.setenv(name, "")
    assert whole_number(name, 7, least=least, most=most) == 7


@pytest.mark.parametrize("name", NUMBERS)
def test_the_settings_know_the_bounds(name: str):
    least, most = NUMBERS[name]
    done = manage("check", environment={name: str(most + 1)})
    assert done.stderr == f"kindgi: Set {name} to a whole number from {least} to {most}, not to '{most + 1}'.\n"


@pytest.mark.parametrize("name", ["PURGE_EVERY_SECONDS", "SWEEP_EVERY_SECONDS"])
@pytest.mark.parametrize("text", ["0", "-1", "0.999", "604800.5", "1e300", "inf", "-inf", "nan", "hourly"])
def test_what_is_done_again_and_again_is_done_each_week_at_least(monkeypatch, name: str, text: str):
    monkeypatch.setenv(name, text)
    with pytest.raises(ImproperlyConfigured) as refused:
        schedule()
    assert str(refused.value) == f"Set {name} to a number of seconds from 1 to 604800, not to {text!r}."


@pytest.mark.parametrize("text", ["1", "2.5", "604800"])
def test_how_often_may_be_a_fraction(monkeypatch, text: str):
    monkeypatch.setenv("PURGE_EVERY_SECONDS", text)
    assert schedule()["runs.purge"]["schedule"] == float(text)


def test_a_level_may_be_in_small_letters(monkeypatch):
    monkeypatch.setenv("LOG_LEVEL", "debug")
    assert one_of("LOG_LEVEL", "INFO", choices=LEVELS) == "DEBUG"
    monkeypatch.setenv("LOG_LEVEL", "")
    assert one_of("LOG_LEVEL", "INFO", choices=LEVELS) == "INFO"


ADDRESSES = [
    "zzz",
    "secret",
    "mysql://h/n",
    "sqlite:///x.db",
    "postgres://h:secret/n",
    "postgres://h:99999/n",
    "postgres://[h/n",
]


@pytest.mark.parametrize("url", [*ADDRESSES, "postgres://", "postgres://host", "postgres://u:secret@host/"])
def test_an_address_that_is_none_of_postgresql_is_refused_and_not_repeated(monkeypatch, url: str):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(ImproperlyConfigured) as refused:
        database(Mode.DEVELOPMENT)
    assert str(refused.value) == "Set DATABASE_URL to a PostgreSQL address: postgres://user:password@host/name."


def test_secrets_may_come_from_files(tmp_path):
    environment = {name: text for name, text in PRODUCTION.items() if name not in {"SECRET_KEY", "DATABASE_URL"}}
    for name in ("SECRET_KEY", "DATABASE_URL"):
        (tmp_path / name).write_text(PRODUCTION[name] + "\n")
        environment[f"{name}_FILE"] = str(tmp_path / name)
    script = "from django.conf import settings as s; print(s.SECRET_KEY, s.DATABASES['default']['PASSWORD'])"
    done = manage("shell", "--no-imports", "-c", script, environment=environment)
    assert done.stdout == f"{PRODUCTION['SECRET_KEY']} secret\n"


def test_a_brokers_address_may_come_from_a_file_and_without_one_a_folder_is_the_queue(tmp_path):
    (tmp_path / "broker").write_text("amqp://user:secret@mq\n")
    script = "from django.conf import settings as s; print(s.CELERY_BROKER_URL, s.CELERY_BROKER_TRANSPORT_OPTIONS)"
    more: list[dict[str, str]] = [{"CELERY_BROKER_URL_FILE": str(tmp_path / "broker")}, {"VAR_DIR": str(tmp_path)}]
    asked = [manage("shell", "--no-imports", "-c", script, environment={**PRODUCTION, **extra}) for extra in more]
    folder, confirmed = {"folder": str(tmp_path / "queue")}, {"confirm_publish": True}
    assert [done.stdout for done in asked] == [f"amqp://user:secret@mq {confirmed}\n", f"folder://localhost {folder}\n"]


def test_https_is_insisted_on_in_production_and_can_be_left_to_a_proxy():
    names = ["SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "SESSION_COOKIE_SECURE", "SECURE_PROXY_SSL_HEADER"]
    script = f"from django.conf import settings as s; print([getattr(s, n) for n in {names}])"
    off = {
        "SSL_REDIRECT": "false",
        "HSTS_SECONDS": "0",
        "SECURE_COOKIES": "no",
        "PROXY_SSL_HEADER": "X-Forwarded-Proto",
    }
    asked = [manage("shell", "--no-imports", "-c", script, environment={**PRODUCTION, **extra}) for extra in ({}, off)]
    assert [done.stdout for done in asked] == [
        "[True, 31536000, True, None]\n",
        "[False, 0, False, ('HTTP_X_FORWARDED_PROTO', 'https')]\n",
    ]


def test_the_development_key_is_made_once_and_is_its_owners_alone(tmp_path):
    path = tmp_path / "var" / "secret_key"
    first = kept_secret(path)
    assert len(first) > 50 and kept_secret(path) == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["secret_key"]


def test_a_database_address_is_taken_as_it_is_and_nothing_is_embedded(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://me:p%40ss@db:6432/quality?sslmode=require")
    config = database(Mode.DEVELOPMENT)
    assert (config["USER"], config["PASSWORD"], config["HOST"], config["PORT"]) == ("me", "p@ss", "db", 6432)
    servers = "-c idle_in_transaction_session_timeout=30s -c lock_timeout=10s -c client_connection_check_interval=5s"
    options = {"sslmode": "require", "server_side_binding": True, "prepare_threshold": 1, "options": servers}
    assert config["OPTIONS"] == options
    assert "EMBEDDED" not in config


def test_the_servers_settings_of_an_address_are_joined_with_ours(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://db/quality?options=-csearch_path%3Dfoo%20-c%20lock_timeout%3D3s")
    servers = database(Mode.DEVELOPMENT)["OPTIONS"]["options"]
    assert "lock_timeout=10s" in servers and servers.endswith(" -csearch_path=foo -c lock_timeout=3s")
    monkeypatch.setenv("DATABASE_TRANSACTION_POOLER", "true")
    assert database(Mode.DEVELOPMENT)["OPTIONS"]["options"] == "-csearch_path=foo -c lock_timeout=3s"


def test_behind_a_transaction_pooler_nothing_outlives_a_transaction(monkeypatch):
    monkeypatch.setenv("DATABASE_TRANSACTION_POOLER", "true")
    config = database(Mode.DEVELOPMENT)
    assert config["OPTIONS"]["prepare_threshold"] is None and config["DISABLE_SERVER_SIDE_CURSORS"]


def test_tests_have_a_server_of_their_own():
    assert database(Mode.TEST)["HOST"] != database(Mode.DEVELOPMENT)["HOST"]
    assert settings.MODE is Mode.TEST
