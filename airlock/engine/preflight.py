"""Try to escape from an engine. In: an engine. Out: a table of attempts and what became of them."""

from __future__ import annotations

import io
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from operator import itemgetter

from .applied_limits import wrong_cgroup_limits, wrong_process_limits
from .archive import Archive, build_archive
from .attempts import EXCESSES, REFUSED, RESULTS, SMALL, Call, Excess, parse_results, syscalls
from .engine import Engine
from .errors import AirlockError, ImageNotAccepted
from .excesses import excessive_programs
from .limits import Limits
from .loop import MARGIN_BYTES, can_use_disk
from .outcome import LimitName, Outcome, Usage
from .running import Running
from .spec import RunSpec

PROBES = "localhost/arboretum/airlock-probes"
INPUT = {"input.txt": b"input\n"}
SHIM_ONLY = "There are no cgroups: the shim limits memory of each process, and nothing limits processors."
CPU_SLACK_SECONDS = 0.5
"""The kernel counts in periods of a tenth of a second, and podman's monitor is counted with the run."""
LINKS = {
    "symbolic": "a symbolic link",
    "folder": "a symbolic link",
    "regular-too": "a hard link",
    "pipe": "a named pipe",
}
ALTERED: tuple[dict[str, object], ...] = (
    {"Volumes": {"/data": {}}},
    {"Healthcheck": {"Test": ["CMD", "/control"], "Interval": 10**9}},
)


@dataclass(frozen=True, kw_only=True)
class ProbeResult:
    attempt: str
    """What was tried, in a few words."""
    contained: bool
    finding: str
    """What happened, in words."""


def preflight(engine: Engine, limits: Limits = SMALL, *, thorough: bool = False) -> Iterator[ProbeResult]:
    """Run the escape suite, one row at a time; the engine may be used if all are contained.

    A thorough one makes sure after every excess that another run is possible, not only at the end.
    """
    finding = engine.refusal or engine.description
    if not engine.facts.limits_memory and engine.refusal is None:
        finding = f"{finding}. {SHIM_ONLY}"
    yield ProbeResult(attempt="engine", contained=engine.refusal is None, finding=finding)
    if engine.refusal is not None:
        return
    probes = probe_image()
    try:
        engine.load(io.BytesIO(probes.content), probes.image_id)
        yield from _try_all(engine, limits, thorough=thorough)
    except AirlockError as error:
        yield ProbeResult(attempt="engine", contained=False, finding=str(error))
    finally:
        engine.remove_image(probes.image_id)


def _try_all(engine: Engine, limits: Limits, *, thorough: bool) -> Iterator[ProbeResult]:
    yield _try_users(engine, limits)
    yield from _try_limits(engine, limits)
    yield from _try_calls(engine, limits)
    start = _start_usage(engine, limits)
    for excess in EXCESSES:
        yield _try_excess(engine, excess, limits, start)
        if thorough:
            yield _run_control(engine, f"the next run after {excess.name}", limits)
    yield _try_large_output(engine, limits, start)
    yield _try_links(engine, limits)
    for config in ALTERED:
        yield _try_altered_image(engine, config)
    yield _try_other_run(engine, limits)


@cache
def probe_image() -> Archive:
    """All programs are marked setuid and setgid, which must not help them."""
    files = {"syscalls": syscalls(), **excessive_programs()}
    return build_archive(files, name=PROBES, command=["/control"], mode=0o6755)


@contextmanager
def _started(engine: Engine, program: str, limits: Limits) -> Iterator[Running]:
    spec = RunSpec(
        run_id=_new_id(),
        image_id=probe_image().image_id,
        inputs=INPUT,
        limits=limits,
        command=(f"/{program}",),
    )
    running = engine.start(spec)
    try:
        yield running
    finally:
        running.remove()


def _new_id() -> str:
    return f"preflight-{secrets.token_hex(6)}"


def _report(engine: Engine, program: str, limits: Limits) -> bytes:
    """What a program wrote into the file of its name."""
    with _started(engine, program, limits) as running:
        running.finish()
        return {output.name: output.stream.read() for output in running.outputs()}.get(program, b"")


