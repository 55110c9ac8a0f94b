"""One machine, no services: SQLite, files on disk, the Redis that ``make serve`` starts."""

from . import environment
from .common import *  # noqa: F403
from .common import CACHES, DATA_DIR

# The directory contains password hashes and uploads, which other users of the machine must not read.
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)

SECRET_KEY = environment.secret_from_file(DATA_DIR / "secret_key")

# `make serve` creates the key pair before it is needed; until then nothing can be sealed.
GOLD_PUBLIC_KEY = environment.content(DATA_DIR / "keys" / "gold.public")

_host = environment.text("HOST", "127.0.0.1")
# On all interfaces, the host names of requests are not known in advance.
_names = "*" if _host in ("0.0.0.0", "::") else f"localhost,127.0.0.1,[::1],{_host}"
ALLOWED_HOSTS = environment.listing(environment.text("ALLOWED_HOSTS", _names))

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "db.sqlite3",
        "OPTIONS": {
            # Readers never wait for the writer (WAL). A transaction acquires the write lock at its beginning
            # and waits for it, instead of failing half-way with "database is locked".
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
        },
    }
}

# `make serve` writes the address of its broker to this file while it runs, for commands in other terminals.
# While nothing runs, messages are dropped: the next start finds the work in the database.
CELERY_BROKER_URL = environment.text("REDIS_URL", environment.content(DATA_DIR / "broker.url") or "memory://")
CACHES["limits"] = environment.shared_cache(CELERY_BROKER_URL)

# Static files are served from their source directories, without collectstatic.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False

# No e-mail is sent: messages are written to files.
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = DATA_DIR / "mail"
_url_host = "127.0.0.1" if _host in ("0.0.0.0", "::") else f"[{_host}]" if ":" in _host else _host
SITE_URL = environment.text("SITE_URL", f"http://{_url_host}:{environment.text('PORT', '8000')}")

# No proxy is trusted unless it is configured.
TRUSTED_PROXIES = environment.networks("FORWARDED_ALLOW_IPS", "")

# Of the demo accounts only the organiser's needs a second factor, and trying the demo should not require an
# authenticator app. While only this machine can reach the site, the password is enough, which is stored in a
# file here anyway. There is no exception when the site listens on a network.
if _host in ("127.0.0.1", "::1", "localhost"):
    SECOND_FACTOR_EXCUSED = frozenset({"organiser"})
