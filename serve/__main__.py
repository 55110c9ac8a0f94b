"""``python -m serve``: check, prepare, start, print the address, supervise, stop."""

import os
import signal
import socket
import sys
import urllib.error
import urllib.request
from contextlib import ExitStack, closing
from pathlib import Path

from . import airlock, preflight, processes, redis, wheel
from .output import Output
from .preflight import Refusal
from .supervisor import Child, Supervisor

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60


def main() -> int:
    if "--stop-with-parent" in sys.argv:
        # If `make`, our parent, is killed, we would keep running in the background.
        processes.stop_with_parent()
    try:
        run()
    except Refusal as refusal:
        print(f"arboretum: {refusal}", file=sys.stderr, flush=True)
        return 1
    return 0


def run() -> None:
    # Only the owner may read what is written.
    os.umask(0o077)
    host = os.environ.get("HOST") or "127.0.0.1"
    port = preflight.port_number(os.environ.get("PORT") or "8000")
    data_dir = Path(os.environ.get("DATA_DIR") or ROOT / "var").expanduser().absolute()
    # Both are held until the end: the lock on the directory and the port.
    with preflight.open_data_dir(data_dir), preflight.listen(host, port) as listener:
        # Only workers may have the private key; it must not come from our environment.
        # Only the airlock's worker may know the container engine, and only the other one that of scorers.
        secret = ("GOLD_PRIVATE_KEY_FILE", "DOCKER_HOST", "AIRLOCK_ENGINE", "SCORER_ENGINE")
        inherited = {name: value for name, value in os.environ.items() if name not in secret}
        environment = inherited | {
            "DJANGO_SETTINGS_MODULE": "sharedtask.settings.embedded",
            "DATA_DIR": str(data_dir),
            "PYTHONUNBUFFERED": "1",
            "SCORERS": "on" if os.environ.get("SCORER_ENGINE") else "",
        }
        preflight.refuse_data_of_another_version(data_dir, ROOT, environment)
        output = Output(data_dir / "serve.log", verbose=bool(os.environ.get("VERBOSE")))
        with closing(output):
            supervisor = Supervisor(environment, ROOT, output)
            run_site(supervisor, listener, host=host, data_dir=data_dir)
            supervisor.say("Stopped. The data are kept.")


def run_site(supervisor: Supervisor, listener: socket.socket, *, host: str, data_dir: Path) -> None:
    with ExitStack() as on_exit:
        on_exit.callback(supervisor.stop)
        broker_url = start_broker(supervisor, data_dir)
        on_exit.enter_context(redis.address_file(data_dir, broker_url))
        address = f"http://{preflight.url_host(host)}:{listener.getsockname()[1]}/"
        # E-mails need the complete address without a request.
        site_url = os.environ.get("SITE_URL") or address.rstrip("/")
        supervisor.environment["SITE_URL"] = site_url
        keys = data_dir / "keys"
        accounts = prepare(supervisor, keys)
        wheel.build(ROOT, data_dir / "wheel")
        engine = airlock.find_engine(supervisor)
        if engine.address:
            supervisor.add(airlock.worker(celery_command("workers.airlock"), engine))
        start_site(supervisor, listener.fileno(), private_key=keys / "gold.private")
        if wait_until_ready(supervisor, address):
            warning = preflight.network_warning(host, site_url)
            announce(supervisor, address, data_dir, [*warning, engine.sentence, *accounts])
            while not supervisor.wait(3600):
                pass
        supervisor.say("Stopping ...")


def start_broker(supervisor: Supervisor, data_dir: Path) -> str:
    """Start Redis unless REDIS_URL is set. Out: its address, which the other processes get as REDIS_URL."""
    url = os.environ.get("REDIS_URL")
    if not url:
        server = redis.configure(data_dir / "redis")
        # Redis gets SIGTERM instead of SIGKILL if the supervisor dies, so that it can finish its log.
        supervisor.add(Child(name="redis", command=server.command, death_signal=signal.SIGTERM))
        supervisor.environment["REDIS_URL"] = url = server.url
        supervisor.say(f"on 127.0.0.1 with a password, log in {server.log}", name="redis", to_terminal=False)
    redis.wait_until_ready(url)
    return url


def prepare(supervisor: Supervisor, keys: Path) -> list[str]:
    """Create keys, migrate the database, load the demo tasks. Out: the lines about the demo accounts."""
    manage = [sys.executable, "manage.py"]
    supervisor.say("Migrating the database and loading the demo tasks", name="setup")
    supervisor.run_to_end("setup", [sys.executable, "-m", "sharedtask.core.keys", str(keys)])
    supervisor.run_to_end("setup", [*manage, "migrate", "--no-input", "--verbosity=0"])
    return supervisor.run_to_end("setup", [*manage, "load_demo", "--induction"])


def start_site(supervisor: Supervisor, listener: int, *, private_key: Path) -> None:
    processors = os.cpu_count() or 1
    celery = celery_command("workers.app")
    concurrency = os.environ.get("WORKER_CONCURRENCY") or str(min(processors, 4))
    supervisor.add(
        Child(
            name="worker",
            command=[*celery, "worker", f"--concurrency={concurrency}", *airlock.SINGLE_WORKER],
            # Only workers may decrypt gold files.
            environment={
                "GOLD_PRIVATE_KEY_FILE": str(private_key),
                # There are as many workers as processors: more threads in each would only wait.
                "OPENBLAS_NUM_THREADS": "1",
                "SCORER_ENGINE": os.environ.get("SCORER_ENGINE", ""),
            },
        )
    )
    supervisor.add(Child(name="beat", command=[*celery, "beat", "--loglevel=WARNING", "--pidfile="]))
    supervisor.add(
        Child(
            name="web",
            command=[sys.executable, "-m", "gunicorn", "--config=deploy/gunicorn.conf.py"]
            + [f"--bind=fd://{listener}", "sharedtask.wsgi"],
            keep=[listener],
        )
    )


def celery_command(app: str) -> list[str]:
    # Celery warns about root because of pickled messages; ours are JSON, and containers often run as root.
    python = [sys.executable, "-W", "ignore:You're running the worker with superuser privileges"]
    return [*python, "-m", "celery", "--quiet", "-A", app]


def wait_until_ready(supervisor: Supervisor, address: str) -> bool:
    """False if it was told to stop in the meantime."""
    for _ in range(START_SECONDS * 4):
        try:
            urllib.request.urlopen(address, timeout=10).close()
            return True
        except urllib.error.HTTPError as error:
            raise Refusal(
                f"The site started, but its front page returned status {error.code}; "
                f"see {supervisor.output.log}."
            ) from None
        except OSError:
            if supervisor.wait(0.25):
                return False
    raise Refusal(f"The site did not respond within {START_SECONDS} seconds; see {supervisor.output.log}.")


def announce(supervisor: Supervisor, address: str, data_dir: Path, notes: list[str]) -> None:
    """The last lines on the terminal, unless something goes wrong: accounts and address."""
    supervisor.say("")
    supervisor.say(f"Data directory:  {data_dir}")
    supervisor.say(f"Log:  {supervisor.output.log}; only warnings are shown here, everything with VERBOSE=1")
    for line in notes:
        supervisor.say(line)
    supervisor.say("")
    supervisor.say(f"Arboretum is at  {address}")
    supervisor.say("Press Ctrl-C to stop.")


if __name__ == "__main__":
    sys.exit(main())
