"""Messages to a broker that is down: the work is in the database, so that nobody waits for each message."""

from __future__ import annotations

from typing import Any

import pytest
from kombu.exceptions import OperationalError

from sharedtask.work import dispatch
from sharedtask.work.targets import PREPARE_GOLD


class BrokenBroker:
    def __init__(self) -> None:
        self.attempts = 0
        self.broken = True

    def send_task(self, *args: Any, **options: Any) -> None:
        self.attempts += 1
        if self.broken:
            raise OperationalError("connection refused")


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> BrokenBroker:
    broker = BrokenBroker()
    monkeypatch.setattr(dispatch, "broker", lambda: broker)
    monkeypatch.setattr(dispatch, "unreachable", dispatch.Outage())
    return broker


def test_a_broker_that_is_down_is_tried_once_for_a_burst_of_messages(broker: BrokenBroker) -> None:
    for number in range(78):
        dispatch.send(PREPARE_GOLD, [number])
    dispatch.send_later(PREPARE_GOLD, [78], 5)
    assert broker.attempts == 1


def test_a_broker_that_was_down_is_tried_again_after_a_pause(
    broker: BrokenBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(dispatch, "monotonic", lambda: now)
    dispatch.send(PREPARE_GOLD, [1])
    now += dispatch.PAUSE_SECONDS
    broker.broken = False
    dispatch.send(PREPARE_GOLD, [2])
    dispatch.send(PREPARE_GOLD, [3])
    assert broker.attempts == 3
