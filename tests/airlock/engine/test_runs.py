"""Runs on a real engine: the contract with systems, what is seen of them, how they begin and end."""

from __future__ import annotations

import hashlib
import io
import time
from dataclasses import replace
from pathlib import Path

import pytest

from airlock.engine import (
    AlreadyStarted,
    Engine,
    ImageNotAccepted,
    Observation,
    Outcome,
    Running,
    RunSpec,
    SystemFailure,
)
from airlock.engine.archive import Archive, build_archive
from tests.airlock.engine.systems import LIMITS, StartScript, spec_of


def printed(running: Running) -> list[str]:
    outcome = running.finish()
    text = outcome.log_tail.decode()
    assert outcome.exit_code == 0, text
    return text.splitlines()


def observe_until(running: Running, condition: str) -> Observation:
    """Observe until the log contains these words."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        observation = running.observe()
        if condition.encode() in observation.log_tail:
            return observation
        time.sleep(0.1)
    raise AssertionError(f"{condition!r} was never printed: {observation}")


def read_files(running: Running) -> dict[str, bytes]:
    return {output.name: output.stream.read() for output in running.outputs()}


def test_a_system_gets_both_directories_and_its_output_is_read_back(
    docker_engine: Engine, start: StartScript
) -> None:
    script = 'echo "$@" $INPUT_DIR $OUTPUT_DIR; mkdir $2/d; cat $1/texts/grc.txt > $2/d/grc.conllu'
    running = start(docker_engine, script)
    assert printed(running) == ["/input /output /input /output"]
    assert read_files(running) == {"d/grc.conllu": "λόγος\n".encode()}


def test_input_files_may_be_large_and_come_from_files(
    docker_engine: Engine, start: StartScript, tmp_path: Path
) -> None:
    large = tmp_path / "large"
    content = b"0123456789abcde\n" * 2**16
    large.write_bytes(content)
    running = start(docker_engine, "md5sum < /input/a/b; wc -c < /input/c", inputs={"a/b": large, "c": b""})
    assert printed(running) == [f"{hashlib.md5(content).hexdigest()}  -", "0"]


def test_everything_is_closed_around_a_system(docker_engine: Engine, start: StartScript) -> None:
    running = start(
        docker_engine,
        # Engines read stdout and stderr side by side: the order is known within one of them only.
        "exec 2>&1\n"
        "hostname; id -u; grep -E '^(CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; ls /sys/class/net\n"
        "for f in /tmp /output; do cp /bin/busybox $f/b && chmod 755 $f/b; $f/b true || echo $f $?; done\n"
        "touch /input/x /x /bin/x; ulimit -n; ulimit -c; df -k /tmp | tail -n 1",
        limits=replace(LIMITS, output_bytes=4 * 2**20, tmp_bytes=4 * 2**20),
    )
    lines = printed(running)
    assert lines[0] == "airlock"
    assert int(lines[1]) >= 10_000
    assert "CapBnd:\t0000000000000000" in lines
    assert "NoNewPrivs:\t1" in lines and "Seccomp:\t2" in lines
    assert "lo" in lines and "eth0" not in lines
    assert "/tmp 126" in lines and "/output 126" in lines
    assert sum("Read-only file system" in line for line in lines) == 3
    assert "4096" in lines and "0" in lines
    assert any(line.split()[1:2] == ["4096"] and line.endswith("/tmp") for line in lines)


def test_a_run_is_seen_while_it_is_running_and_can_be_stopped(
    docker_engine: Engine, start: StartScript
) -> None:
    running = start(
        docker_engine,
        "echo x > /output/a; echo y > /output/b; md5sum /bin/busybox >/dev/null; echo ready; sleep 600",
    )
    observation = observe_until(running, "ready")
    assert observation.state == "running"
    assert 0 < observation.seconds_left <= LIMITS.wall_seconds
    assert (
        observation.output_names == ("a", "b")
        and observation.output_files == 2
        and observation.output_bytes == 2 * 4096
    )
    assert observation.cpu_seconds is not None and observation.cpu_seconds > 0
    assert observation.memory_bytes is not None and 0 < observation.memory_bytes <= observation.memory_limit
    assert observation.log_bytes == len("ready\n")
    running.stop()
    outcome = running.finish()
    assert (outcome.stopped, outcome.signal, outcome.error_of) == (True, 9, None)
    assert set(read_files(running)) == {"a", "b"}
    assert running.observe().state == "ended"


def test_what_a_run_used_is_recorded(docker_engine: Engine, start: StartScript) -> None:
    outcome = start(
        docker_engine, "dd if=/dev/zero of=/output/z bs=1k count=100 2>/dev/null; sleep 0.5; echo end; exit 3"
    ).finish()
    assert (outcome.exit_code, outcome.signal, outcome.limit, outcome.error_of) == (3, None, None, "system")
    usage = outcome.usage
    assert usage.wall_seconds >= 0.3
    assert usage.output_bytes == 25 * 4096 and usage.output_files == 1
    assert usage.log_bytes == len("end\n") and outcome.log_tail == b"end\n"
    assert usage.cpu_seconds is not None and usage.cpu_seconds > 0
    assert usage.peak_memory_bytes is not None and usage.peak_memory_bytes > 100 * 1024


@pytest.mark.parametrize("exit_code", [7, 0])
def test_memory_of_a_child_process_is_the_systems_limit_as_well(
    exit_code: int, docker_engine: Engine, start: StartScript
) -> None:
    """Also if the system goes on without it and ends as if nothing had been wrong."""
    script = f"awk 'BEGIN {{ s = \"x\"; while (1) s = s s }}'; exit {exit_code}"
    outcome = start(docker_engine, script).finish()
    assert (outcome.exit_code, outcome.error_of) == (exit_code, "system")
    assert outcome.limit is not None and outcome.limit.name == "memory"


def test_a_full_tmp_is_named(docker_engine: Engine, start: StartScript) -> None:
    outcome = start(docker_engine, "dd if=/dev/zero of=/tmp/z bs=64k").finish()
    assert outcome.limit is not None and outcome.limit.name == "tmp bytes"


@pytest.mark.parametrize(
    ("kind", "command"), [("docker", "/nothing"), ("docker", "/etc"), ("podman", "/nothing")]
)
def test_a_command_that_cannot_be_started_is_an_error_of_the_system(
    kind: str, command: str, start: StartScript, request: pytest.FixtureRequest
) -> None:
    engine: Engine = request.getfixturevalue(f"{kind}_engine")
    with pytest.raises(SystemFailure, match=f"The command {command}"):
        start(engine, "", command=(command,))
    assert engine.run_ids() == set()


def test_a_run_is_started_once(docker_engine: Engine, start: StartScript, busybox: Archive) -> None:
    running = start(docker_engine, "sleep 600", run_id="twice")
    with pytest.raises(AlreadyStarted):
        docker_engine.start(spec_of(busybox, "true", run_id="twice"))
    assert running.observe().state == "running"
    again = docker_engine.find("twice")
    assert again is not None and again.limits == LIMITS


def test_only_runs_that_are_kept_remain(docker_engine: Engine, start: StartScript) -> None:
    for name in ("first", "second"):
        start(docker_engine, "sleep 600", run_id=name)
    assert docker_engine.run_ids() == {"first", "second"}
    assert docker_engine.clean(keep={"second", "other"}) == {"first"}
    assert docker_engine.run_ids() == {"second"}
    assert docker_engine.find("first") is None


def test_images_are_known_by_their_id_alone(docker_engine: Engine) -> None:
    image = build_archive({"program": b"x"}, name="localhost/arboretum/image", command=["/program"])
    with pytest.raises(ImageNotAccepted, match="does not contain"):
        docker_engine.load(io.BytesIO(image.content), f"sha256:{'0' * 64}")
    assert docker_engine.has_image(image.image_id)
    assert image.image_id in docker_engine.image_ids()
    docker_engine.remove_image(image.image_id)
    docker_engine.remove_image(image.image_id)
    assert not docker_engine.has_image(image.image_id)
    with pytest.raises(ImageNotAccepted, match="does not have"):
        docker_engine.start(RunSpec(run_id="x", image_id=image.image_id, inputs={}))


def test_an_archive_that_is_none_is_not_accepted(docker_engine: Engine) -> None:
    with pytest.raises(ImageNotAccepted):
        docker_engine.load(io.BytesIO(b"not an archive"), f"sha256:{'0' * 64}")


def test_python_sees_its_output_unbuffered(docker_engine: Engine, start: StartScript) -> None:
    lines = printed(start(docker_engine, "env", environment={"SEED": "1", "OUTPUT_DIR": "/x"}))
    assert {"PYTHONUNBUFFERED=1", "HOME=/tmp", "SEED=1", "OUTPUT_DIR=/output"} <= set(lines)


@pytest.mark.parametrize("name", ["", "../x", "/x", "a/../../x"])
def test_input_names_stay_in_the_input_directory(
    docker_engine: Engine, start: StartScript, name: str
) -> None:
    with pytest.raises(ValueError, match="below the input directory"):
        start(docker_engine, "true", inputs={name: b""})
    assert docker_engine.run_ids() == set()


def test_outcome_never_quotes_the_log(docker_engine: Engine, start: StartScript) -> None:
    outcome: Outcome = start(docker_engine, "echo CANARY; echo CANARY >&2; exit 9").finish()
    assert outcome.log_tail == b"CANARY\nCANARY\n"
    assert "CANARY" not in outcome.sentence
