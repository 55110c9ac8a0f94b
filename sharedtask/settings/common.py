"""Settings shared by all profiles. A profile imports them and adds its database, broker and secrets."""

from pathlib import Path
from typing import Any

from kombu import Exchange, Queue

from . import environment

BASE_DIR = Path(__file__).resolve().parent.parent.parent
# The server writes only below this directory.
DATA_DIR = environment.path("DATA_DIR", BASE_DIR / "var")

DEBUG = False
ROOT_URLCONF = "sharedtask.urls"
WSGI_APPLICATION = "sharedtask.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "sharedtask.core",
    "sharedtask.accounts",
    "sharedtask.competition",
    "sharedtask.teams",
    "sharedtask.uploads",
    "sharedtask.scorers",
    "sharedtask.submissions",
    "sharedtask.software",
    "sharedtask.folders",
    "sharedtask.standings",
    "sharedtask.analysis",
    "sharedtask.leaderboard",
    "sharedtask.curves",
    "sharedtask.cascades",
    "sharedtask.judgements",
    "sharedtask.archive",
    "sharedtask.overview",
    "sharedtask.api",
    "sharedtask.operations",
    "sharedtask.content",
]

# What can be uploaded in a resumable way (sharedtask/uploads/purposes.py).
UPLOAD_PURPOSES = [
    "sharedtask.submissions.resumable.RunPurpose",
    "sharedtask.software.receive_image.ReceiveImage",
    "sharedtask.scorers.receive.ReceiveScorer",
]

MIDDLEWARE = [
    # The first, so that it measures all others.
    "sharedtask.operations.metrics.latency_middleware",
    # Before any middleware that responds itself, so that every response has the policy.
    "sharedtask.core.content_security.policy_middleware",
    # Before anything that may read a body.
    "sharedtask.core.body_limit.limit_middleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # After static files, which are public, and before anything that sets a cookie.
    "sharedtask.core.private_responses.private_middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    # Before anything that asks who organises what.
    "sharedtask.accounts.roles.affiliations_middleware",
    "sharedtask.accounts.second_factor.SecondFactorMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    # The last, so that all others check the organiser and not the stand-in of a preview.
    "sharedtask.overview.preview.PreviewMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "sharedtask" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "sharedtask.teams.unread.unread",
            ],
        },
    },
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# Accounts (django-allauth). An address must be confirmed before an account can be used; no page reveals
# whether an account exists; attempts are counted in the cache below.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "sharedtask.accounts.adapter.AccountAdapter"
ACCOUNT_SIGNUP_FORM_CLASS = "sharedtask.accounts.adapter.SignUpForm"
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_LOGIN_METHODS = {"email", "username"}
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Arboretum] "
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_MAX_EMAIL_ADDRESSES = 3
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
# A password reset by e-mail proves as much as signing in, so it bypasses the limits on failed attempts, which
# somebody in the same network may have used up. The second factor is still required.
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
# Limits that allauth counts by name or address could be used up by others. Therefore failed passwords are
# counted by name and origin together (accounts/attempts.py), and e-mails by accounts/mail_allowance.py.
ACCOUNT_RATE_LIMITS = {
    "login": "60/m/ip",
    "login_failed": "5/5m/key",
    # High, because a whole lab may share one address.
    "login_failed_by_origin": "50/5m/ip",
    "reset_password": "20/m/ip",
    "confirm_email": "",
    "account_mail": "5/h/key",
    # Registering a team sends an e-mail to the organisers, and a refusal reveals that its name is taken.
    "register_team": "20/d/user",
}
# Addresses or networks of proxies whose X-Forwarded-For is trusted; none by default.
TRUSTED_PROXIES: list[str] = []
# Rate limits and used one-time codes are stored in the database, which signing in needs anyway. In Redis,
# they would either block everybody while it is down or be lost. Only the account pages use this cache; a
# flood of attempts costs far more for password hashing than for these rows.
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "attempts",
        "OPTIONS": {"MAX_ENTRIES": 50_000},
    },
    # Charts: drawn again if they are lost, and shared by all processes of this machine.
    "charts": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(DATA_DIR / "charts"),
        "OPTIONS": {"MAX_ENTRIES": 5_000},
    },
    # Requests to the API. Profiles with a broker count them there, for all processes together.
    "limits": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "limits"},
}
MFA_ADAPTER = "sharedtask.accounts.adapter.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "sharedtask.accounts.code_forms.CodeForm",
    "reauthenticate": "sharedtask.accounts.code_forms.ReauthenticationCodeForm",
    "activate_totp": "sharedtask.accounts.code_forms.ActivationCodeForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Arboretum"
