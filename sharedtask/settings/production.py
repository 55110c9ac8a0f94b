"""A public server: PostgreSQL, Redis, object storage, TLS in front. Refuses to start half-configured."""

from . import environment
from .common import *  # noqa: F403
from .common import DATA_DIR, LOGGING, MIDDLEWARE, STORAGES

SECRET_KEY = environment.required("SECRET_KEY")
# A key that was changed still opens second factors and waiting mails that were locked with it (lockbox.py).
SECRET_KEY_FALLBACKS = environment.listing(environment.text("SECRET_KEY_FALLBACKS", ""))
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
# Probes and scrapers come past the proxy, from inside.
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
MIDDLEWARE.insert(0, "sharedtask.core.health.any_host_middleware")
SECURE_HSTS_SECONDS = environment.integer("HSTS_SECONDS", 365 * 24 * 3600)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True

# Empty unless the proxy is known to set it, because whoever can set it makes uploads earlier than they were.
ARRIVAL_HEADER = environment.text("ARRIVAL_HEADER", "")

# ``manage.py collectstatic`` fills this directory when the image is built.
STATIC_ROOT = environment.path("STATIC_ROOT", DATA_DIR / "static")
STORAGES["staticfiles"] = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}

# Web and workers may be on several machines that share no disk. What is sealed has a bucket of its own, into
# which the web process may put files and out of which it may read none. `disk` is for one server alone.
if environment.choice("STORAGE", ("s3", "disk")) == "s3":
    FILES_ARE_ON = "sharedtask.core.object_store.ObjectStore"
    _options = {
        "endpoint_url": environment.text("S3_ENDPOINT_URL", "") or None,
        "region_name": environment.text("S3_REGION", "us-east-1"),
        "access_key": environment.required("S3_ACCESS_KEY_ID"),
        "secret_key": environment.required("S3_SECRET_ACCESS_KEY"),
        "addressing_style": "path",
        "default_acl": None,
        "file_overwrite": True,
    }
    for _place, _bucket in (
        ("files", environment.required("S3_BUCKET")),
        ("sealed", environment.required("S3_SEALED_BUCKET")),
    ):
        STORAGES[_place] = {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {**_options, "bucket_name": _bucket},
        }

EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = environment.text("EMAIL_HOST", "localhost")
EMAIL_PORT = environment.integer("EMAIL_PORT", 25)
EMAIL_HOST_USER = environment.text("EMAIL_USER", "")
EMAIL_HOST_PASSWORD = environment.text("EMAIL_PASSWORD", "")
# 587 begins in plain text and changes over, 465 is encrypted from the first byte; both are customs of mail.
EMAIL_USE_TLS = EMAIL_PORT == 587
EMAIL_USE_SSL = EMAIL_PORT == 465
DEFAULT_FROM_EMAIL = environment.text("EMAIL_FROM", "noreply@localhost")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
# What mails from workers, which see no request, put before a path.
SITE_URL = environment.text("SITE_URL", "https://" + ALLOWED_HOSTS[0].lstrip(".")).rstrip("/")
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https"

# The proxy in front writes the client's address into a header; limits are counted by it. gunicorn reads the
# same variable, for the header that says whether the client came by TLS.
TRUSTED_PROXIES = environment.networks("FORWARDED_ALLOW_IPS", "127.0.0.1")

# One JSON object a line, for whatever collects logs.
LOGGING["handlers"]["console"]["formatter"] = "json"
