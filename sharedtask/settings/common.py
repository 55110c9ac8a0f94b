"""What every profile shares. A profile imports all of this and adds its database, broker and secrets."""

from pathlib import Path
from typing import Any

from kombu import Exchange, Queue

from . import environment

BASE_DIR = Path(__file__).resolve().parent.parent.parent
# Everything the server writes goes under this directory and nowhere else.
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
    "sharedtask.submissions",
    "sharedtask.folders",
    "sharedtask.standings",
    "sharedtask.analysis",
    "sharedtask.leaderboard",
    "sharedtask.archive",
    "sharedtask.overview",
    "sharedtask.operations",
    "sharedtask.content",
]

MIDDLEWARE = [
    # The first, so that it measures what all the others take.
    "sharedtask.operations.metrics.latency_middleware",
    # Before those that answer by themselves, so that no answer goes out without it.
    "sharedtask.core.content_security.policy_middleware",
    # Before anything that might look into a body.
    "sharedtask.core.body_limit.limit_middleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Behind static files, which are for everybody, and before whatever sets a cookie.
    "sharedtask.core.private_answers.private_middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
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

# Accounts (django-allauth). An address is confirmed before an account can be used; no page tells whether an
# account exists; attempts are counted in the cache below.
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
# Whoever resets a password by a link has shown as much as a sign-in asks for, and need not pass the limits on
# guessing, which somebody in the same network may have used up. A second factor is asked for all the same.
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
# What allauth counts by name or address, anybody could use up for somebody else. So passwords are counted by
# name and origin together (accounts/attempts.py), and mails by accounts/mail_allowance.py.
ACCOUNT_RATE_LIMITS = {
    "login": "60/m/ip",
    "login_failed": "5/5m/key",
    # Generous, because a whole lab may share one address.
    "login_failed_by_origin": "50/5m/ip",
    "reset_password": "20/m/ip",
    "confirm_email": "",
    "account_mail": "5/h/key",
    # A registration of a team has a mail sent to the organisers, and a refusal tells that its name is taken.
    "register_team": "20/d/user",
}
# Addresses or networks of proxies whose X-Forwarded-For is believed; here none is.
TRUSTED_PROXIES: list[str] = []
# Limits on attempts, and which one-time code was used, are counted in the database: signing in needs it
# anyway and so needs nothing else. In Redis they would either shut everybody out whenever it is away, or be
# gone just then. Nothing but the pages of accounts uses this cache; a flood of guesses costs far more in
# password hashes than in these rows.
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "attempts",
        "OPTIONS": {"MAX_ENTRIES": 50_000},
    },
    # Drawn charts: made again if they are lost, and the same for every process of this machine.
    "charts": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(DATA_DIR / "charts"),
        "OPTIONS": {"MAX_ENTRIES": 5_000},
    },
}
MFA_ADAPTER = "sharedtask.accounts.adapter.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "sharedtask.accounts.code_forms.CodeForm",
    "reauthenticate": "sharedtask.accounts.code_forms.CodeAgainForm",
    "activate_totp": "sharedtask.accounts.code_forms.FirstCodeForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Arboretum"
# Clocks of telephones are seldom right to the second.
MFA_TOTP_TOLERANCE = 1
ORGANISERS_NEED_SECOND_FACTOR = True
# Names of accounts that are let off; only the embedded profile has one, and says why.
SECOND_FACTOR_EXCUSED: frozenset[str] = frozenset()
# Nobody waits longer than this for a mail server.
EMAIL_TIMEOUT = 20
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "sharedtask" / "static"]

# Stored files have no address, so that nothing can link to one past the visibility rules.
STORAGES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "files", "base_url": None},
    },
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Uploads, outputs, inputs and sealed files; see sharedtask/core/storage.py.
FILES_ARE_ON = "sharedtask.core.disk.Disk"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

# Gold files are sealed with the public key, which every profile adds below. Workers alone get this variable,
# and so only they can open what was sealed.
GOLD_PRIVATE_KEY_FILE = environment.text("GOLD_PRIVATE_KEY_FILE", "")
# How much of the gold it opened a worker process keeps in memory; see sharedtask/submissions/open_gold.py.
GOLD_MEMORY_BYTES = environment.integer("GOLD_MEMORY_BYTES", 64 * 1024 * 1024)
# What a process of a worker may have at most (workers/memory.py); 0 sets no limit. Checking a file takes up
# to twenty times its size, and gold that is kept about four times its text.
WORKER_MEMORY_BYTES = environment.integer("WORKER_MEMORY_BYTES", 2 * 1024 * 1024 * 1024)

