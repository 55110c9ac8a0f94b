"""The site's own processes under test: gunicorn on a free port, a Celery worker; stopped after the test."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from serve import processes

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Running:
    """A process of the site: where its log is, and for a web server its address."""

    process: "subprocess.Popen[str]"
    log: Path
    url: str = ""

    def stop(self) -> None:
        processes.stop([self.process], grace_seconds=10)


def clean_environment(settings: str, values: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without what configures a site, with the given values instead."""
    ours = ["DATA_DIR", "DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "HOST", "PORT"]
    ours += ["AIRLOCK", "AIRLOCK_ENGINE", "AIRLOCK_REASON", "DOCKER_HOST"]
    ours += ["GOLD_PUBLIC_KEY", "GOLD_PRIVATE_KEY_FILE", "STORAGE", "METRICS_TOKEN"]
    ours += ["S3_ENDPOINT_URL", "S3_BUCKET", "S3_SEALED_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"]
    # The browser's concession, which is this process's alone.
    ours.append("DJANGO_ALLOW_ASYNC_UNSAFE")
    expected = {name: value for name, value in os.environ.items() if name not in ours}
    return expected | {"DJANGO_SETTINGS_MODULE": settings, "PYTHONUNBUFFERED": "1"} | dict(values)


def manage(*arguments: str, environment: Mapping[str, str]) -> str:
    """Run manage.py to its end and give its output; a failure shows that output."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise AssertionError(f"manage.py {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def make_keys(environment: Mapping[str, str]) -> None:
    """The pair of keys for gold files, where `make serve` puts it."""
    folder = Path(environment["DATA_DIR"]) / "keys"
    command = [sys.executable, "-m", "sharedtask.core.keys", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def start_server(
    environment: Mapping[str, str],
    log: Path,
    *,
    application: str = "sharedtask.wsgi",
    numbers: tuple[int, int] = (2, 4),
) -> Running:
    """gunicorn on a free port of the loopback, ready to answer; `numbers` of its workers and threads."""
    with socket.create_server(("127.0.0.1", 0)) as listener, log.open("w") as output:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        # As `make serve` does, so that links in mails lead here.
        known = {"SITE_URL": url} if environment["DJANGO_SETTINGS_MODULE"].endswith("embedded") else {}
        process = processes.start(
            [sys.executable, "-m", "gunicorn", application, "--bind", f"fd://{listener.fileno()}"]
            + ["--workers", str(numbers[0]), "--threads", str(numbers[1]), "--no-control-socket"],
            environment={**known, **environment},
            folder=ROOT,
            output=output,
            keep=[listener.fileno()],
        )
        running = Running(process=process, log=log, url=url)
    _wait(running, lambda: _answers(running.url))
    return running


def _answers(url: str) -> bool:
    """Any HTTP answer counts, for what the page says is the test's business."""
    try:
        urllib.request.urlopen(url, timeout=10).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def start_worker(
    environment: Mapping[str, str], log: Path, *arguments: str, app: str = "workers.app"
) -> Running:
    """A real Celery worker with two processes, connected to its broker; it alone has the private key."""
    private_key = Path(environment["DATA_DIR"]) / "keys" / "gold.private"
    with log.open("w") as output:
        process = processes.start(
            [sys.executable, "-m", "celery", "-A", app, "worker", "--concurrency=2"]
            + ["--loglevel=INFO", "--without-gossip", "--without-mingle", f"--hostname={log.stem}@%h"]
            + list(arguments),
            environment={"GOLD_PRIVATE_KEY_FILE": str(private_key), **environment},
            folder=ROOT,
            output=output,
        )
    running = Running(process=process, log=log)
    _wait(running, lambda: " ready." in log.read_text())
    return running


def _wait(running: Running, ready: Callable[[], bool]) -> None:
    end = time.monotonic() + START_SECONDS
    while not ready():
        if running.process.poll() is not None or time.monotonic() > end:
            running.stop()
            raise AssertionError(f"It did not start:\n{running.log.read_text()}")
        time.sleep(0.1)
