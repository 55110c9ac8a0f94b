"""A public server: PostgreSQL, Redis, object storage, TLS in front. Refuses to start half-configured."""

from . import environment
from .common import *  # noqa: F403
from .common import CACHES, DATA_DIR, LOGGING, MIDDLEWARE, STORAGES

SECRET_KEY = environment.required("SECRET_KEY")
# Old keys still decrypt second factors and waiting e-mails that were encrypted with them (lockbox.py).
SECRET_KEY_FALLBACKS = environment.listing(environment.text("SECRET_KEY_FALLBACKS", ""))
GOLD_PUBLIC_KEY = environment.required("GOLD_PUBLIC_KEY")
ALLOWED_HOSTS = environment.listing(environment.required("ALLOWED_HOSTS"))
# "Any subdomain" is a leading dot in ALLOWED_HOSTS, and "*." in an origin.
CSRF_TRUSTED_ORIGINS = ["https://" + ("*" + host if host.startswith(".") else host) for host in ALLOWED_HOSTS]

DATABASES = {"default": environment.database("DATABASE_URL", environment.required("DATABASE_URL"))}
DATABASES["default"]["CONN_MAX_AGE"] = environment.integer("DATABASE_CONNECTION_SECONDS", 60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

CELERY_BROKER_URL = environment.required("REDIS_URL")
CACHES["limits"] = environment.shared_cache(CELERY_BROKER_URL)

# The proxy terminates TLS and says so in a header that it sets itself and never forwards from clients.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
# Probes and scrapers connect internally, not through the proxy.
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
MIDDLEWARE.insert(0, "sharedtask.core.health.any_host_middleware")
SECURE_HSTS_SECONDS = environment.integer("HSTS_SECONDS", 365 * 24 * 3600)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True

# Empty unless the proxy is known to set it: a client that could set it could backdate its uploads.
ARRIVAL_HEADER = environment.text("ARRIVAL_HEADER", "")

# ``manage.py collectstatic`` fills this directory when the image is built.
STATIC_ROOT = environment.path("STATIC_ROOT", DATA_DIR / "static")
STORAGES["staticfiles"] = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}

# Web and workers may be on several machines without a shared disk. Sealed files have their own bucket, to
# which the web process can write and from which it cannot read. `disk` is for a single server.
if environment.choice("STORAGE", ("s3", "disk")) == "s3":
    FILE_STORAGE = "sharedtask.core.object_store.ObjectStore"
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
# By convention, port 587 uses STARTTLS and port 465 implicit TLS.
EMAIL_USE_TLS = EMAIL_PORT == 587
EMAIL_USE_SSL = EMAIL_PORT == 465
DEFAULT_FROM_EMAIL = environment.text("EMAIL_FROM", "noreply@localhost")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
# The base of links in e-mails, which workers send without a request.
SITE_URL = environment.text("SITE_URL", "https://" + ALLOWED_HOSTS[0].lstrip(".")).rstrip("/")
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https"

# The proxy writes the client's address into a header; rate limits use it. gunicorn reads the same variable,
# for the header that says whether the client used TLS.
TRUSTED_PROXIES = environment.networks("FORWARDED_ALLOW_IPS", "127.0.0.1")

# One JSON object per line, for log collectors.
LOGGING["handlers"]["console"]["formatter"] = "json"