# Clocks of phones are rarely exact.
MFA_TOTP_TOLERANCE = 1
ORGANISERS_NEED_SECOND_FACTOR = True
# Accounts that need no second factor; only the embedded profile has one, and explains why.
SECOND_FACTOR_EXCUSED: frozenset[str] = frozenset()
# Seconds to wait for a mail server.
EMAIL_TIMEOUT = 20
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

# The wheel of the evaluator, which the site hands out (sharedtask/core/evaluator_wheel.py).
WHEEL_DIR = environment.path("WHEEL_DIR", DATA_DIR / "wheel")

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "sharedtask" / "static"]

# Stored files have no URL, so that no link can bypass the visibility rules.
STORAGES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "files", "base_url": None},
    },
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Uploads, outputs, inputs and sealed files; see sharedtask/core/storage.py.
FILE_STORAGE = "sharedtask.core.disk.Disk"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

# Gold files are sealed with the public key, which every profile sets. Only workers get this variable, so only
# they can decrypt gold.
GOLD_PRIVATE_KEY_FILE = environment.text("GOLD_PRIVATE_KEY_FILE", "")
# How much text of opened gold a worker process caches; see sharedtask/submissions/gold_cache.py.
GOLD_MEMORY_BYTES = environment.integer("GOLD_MEMORY_BYTES", 64 * 1024 * 1024)
# Memory limit of a worker process (workers/memory_limit.py); 0 sets no limit. Checking a file takes up to
# twenty times its size, and cached gold about four times its text.
WORKER_MEMORY_BYTES = environment.integer("WORKER_MEMORY_BYTES", 2 * 1024 * 1024 * 1024)

# How much disk the figures of single test sets may take that are kept for the next standing of a large field.
KEPT_FIGURES_BYTES = environment.integer("KEPT_FIGURES_BYTES", 4 * 1024 * 1024 * 1024)

# Limits on uploads. They are checked while receiving, before anything is stored or unpacked.
MEBIBYTE = 1024 * 1024
UPLOAD_LIMITS = {
    "archive_bytes": environment.integer("UPLOAD_MAX_BYTES", 100 * MEBIBYTE),
    "members": environment.integer("ARCHIVE_MAX_MEMBERS", 500),
    "member_bytes": environment.integer("ARCHIVE_MAX_MEMBER_BYTES", 64 * MEBIBYTE),
    "total_bytes": environment.integer("ARCHIVE_MAX_TOTAL_BYTES", 1024 * MEBIBYTE),
    # CoNLL-U compresses to about a tenth; a ratio of a hundred is a zip bomb.
    "ratio": environment.integer("ARCHIVE_MAX_RATIO", 100),
    # Quotas do not count refused archives, and some phases have no quota: this limits what is stored.
    "uploads_per_day": environment.integer("UPLOADS_PER_DAY", 200),
}
# The header in which a proxy says when it had received an upload (sharedtask/submissions/arrival.py).
ARRIVAL_HEADER = ""
# For views without uploads, which do not accept files either.
DATA_UPLOAD_MAX_MEMORY_SIZE = MEBIBYTE
FILE_UPLOAD_HANDLERS = ["sharedtask.core.body_limit.NoFiles"]
# One more than allowed, so that the upload view can report the limit itself.
DATA_UPLOAD_MAX_NUMBER_FILES = UPLOAD_LIMITS["members"] + 1

# Software of teams runs on airlock workers. `AIRLOCK=on` says that there is one; otherwise `AIRLOCK_REASON`
# may say why there is none. Only airlock workers get the address of a container engine.
AIRLOCK = environment.text("AIRLOCK", "") == "on"
AIRLOCK_REASON = environment.text("AIRLOCK_REASON", "")
AIRLOCK_ENGINE = environment.text("AIRLOCK_ENGINE", "")
# Limits of the memory of each process instead of the container, where an engine cannot limit the latter.
AIRLOCK_ULIMIT_SHIM = environment.text("AIRLOCK_ULIMIT_SHIM", "") == "on"
# Neither CPU nor output for so long is reported to the team and the organisers.
AIRLOCK_STALLED_SECONDS = environment.integer("AIRLOCK_STALLED_SECONDS", 300)
# How much all images may take that are loaded into the engine of an airlock worker.
AIRLOCK_IMAGES_BYTES = environment.integer("AIRLOCK_IMAGES_BYTES", 50 * 1024 * MEBIBYTE)
# Organisers' own scorers run in containers of another engine, because they see gold. `SCORERS=on` says that a
# worker has one. Only workers that score get its address; with it they take from the queue `scorer`, too.
SCORERS = environment.text("SCORERS", "") == "on"
SCORER_ENGINE = environment.text("SCORER_ENGINE", "")
# What a scorer may use for one output.
SCORER_SECONDS = environment.integer("SCORER_SECONDS", 600)
SCORER_MEMORY_BYTES = environment.integer("SCORER_MEMORY_BYTES", 4 * 1024 * MEBIBYTE)
# The largest image archive that can be uploaded.
IMAGE_MAX_BYTES = environment.integer("IMAGE_MAX_BYTES", 4 * 1024 * MEBIBYTE)

