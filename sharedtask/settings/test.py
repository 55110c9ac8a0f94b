"""The test suite: PostgreSQL and Redis that the fixtures start, a data directory that goes away."""

import atexit
import os
import secrets
import shutil
import tempfile

from . import environment

if not environment.text("DATA_DIR", ""):
    # Set before ``common`` reads it, so that every path in it lies in the temporary directory. Only what is
    # written makes it: the type checker loads these settings too, and ends without cleaning up.
    os.environ["DATA_DIR"] = f"{tempfile.gettempdir()}/arboretum-test-{secrets.token_hex(8)}"
    atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)

from .common import *  # noqa: F403
from .common import DATA_DIR

SECRET_KEY = "only-for-tests"
ALLOWED_HOSTS = ["*"]

# The fixture ``gold_keys`` makes the pair for this process, ``on_postgres`` for those that the tests start.
GOLD_PUBLIC_KEY = environment.content(DATA_DIR / "keys" / "gold.public")

# The fixture ``postgres`` puts the real address in before the first connection; processes that the tests
# start get it as DATABASE_URL.
DATABASES = {
    "default": environment.database(
        "DATABASE_URL",
        environment.text("DATABASE_URL", "postgresql://postgres@started-by-the-fixture/arboretum"),
    )
}
# Kept for a while only where a benchmark asks for it: a test's server stops while connections wait.
DATABASES["default"]["CONN_MAX_AGE"] = environment.integer("DATABASE_CONNECTION_SECONDS", 0)
# Without a broker, messages go nowhere; tests with a real worker set REDIS_URL for the processes they start.
CELERY_BROKER_URL = environment.text("REDIS_URL", "memory://")

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
SITE_URL = "http://testserver"
# Tests sign organisers in directly; those about the second factor switch it on.
ORGANISERS_NEED_SECOND_FACTOR = False
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