def _try_limits(engine: Engine, limits: Limits) -> Iterator[ProbeResult]:
    printed = _report(engine, "limits", limits).decode(errors="replace")
    yield _judge_limits("limits of each process", wrong_process_limits(printed, limits))
    if engine.facts.limits_memory:
        printed = _report(engine, "cgroup", limits).decode(errors="replace")
        yield _judge_limits("limits of all processes", wrong_cgroup_limits(printed, limits))


def _judge_limits(attempt: str, wrong: Sequence[str]) -> ProbeResult:
    finding = (
        f"The kernel applies other limits than requested: {'; '.join(wrong)}."
        if wrong
        else "The kernel applies all of them."
    )
    return ProbeResult(attempt=attempt, contained=not wrong, finding=finding)


def _try_users(engine: Engine, limits: Limits) -> ProbeResult:
    """A user namespace is a second wall: without one nothing else is weaker."""
    # A line for each range of users: the first one in the container, the first on the host, how many.
    ranges = [tuple(map(int, line.split())) for line in _report(engine, "users", limits).splitlines()]
    if not ranges:
        return ProbeResult(attempt="user namespace", contained=False, finding="The kernel did not say.")
    is_mapped = all(inside != outside for inside, outside, _ in ranges)
    _, first, size = max(ranges, key=itemgetter(2))
    finding = (
        f"Users of the container are the {size:,} users from {first:,} on the host."
        if is_mapped
        else "None: users of the container are the same on the host. deploy/airlock.md says how to get one."
    )
    expected = engine.facts.maps_users != "never"
    return ProbeResult(attempt="user namespace", contained=is_mapped or not expected, finding=finding)


def _try_calls(engine: Engine, limits: Limits) -> Iterator[ProbeResult]:
    with _started(engine, "syscalls", limits) as running:
        outcome = running.finish()
        files = {output.name: output.stream.read() for output in running.outputs()}
    results = iter(parse_results(files.get(RESULTS, b"")))
    socket, user = next(results, -1), next(results, 0)
    worked = outcome.exit_code == 0 and socket == 3 and user != 0
    yield ProbeResult(attempt="setuid", contained=worked, finding=f"The program ran with the user id {user}.")
    for attempt, calls in REFUSED.items():
        yield _judge_calls(attempt, calls, [next(results, 0) for _ in calls])


def _judge_calls(attempt: str, calls: list[Call], results: list[int]) -> ProbeResult:
    done = [call for call, result in zip(calls, results, strict=True) if call.has_succeeded(result)]
    if not done:
        return ProbeResult(attempt=attempt, contained=True, finding=f"All {len(calls)} calls were refused.")
    words = ", ".join(f"{call.name}{call.arguments}" for call in done[:5])
    return ProbeResult(attempt=attempt, contained=False, finding=f"{len(done)} calls succeeded: {words}")


def _start_usage(engine: Engine, limits: Limits) -> Usage:
    """What starting a container takes beyond its limits: podman's monitor counts as a part of it."""
    with _started(engine, "control", limits) as running:
        usage = running.finish().usage
    # On cgroup v1 the limit of memory is that of everything which is counted.
    return replace(usage, peak_memory_bytes=0) if engine.facts.cgroup_version == 1 else usage


def _try_excess(
    engine: Engine, excess: Excess, limits: Limits, start: Usage, *, margin_bytes: int = 0
) -> ProbeResult:
    if excess.wall_seconds is not None:
        limits = replace(limits, wall_seconds=excess.wall_seconds)
    with _started(engine, excess.program, limits) as running:
        outcome = running.finish()
    limit = outcome.limit.name if outcome.limit is not None else None
    # Where the engine cannot limit memory, the kernel refuses it to a process, and nobody says so.
    is_refused = not engine.facts.limits_memory and limit is None and outcome.exit_code == 1
    is_named = limit == excess.limit or is_refused
    is_bounded = _is_bounded(outcome, limits, start, output_bytes=limits.output_bytes + margin_bytes)
    return ProbeResult(
        attempt=excess.name,
        contained=is_named and outcome.error_of == "system" and is_bounded,
        finding=f"{outcome.sentence} {_usage(outcome)}",
    )


