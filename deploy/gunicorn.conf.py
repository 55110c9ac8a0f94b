"""Configuration of gunicorn, for `make serve` and for production."""

import os
import shutil
import tempfile
from typing import Any

bind = os.environ.get("WEB_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_WORKERS", "2"))
# Threads, because requests mostly wait for the database or the network.
threads = int(os.environ.get("WEB_THREADS", "4"))
# A process that hangs for so long is replaced. Requests in its threads may take longer, as resumable uploads
# do; all others are short, because the proxy buffers slow ones.
timeout = 120
graceful_timeout = 10
# Processes are replaced from time to time, not all at once, to limit memory leaks.
max_requests = 5000
max_requests_jitter = 500
control_socket_disable = True
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None
# Only the proxy is trusted about the origin of a request.
forwarded_allow_ips = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1")
# Only the header that the proxy sets. By default gunicorn also checks others, and refuses conflicting ones.
secure_scheme_headers = {"X-FORWARDED-PROTO": "https"}
logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{levelname:<7} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        "gunicorn.error": {"level": "INFO", "propagate": True, "handlers": []},
        # The proxy logs requests.
        "gunicorn.access": {"level": "WARNING", "propagate": True, "handlers": []},
    },
}

# The processes count latencies in files of a shared folder, which is new at each start.
_counts = os.environ.setdefault(
    "PROMETHEUS_MULTIPROC_DIR",
    os.path.join(tempfile.gettempdir(), f"arboretum-metrics-{os.getuid()}-{os.getpid()}"),
)


def on_starting(server: Any) -> None:
    os.makedirs(_counts, mode=0o700, exist_ok=True)


def on_exit(server: Any) -> None:
    shutil.rmtree(_counts, ignore_errors=True)


def child_exit(server: Any, worker: Any) -> None:
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)
