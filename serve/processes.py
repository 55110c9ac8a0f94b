"""A child process and its end. In: a command. Out: a process that never outlives its parent."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1
# Loaded before any fork: between fork and exec a child must not take locks, and loading takes some.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def stop_with_parent(signal_number: int = signal.SIGTERM) -> None:
    """Ask the kernel for this signal when the parent dies, even by SIGKILL.

    Elsewhere than on Linux this does nothing, and a killed supervisor leaves its children behind.
    """
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)


def _bind_to(parent: int, signal_number: int) -> Callable[[], None]:
    def before_exec() -> None:
        stop_with_parent(signal_number)
        # The parent may have died just before the kernel was asked.
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
    """Start a child in a process group of its own, with both outputs in one.

    Its own group keeps Ctrl-C at the terminal away from it: the supervisor decides the order of stopping.
    Call this from the main thread: the kernel takes the death of the *thread* that forked for the parent's.
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
    """Ask all to stop at once, give them time, then kill what is left of their groups."""
    for child in children:
        signal_group(child, signal.SIGTERM, leader_only=True)
    for child in children:
        try:
            child.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            # The time is one for all: whoever comes after the slowest has had it already.
            grace_seconds = 0.1
    for child in children:
        signal_group(child, signal.SIGKILL)
        child.wait()


def signal_group(child: "subprocess.Popen[str]", number: int, *, leader_only: bool = False) -> None:
    """Signal a child, or its whole group, which may live on after the child that led it."""
    try:
        if leader_only:
            child.send_signal(number)
        else:
            os.killpg(child.pid, number)
    except ProcessLookupError:
        pass