# Requests to the API in a minute, per token, or per address without one.
API_LIMITS = {
    "reads": environment.integer("API_READS_PER_MINUTE", 600),
    "writes": environment.integer("API_WRITES_PER_MINUTE", 120),
}
# Clients that wait for a run at a time, per process: each of them occupies a thread.
API_MAX_WAITING = environment.integer("API_MAX_WAITING", 2)

# Celery. The database is authoritative: a message may be lost or arrive twice, so no results are stored in
# the broker, and a task is acknowledged only when it is done.
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
# The death of a process is recorded by workers/lost_processes.py; the sweep sends the work again.
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_TASK_SOFT_TIME_LIMIT = environment.integer("TASK_SOFT_TIME_LIMIT_SECONDS", 540)
CELERY_TASK_TIME_LIMIT = CELERY_TASK_SOFT_TIME_LIMIT + 60
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A worker waits for its broker without limit.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Redis delivers a message again after this time without an acknowledgement. It has to be longer than the
    # longest task, or a slow task would run twice at the same time.
    "visibility_timeout": CELERY_TASK_TIME_LIMIT + 300,
    # An upload must not wait for a dead broker: it is stored, and the sweep dispatches it later.
    "socket_connect_timeout": 3,
    "socket_timeout": 30,
    "max_retries": 1,
    # Celery's default is two seconds between the attempts to connect.
    "interval_start": 0.1,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1, "interval_max": 0.5}
CELERY_TASK_DEFAULT_QUEUE = "score"
CELERY_TASK_CREATE_MISSING_QUEUES = False
# Several queues, so that a burst of one kind of work does not starve another. The queue of a message is
# declared with its kind of work (sharedtask/work/targets.py). Each queue needs its own routing key: with
# Celery's default key, every message would go to every queue. That of the airlock has an exchange of its own,
# because its workers may not read the keys of the others in the broker (deploy/compose.yaml).
CELERY_TASK_QUEUES = [
    *(
        Queue(name, Exchange("work"), routing_key=name)
        for name in ("score", "standings", "analyse", "mail", "sweep", "scorer")
    ),
    Queue("airlock", Exchange("airlock"), routing_key="airlock"),
]
# A living worker renews its lease three times in this period; otherwise it is considered dead.
LEASE_SECONDS = environment.integer("LEASE_SECONDS", 30)
SWEEP_SECONDS = environment.integer("SWEEP_SECONDS", 15)
CELERY_BEAT_SCHEDULE = {
    # A sweep that was not started within its interval is dropped, because the next one does the same.
    # With leases of 30 seconds, work without a living owner is found within a minute.
    "sweep": {
        "task": "workers.sweep",
        "schedule": float(SWEEP_SECONDS),
        "options": {"expires": SWEEP_SECONDS, "queue": "sweep"},
    },
    "remove-strays": {
        "task": "workers.remove_strays",
        "schedule": 3600.0,
        "options": {"expires": 3000, "queue": "sweep"},
    },
    "sweep-mail": {
        "task": "workers.sweep_mail",
        "schedule": 30.0,
        "options": {"expires": 25, "queue": "mail"},
    },
}
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# The token for /metrics; without one, /metrics returns 404.
METRICS_TOKEN = environment.text("METRICS_TOKEN", "")

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    # Every log line about a run contains its id; see sharedtask/core/logs.py.
    "filters": {"context": {"()": "sharedtask.core.logs.AddContext"}},
    "formatters": {
        "plain": {"format": "{levelname:<7} {name}: {prefix}{message}", "style": "{"},
        "json": {"()": "sharedtask.core.logs.JsonFormatter"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["context"]}},
    "root": {"handlers": ["console"], "level": environment.text("LOG_LEVEL", "INFO").upper()},
    "loggers": {
        # Django's own handlers would log twice, or only in debug mode.
        "django": {"handlers": [], "propagate": True, "level": "INFO"},
        # Tasks log when they are done; received messages need no log line.
        "celery.worker.strategy": {"level": "WARNING"},
    },
}
