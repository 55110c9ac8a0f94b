"""Start and stop child processes. In: a command. Out: a process that never outlives its parent."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1
# Loaded before any fork, because a child must not acquire locks between fork and exec.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def stop_with_parent(signal_number: int = signal.SIGTERM) -> None:
    """Let the kernel send this signal when the parent dies, even by SIGKILL.

    On other systems than Linux this does nothing, and a killed supervisor leaves its children running.
    """
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)


def _bind_to(parent: int, signal_number: int) -> Callable[[], None]:
    def before_exec() -> None:
        stop_with_parent(signal_number)
        # The parent may have died just before the call.
        if os.getppid() != parent:
            os._exit(1)

    return before_exec


def start(
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    output: int | IO[str] | None = None,
    keep: Sequence[int] = (),
    death_signal: int = signal.SIGKILL,
    user: int | None = None,
) -> "subprocess.Popen[str]":
    """Start a child in its own process group, with stdout and stderr combined.

    In its own group it does not receive Ctrl-C: the supervisor decides the order of stopping. Call this from
    the main thread: for the kernel, the parent dies when the *thread* that forked ends.
    """
    return subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output is not None else None,
        text=True,
        errors="replace",
        start_new_session=True,
        pass_fds=keep,
        user=user,
        extra_groups=() if user is not None else None,
        preexec_fn=_bind_to(os.getpid(), death_signal),
    )


def stop(children: Sequence["subprocess.Popen[str]"], *, grace_seconds: float) -> None:
    """Send SIGTERM to all, wait, then kill what is left of their process groups."""
    for child in children:
        signal_group(child, signal.SIGTERM, leader_only=True)
    for child in children:
        try:
            child.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            # The grace period is shared: the remaining children have already had it.
            grace_seconds = 0.1
    for child in children:
        signal_group(child, signal.SIGKILL)
        child.wait()


def signal_group(child: "subprocess.Popen[str]", number: int, *, leader_only: bool = False) -> None:
    """Signal a child or its process group, which may outlive the child."""
    try:
        if leader_only:
            child.send_signal(number)
        else:
            os.killpg(child.pid, number)
    except ProcessLookupError:
        pass