def _try_large_output(engine: Engine, limits: Limits, start: Usage) -> ProbeResult:
    """More than would fit into memory: on disk where that is possible, else memory is the limit."""
    limits = replace(limits, output_bytes=2 * limits.memory_bytes)
    is_on_disk = can_use_disk(engine.facts)
    # Without a limit of memory, the size of the volume is the only one.
    expected: LimitName = "output bytes" if is_on_disk or not engine.facts.limits_memory else "memory"
    excess = Excess(name="large output", program="disk", limit=expected)
    margin_bytes = MARGIN_BYTES if is_on_disk else 0
    row = _try_excess(engine, excess, limits, start, margin_bytes=margin_bytes)
    return replace(row, finding=f"Stored {'on disk' if is_on_disk else 'in memory'}. {row.finding}")


def _is_bounded(outcome: Outcome, limits: Limits, start: Usage, *, output_bytes: int) -> bool:
    usage = outcome.usage
    cpu_seconds = (usage.cpu_seconds or 0) - (start.cpu_seconds or 0)
    memory = (usage.peak_memory_bytes or 0) - (start.peak_memory_bytes or 0)
    return (
        memory <= limits.memory_bytes
        and usage.output_bytes <= output_bytes
        and usage.output_files <= limits.output_files
        and cpu_seconds <= limits.cpus * (usage.wall_seconds + CPU_SLACK_SECONDS)
    )


def _usage(outcome: Outcome) -> str:
    usage = outcome.usage
    cpu = "unknown" if usage.cpu_seconds is None else f"{usage.cpu_seconds:.1f} s"
    peak = "unknown" if usage.peak_memory_bytes is None else f"{usage.peak_memory_bytes / 2**20:,.0f} MiB"
    return (
        f"({usage.wall_seconds:.1f} s; processor: {cpu}; memory: {peak}; "
        f"output: {usage.output_bytes / 2**20:,.0f} MiB in {usage.output_files:,} files)"
    )


def _run_control(engine: Engine, attempt: str, limits: Limits) -> ProbeResult:
    with _started(engine, "control", limits) as running:
        outcome = running.finish()
        files = {output.name: output.stream.read(100) for output in running.outputs()}
    contained = outcome.exit_code == 0 and files == {"mark": INPUT["input.txt"]}
    return ProbeResult(
        attempt=attempt, contained=contained, finding=f"{outcome.sentence} It wrote {len(files)} file."
    )


def _try_links(engine: Engine, limits: Limits) -> ProbeResult:
    with _started(engine, "links", limits) as running:
        running.finish()
        problems = {output.name: output.problem for output in running.outputs()}
    bad = {name: problem for name, problem in problems.items() if problem is not None}
    contained = all(bad.get(name) == problem for name, problem in LINKS.items()) and "device" not in problems
    words = ", ".join(f"{name}: {problem}" for name, problem in sorted(bad.items()))
    return ProbeResult(
        attempt="links and devices in the output", contained=contained, finding=f"Not read: {words}."
    )


def _try_altered_image(engine: Engine, config: dict[str, object]) -> ProbeResult:
    """Such an image is refused, or the engine takes nothing of it, which is verified before it starts."""
    (name,) = config
    image = build_archive(excessive_programs(), name=PROBES, command=["/control"], config=config)
    engine.load(io.BytesIO(image.content), image.image_id)
    finding = f"The engine ignored its {name}."
    try:
        engine.start(RunSpec(run_id=_new_id(), image_id=image.image_id, inputs=INPUT)).remove()
    except ImageNotAccepted as error:
        finding = str(error)
    finally:
        engine.remove_image(image.image_id)
    return ProbeResult(attempt=f"an image with {name}", contained=True, finding=finding)


def _try_other_run(engine: Engine, limits: Limits) -> ProbeResult:
    with _started(engine, "sleep", limits) as other:
        row = _run_control(engine, "data of another run", limits)
        alive = other.observe().state == "running"
    return replace(row, contained=row.contained and alive)
