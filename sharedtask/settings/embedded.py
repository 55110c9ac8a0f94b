"""One machine, no services: SQLite, files on disk, the Redis that ``make serve`` starts."""

from . import environment
from .common import *  # noqa: F403
from .common import DATA_DIR

# The directory holds passwords' hashes and uploads; other users of the machine have no business in it.
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)

SECRET_KEY = environment.secret_from_file(DATA_DIR / "secret_key")

# `make serve` makes the pair before anything needs it; until then nothing can be sealed.
GOLD_PUBLIC_KEY = environment.content(DATA_DIR / "keys" / "gold.public")

_host = environment.text("HOST", "127.0.0.1")
# Whoever listens on all interfaces is reached under names that nobody knows beforehand.
_names = "*" if _host in ("0.0.0.0", "::") else f"localhost,127.0.0.1,[::1],{_host}"
ALLOWED_HOSTS = environment.listing(environment.text("ALLOWED_HOSTS", _names))

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "db.sqlite3",
        "OPTIONS": {
            # Readers never wait for the one writer (WAL). A transaction takes the writer's place at its
            # beginning and waits for it, instead of failing half-way with "database is locked".
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
        },
    }
}

CELERY_BROKER_URL = environment.text("REDIS_URL", "redis://127.0.0.1:6379/0")

# Static files are served from where they lie, without a step that collects them.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False

# Nothing is sent from here: mails are written to files, where whoever runs the server can read them.
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = DATA_DIR / "mail"
_shown_host = "127.0.0.1" if _host in ("0.0.0.0", "::") else f"[{_host}]" if ":" in _host else _host
SITE_URL = environment.text("SITE_URL", f"http://{_shown_host}:{environment.text('PORT', '8000')}")

# Nobody's word is taken about where a request came from unless a proxy is named.
TRUSTED_PROXIES = environment.networks("FORWARDED_ALLOW_IPS", "")

# Of the demo's accounts only the organiser's needs a second factor, and a tour through the demo should not
# begin with a telephone. Reached from this machine alone, the site asks of it no more than its password,
# which lies in a file here anyway; listening to a network, it makes no exception.
if _host in ("127.0.0.1", "::1", "localhost"):
    SECOND_FACTOR_EXCUSED = frozenset({"organiser"})
