"""Two servers that differ only in a secret answer the same requests with the same bytes, headers included.

The same script of requests is played on worlds that differ in gold and in one sealed surprise set, or in how
far scoring is; `test_twin_servers.py` compares processes. The clock and the source of random numbers are the
same; all else is the real code. What participants and visitors receive before release, with mails, must be
the same to the byte. A world that differs in something public, and moments after release, show that the test
can fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from sharedtask.competition.models import Task
from sharedtask.submissions import score
from sharedtask.submissions.models import Run, Score
from sharedtask.work import dispatch, targets
from sharedtask.work.dispatch import Key
from sharedtask.work.targets import Target
from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.crawl import Answer, answer_of, ask, crawl, guesses
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.worlds import (
    SEALED,
    START,
    SURPRISE,
    TEST_CLOSES,
    TEST_OPENS,
    Seed,
    Time,
    Variant,
    World,
    archive,
    build,
    known_to_the_tester,
    standing_clock,
    tree,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
OUTSIDERS = ("visitor", "member", "rival")
SECOND = timedelta(seconds=1)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    # How long scoring took is shown where scores are, and depends on the load of the machine.
    monkeypatch.setattr(score, "time", SimpleNamespace(monotonic=lambda: 0.0))
    with standing_clock(monkeypatch) as time:
        yield time


@pytest.fixture
def seed(monkeypatch: pytest.MonkeyPatch) -> Seed:
    return Seed(monkeypatch)


@dataclass(frozen=True, kw_only=True)
class Transcript:
    before: dict[str, bytes]
    """Until a second before the surprise set is revealed."""
    after: dict[str, bytes]


Script = Callable[["Play", Time, Callable[[], None]], None]


class Play:
    """One world, and everything that was received from it, step by step."""

    def __init__(self, world: World, time: Time, seed: Seed) -> None:
        self.world, self.time, self.seed = world, time, seed
        self.received: dict[str, bytes] = {}

    def note(self, label: str, answer: Answer) -> None:
        assert label not in self.received
        assert answer.status < 500, label
        self.received[label] = answer.everything

    def upload(self, name: str, phase: str, content: bytes) -> None:
        label = f"{self.time.now:%m-%d %H:%M:%S} {name} uploads number {len(self.received)}"
        self.seed.sow(label)
        file = SimpleUploadedFile("run.zip", content)
        posted = self.world.client(name).post("/tasks/mini/upload/", {"phase": phase, "archive": file})
        self.note(label, answer_of(posted))

    def look(self, name: str, *beginnings: str) -> None:
        """All that can be reached from there, for one who is no organiser, and how each run is followed."""
        moment = f"{self.time.now:%m-%d %H:%M:%S} at {len(self.received)} {name}"
        self.seed.sow(moment)
        client = self.world.client(name)
        # The servers that differ (test_twin_servers.py) are asked with more values of each parameter.
        for url, answer in crawl(client, ["/", *beginnings], values=1).items():
            self.note(f"{moment} {url}", answer)
        for run in Run.objects.order_by("pk"):
            url = f"/runs/{run.public_id}/state/?version=checked-2-2"
            self.note(f"{moment} {url} with htmx", ask(client, url, headers={"HX-Request": "true"}))

    def look_everywhere(self) -> None:
        """All that can be reached or guessed, by pages and by mail."""
        known = known_to_the_tester(self.world.task)
        # Alarms and messages may depend on gold, so that their ids do, and nobody outside knows those. No set
        # has a second sentence.
        known |= {"alarms": [], "messages": [], "standings": [], "sentences": ["1"]}
        guessed = [url for url in guesses(known) if not url.startswith("/account/")]
        for name in OUTSIDERS:
            self.look(name, "/tasks/mini/leaderboard/?phase=test", *guessed)
        letters = [letter for letter in mail.outbox if "organiser@example.org" not in letter.to]
        for number, letter in enumerate(letters):
            result = f"{letter.to} {letter.subject}\n{letter.body}\n{letter.extra_headers}"
            self.received[f"mail {number}"] = result.encode()


def the_test_opens(scene: Play, time: Time, work: Callable[[], None]) -> None:
    scene.upload("member", "dev", archive("de_dev", lemma="public"))
    work()
    time.move(TEST_OPENS)
    scene.upload("member", "test", archive("de_one en_two", lemma="right"))
    scene.look("member")


def before_release(scene: Play, time: Time, work: Callable[[], None]) -> None:
    the_test_opens(scene, time, work)
    work()
    time.move(TEST_OPENS + timedelta(hours=1))
    scene.upload("member", "test", archive(f"de_one {SEALED}", lemma="names-the-sealed-set"))
    scene.upload("rival", "test", archive("de_one nonsense", lemma="names-nonsense"))
    scene.upload("rival", "test", archive("de_one en_two", lemma="wrong", broken="en_two", head=1))
    scene.upload("member", "test", archive("fi_late", lemma="names-what-is-not-out"))
    work()
    time.move(SURPRISE - SECOND)
    scene.look_everywhere()


def after_release(scene: Play, time: Time) -> None:
    time.move(SURPRISE)
    scene.note("surprise", ask(scene.world.client("visitor"), "/tasks/mini/"))
    time.move(TEST_CLOSES)
    Task.objects.update(results_published_at=TEST_CLOSES)
    for run in Run.objects.order_by("pk"):
        scene.note(f"published {run}", ask(scene.world.client("member"), run.get_absolute_url()))


@pytest.fixture
def play(
    monkeypatch: pytest.MonkeyPatch,
    time: Time,
    seed: Seed,
    settings: Any,
    tmp_path: Path,
    dispatched: list[Sent],
    work: Callable[[], None],
) -> Callable[..., Transcript]:
    """Play the script on an empty database and an empty disk, and give back all that was received."""

    def play(variant: Variant, script: Script = before_release) -> Transcript:
        call_command("flush", verbosity=0, interactive=False, inhibit_post_migrate=True)
        settings.DATA_DIR = tmp_path / f"world-{len(list(tmp_path.iterdir()))}"
        dispatched.clear()
        mail.outbox.clear()
        time.move(START)
        seed.sow("building")
        scene = Play(build(variant, seed.sow), time, seed)

        def send(target: Target, keys: Sequence[Key]) -> None:
            if target == targets.SCORE_FILES and not variant.scoring_runs and time.now >= TEST_OPENS:
                return
            dispatched.append((target, list(keys)))

        monkeypatch.setattr(dispatch, "send", send)

        def work_in_the_background() -> None:
            seed.sow(f"work {time.now} {len(scene.received)}")
            work()
            blind = Score.objects.filter(file__run__phase__code="test")
            scored = blind.filter(state=Score.State.SCORED).exists()
            assert scored is (blind.exists() and variant.scoring_runs and not variant.gold_cannot_be_scored)

        script(scene, time, work_in_the_background)
        before = dict(scene.received)
        after_release(scene, time)
        after = {label: answer for label, answer in scene.received.items() if label not in before}
        return Transcript(before=before, after=after)

    return play


SECRETS = {
    "other gold, which cannot be scored, and no sealed set": Variant(
        gold="anothergold", gold_cannot_be_scored=True, sealed_set=False
    ),
    "scoring that has not begun": Variant(scoring_runs=False),
}
PUBLIC = Variant(text={"de_one": "Birken wachsen schnell"})


def test_what_is_received_does_not_depend_on_what_is_secret(play: Callable[..., Transcript]) -> None:
    base = play(Variant())
    assert len(base.before) > 100
    assert any(label.startswith("mail ") for label in base.before)
    assert any("/standings/" in label and b"signature" in answer for label, answer in base.before.items())
    for name, variant in SECRETS.items():
        other = play(variant)
        assert list(other.before) == list(base.before), f"{name}: other addresses can be reached"
        for label, answer in base.before.items():
            assert other.before[label] == answer, f"{name}: {label}"
        assert other.after != base.after, f"{name}: even after release there is no difference"
    public = play(PUBLIC, the_test_opens).before
    assert any(base.before[label] != answer for label, answer in public.items())


def test_an_upload_that_names_the_sealed_set_is_answered_like_one_that_names_nonsense(
    time: Time, seed: Seed, dispatched: Any, work: Callable[[], None]
) -> None:
    world = build(Variant())
    time.move(TEST_OPENS)
    pages = {}
    nonsense = "y" * len(SEALED)
    for code in (SEALED, nonsense):
        client = world.client("member")
        for step in ("post", "work", "page"):
            seed.sow(step)
            if step == "post":
                content = zip_of({f"{code}.conllu": tree("Some other words"), "de_one.conllu": "short"})
                file = SimpleUploadedFile("run.zip", content)
                where = client.post("/tasks/mini/upload/", {"phase": "test", "archive": file})["Location"]
            elif step == "work":
                work()
            else:
                answer = ask(client, where).everything
        run = Run.objects.get(public_id=where.split("/")[-2])
        for item, blank in ((run.sha256, "HASH"), (code, "CODE"), (f"<dd>{run.number} <", "<dd>N <")):
            answer = answer.replace(item.encode(), blank.encode())
        assert run.state == "refused"
        pages[code] = answer.replace(f"Run {run.number} ".encode(), b"Run N ")
        run.files.all().delete()
        run.delete()
    assert pages[SEALED] == pages[nonsense]
    assert b"unknown-test-set" in pages[SEALED]
