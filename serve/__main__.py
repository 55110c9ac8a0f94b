"""``python -m serve``: check, prepare, start, say where it is, look after it, stop it."""

import os
import signal
import sys
import urllib.error
import urllib.request
from pathlib import Path

from . import preflight, processes, redis
from .preflight import Refusal
from .supervisor import Child, Supervisor

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60


def main() -> int:
    if "--stop-with-parent" in sys.argv:
        # `make` is between the terminal and us; when it is killed we would run on unseen.
        processes.stop_with_parent()
    try:
        run()
    except Refusal as refusal:
        print(f"arboretum: {refusal}", file=sys.stderr, flush=True)
        return 1
    return 0


def run() -> None:
    # What is written is for its owner, whoever else uses the machine.
    os.umask(0o077)
    host = os.environ.get("HOST") or "127.0.0.1"
    port = preflight.port_number(os.environ.get("PORT") or "8000")
    data_dir = Path(os.environ.get("DATA_DIR") or ROOT / "var").expanduser().absolute()
    # Held until the end of this function, and with it the claim on the directory and the port.
    with preflight.open_data_dir(data_dir), preflight.listen(host, port) as listener:
        # A key in the environment of whoever starts this is not for everybody here.
        given = {name: value for name, value in os.environ.items() if name != "GOLD_PRIVATE_KEY_FILE"}
        environment = given | {
            "DJANGO_SETTINGS_MODULE": "sharedtask.settings.embedded",
            "DATA_DIR": str(data_dir),
            "PYTHONUNBUFFERED": "1",
        }
        preflight.refuse_data_of_another_version(data_dir, ROOT, environment)
        supervisor = Supervisor(environment, ROOT)
        try:
            start_broker(supervisor, data_dir)
            address = f"http://{preflight.shown_host(host)}:{listener.getsockname()[1]}/"
            # Mails need the whole address, and no request is asked for it.
            site_url = os.environ.get("SITE_URL") or address.rstrip("/")
            supervisor.environment["SITE_URL"] = site_url
            keys = data_dir / "keys"
            accounts = prepare(supervisor, keys)
            start_site(supervisor, listener.fileno(), private_key=keys / "gold.private")
            if wait_until_it_answers(supervisor, address):
                warning = preflight.network_warning(host, site_url)
                announce(supervisor, address, data_dir, [*accounts, *warning])
                while not supervisor.wait(3600):
                    pass
            supervisor.say("Stopping ...")
        finally:
            supervisor.stop()
        supervisor.say("Stopped; the data are kept.")


def start_broker(supervisor: Supervisor, data_dir: Path) -> None:
    """A Redis of our own, unless one is given; everybody else learns its address from the environment."""
    given = os.environ.get("REDIS_URL")
    if not given:
        server = redis.configure(data_dir / "redis")
        # Redis alone is asked to end rather than killed with the supervisor: it has a log to finish.
        supervisor.add(Child(name="redis", command=server.command, death_signal=signal.SIGTERM))
        supervisor.environment["REDIS_URL"] = given = server.url
        supervisor.say(f"on 127.0.0.1 with a password; its log is {server.log}", name="redis")
    redis.wait_until_ready(given)


def prepare(supervisor: Supervisor, keys: Path) -> list[str]:
    """Make keys, bring the database up to date, load the demo task; gives what is said of its accounts."""
    manage = [sys.executable, "manage.py"]
    supervisor.say("Bringing the database up to date and loading the demo task", name="setup")
    supervisor.run_to_end("setup", [sys.executable, "-m", "sharedtask.core.keys", str(keys)])
    supervisor.run_to_end("setup", [*manage, "migrate", "--no-input", "--verbosity=0"])
    return supervisor.run_to_end("setup", [*manage, "load_demo"])


def start_site(supervisor: Supervisor, listener: int, *, private_key: Path) -> None:
    processors = os.cpu_count() or 1
    # Celery warns of root because of messages that carry code; ours are JSON, and containers often are root.
    celery = [sys.executable, "-W", "ignore:You're running the worker with superuser privileges"]
    celery += ["-m", "celery", "--quiet", "-A", "workers.app"]
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO"]
    concurrency = os.environ.get("WORKER_CONCURRENCY") or str(min(processors, 4))
    supervisor.add(
        Child(
            name="worker",
            command=[*celery, "worker", f"--concurrency={concurrency}", *alone],
            # Of all children only the workers may open gold files.
            environment={"GOLD_PRIVATE_KEY_FILE": str(private_key)},
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


def wait_until_it_answers(supervisor: Supervisor, address: str) -> bool:
    """False when it was told to stop meanwhile."""
    for _ in range(START_SECONDS * 4):
        try:
            urllib.request.urlopen(address, timeout=10).close()
            return True
        except urllib.error.HTTPError as error:
            raise Refusal(f"The site started, but its first page answers {error.code}; see above.") from None
        except OSError:
            if supervisor.wait(0.25):
                return False
    raise Refusal(f"The site did not answer within {START_SECONDS} seconds; see above.")


def announce(supervisor: Supervisor, address: str, data_dir: Path, remarks: list[str]) -> None:
    supervisor.say("")
    supervisor.say(f"Arboretum is at  {address}")
    supervisor.say(f"Its data are in  {data_dir}")
    for line in remarks:
        supervisor.say(line)
    supervisor.say("Ctrl-C stops it.")
    supervisor.say("")


if __name__ == "__main__":
    sys.exit(main())