# Limits of what a team may send. They are checked on the stream, before anything is stored or unpacked.
MEBIBYTE = 1024 * 1024
UPLOAD_LIMITS = {
    "archive_bytes": environment.integer("UPLOAD_MAX_BYTES", 100 * MEBIBYTE),
    "members": environment.integer("ARCHIVE_MAX_MEMBERS", 500),
    "member_bytes": environment.integer("ARCHIVE_MAX_MEMBER_BYTES", 64 * MEBIBYTE),
    "total_bytes": environment.integer("ARCHIVE_MAX_TOTAL_BYTES", 1024 * MEBIBYTE),
    # CoNLL-U shrinks to about a tenth; a hundredfold is no treebank but a bomb.
    "ratio": environment.integer("ARCHIVE_MAX_RATIO", 100),
    # Quotas do not count archives that are refused, and some phases have none: this bounds what is stored.
    "uploads_a_day": environment.integer("UPLOADS_A_DAY", 200),
}
# In which header a proxy says when it had read an upload (sharedtask/submissions/arrival.py); here none is.
ARRIVAL_HEADER = ""
# What a request may bring to a view that takes no uploads, which keeps no files either.
DATA_UPLOAD_MAX_MEMORY_SIZE = MEBIBYTE
FILE_UPLOAD_HANDLERS = ["sharedtask.core.body_limit.NoFiles"]
# One more than may be sent, so that the upload itself says what is too much.
DATA_UPLOAD_MAX_NUMBER_FILES = UPLOAD_LIMITS["members"] + 1

# Celery. The database is the truth and the broker only a hint: a message may be lost or come twice,
# so no results are kept in the broker, and a task is acknowledged only when it is done.
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
# A process that died under its task is written down (workers/lost.py); the sweep sends the work again.
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_TASK_SOFT_TIME_LIMIT = environment.integer("TASK_SOFT_TIME_LIMIT_SECONDS", 540)
CELERY_TASK_TIME_LIMIT = CELERY_TASK_SOFT_TIME_LIMIT + 60
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A worker waits for its broker as long as it takes; giving up would only move the waiting elsewhere.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Redis gives a message to another worker after this time without an acknowledgement. It has to be
    # longer than the longest task may take, or a slow task would be run twice at the same time.
    "visibility_timeout": CELERY_TASK_TIME_LIMIT + 300,
    # An upload must not hang on a dead broker: it is stored, and the sweep sends it later.
    "socket_connect_timeout": 3,
    "socket_timeout": 30,
    "max_retries": 1,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1, "interval_max": 0.5}
CELERY_TASK_DEFAULT_QUEUE = "score"
CELERY_TASK_CREATE_MISSING_QUEUES = False
# Several queues, so that a burst of one kind of work does not starve another. Which queue a message goes to
# is said where its kind of work is declared (sharedtask/work/targets.py). Each queue needs a key of
# its own: with Celery's default key for all, every message would be put into every queue.
CELERY_TASK_QUEUES = [
    Queue(name, Exchange("work"), routing_key=name)
    for name in ("score", "compare", "analyse", "mail", "sweep")
]
# A worker that lives renews its lease three times in this span; whoever does not is taken for dead.
LEASE_SECONDS = environment.integer("LEASE_SECONDS", 30)
SWEEP_SECONDS = environment.integer("SWEEP_SECONDS", 15)
CELERY_BEAT_SCHEDULE = {
    # A sweep that nobody took within its interval is dropped, for the next one does the same.
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

# What /metrics asks for; without a token it does not exist.
METRICS_TOKEN = environment.text("METRICS_TOKEN", "")

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    # Every line about a run carries its id; see sharedtask/core/logs.py.
    "filters": {"words": {"()": "sharedtask.core.logs.AddWords"}},
    "formatters": {
        "plain": {"format": "{levelname:<7} {name}: {prefix}{message}", "style": "{"},
        "json": {"()": "sharedtask.core.logs.AsJson"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["words"]}},
    "root": {"handlers": ["console"], "level": environment.text("LOG_LEVEL", "INFO").upper()},
    "loggers": {
        # Django's own handlers would print a second time, or only in debugging.
        "django": {"handlers": [], "propagate": True, "level": "INFO"},
        # A task says when it is done; that its message arrived is no news.
        "celery.worker.strategy": {"level": "WARNING"},
    },
}
