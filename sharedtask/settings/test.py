"""The test suite: PostgreSQL and Redis started by fixtures, and a temporary data directory."""

import atexit
import os
import secrets
import shutil
import tempfile

from . import environment

if not environment.text("DATA_DIR", ""):
    # Set before ``common`` reads it, so that every path is in the temporary directory. It is created by the
    # first write only: the type checker loads these settings too, and exits without cleaning up.
    os.environ["DATA_DIR"] = f"{tempfile.gettempdir()}/arboretum-test-{secrets.token_hex(8)}"
    atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)

from .common import *  # noqa: F403
from .common import DATA_DIR

SECRET_KEY = "only-for-tests"
ALLOWED_HOSTS = ["*"]

# The fixture ``gold_keys`` creates the pair for this process, ``on_postgres`` for processes of the tests.
GOLD_PUBLIC_KEY = environment.content(DATA_DIR / "keys" / "gold.public")

# The fixture ``postgres`` sets the real address before the first connection; processes started by tests get
# it as DATABASE_URL.
DATABASES = {
    "default": environment.database(
        "DATABASE_URL",
        environment.text("DATABASE_URL", "postgresql://postgres@started-by-the-fixture/arboretum"),
    )
}
# Persistent connections are for benchmarks only: the server of a test stops while connections are idle.
DATABASES["default"]["CONN_MAX_AGE"] = environment.integer("DATABASE_CONNECTION_SECONDS", 0)
# Without a broker, messages are dropped; tests with a real worker set REDIS_URL for their processes.
CELERY_BROKER_URL = environment.text("REDIS_URL", "memory://")

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
SITE_URL = "http://testserver"
# Tests sign organisers in directly; tests of the second factor switch it on.
ORGANISERS_NEED_SECOND_FACTOR = False
# Tests send many requests in one minute, which is a long one where the clock stands still.
API_LIMITS = {"reads": 100_000, "writes": 100_000}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
