"""A public server: PostgreSQL, Redis, TLS in front. Refuses to start while something essential is unset."""

from . import environment
from .common import *  # noqa: F403
from .common import DATA_DIR, LOGGING, STORAGES

SECRET_KEY = environment.required("SECRET_KEY")
GOLD_PUBLIC_KEY = environment.required("GOLD_PUBLIC_KEY")
ALLOWED_HOSTS = environment.listing(environment.required("ALLOWED_HOSTS"))
# Django writes "any subdomain" as a leading dot among the hosts, and as "*." in an origin.
CSRF_TRUSTED_ORIGINS = ["https://" + ("*" + host if host.startswith(".") else host) for host in ALLOWED_HOSTS]

DATABASES = {"default": environment.database("DATABASE_URL", environment.required("DATABASE_URL"))}
DATABASES["default"]["CONN_MAX_AGE"] = environment.integer("DATABASE_CONNECTION_SECONDS", 60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

CELERY_BROKER_URL = environment.required("REDIS_URL")

# The proxy ends TLS and says so in a header that it sets itself and never passes on from outside.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
SECURE_HSTS_SECONDS = environment.integer("HSTS_SECONDS", 365 * 24 * 3600)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True

# ``manage.py collectstatic`` fills this directory when the image is built.
STATIC_ROOT = environment.path("STATIC_ROOT", DATA_DIR / "static")
STORAGES["staticfiles"] = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}

EMAIL_HOST = environment.text("EMAIL_HOST", "localhost")
EMAIL_PORT = environment.integer("EMAIL_PORT", 25)
DEFAULT_FROM_EMAIL = environment.text("EMAIL_FROM", "noreply@localhost")

LOGGING["formatters"]["plain"]["format"] = "{asctime} {levelname:<7} {name}: {message}"
