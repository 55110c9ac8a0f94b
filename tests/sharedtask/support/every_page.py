"""Every kind of page, by who looks at it: for whoever goes through all of them. A new page gets a line here.

Names in braces are the ids of the prepared site (`scenery.addresses`). Names of pages are those of their
pictures.
"""

from __future__ import annotations

from collections.abc import Mapping

VISITOR = {
    "home": "/",
    "sign-in": "/sign-in/",
    "sign-up": "/account/new/",
    "password-forgotten": "/account/password/forgotten/",
    "not-found": "/nowhere/",
    "definitions": "/definitions/",
    "docs": "/docs/",
    "docs-page": "/docs/participants/",
    "task-folders": "/task-folders/",
    "task": "/tasks/demo/",
    "data": "/tasks/demo/data/",
    "faq": "/tasks/demo/faq/",
    "announcements": "/tasks/blind/announcements/",
    "leaderboard": "/tasks/demo/leaderboard/",
    "leaderboard-state": "/tasks/demo/leaderboard/?metric=CLAS&scope=big&sort=-Words&q=o",
    "matrix": "/tasks/demo/matrix/",
    "tables": "/tasks/demo/tables/",
    "test-sets": "/tasks/demo/sets/",
    "test-set": "/tasks/demo/sets/de_garten/",
    "sentences": "/tasks/demo/sets/de_garten/sentences/?system={run}",
    "sentence": "/tasks/demo/sets/de_garten/sentences/3/?system={run}",
    "sentence-right-to-left": "/tasks/demo/sets/ar_suq/sentences/2/?system={run}",
    "systems": "/tasks/demo/systems/",
    "system": "/tasks/demo/systems/{system}/",
    "compare": "/tasks/demo/compare/?with={run}&with={other}",
    "compare-nothing": "/tasks/demo/compare/",
    "curves": "/tasks/demo/curves/",
    "series": "/tasks/demo/curves/{series}/{series_phase}/",
    "judgements": "/tasks/demo/judgements/",
    "judgement-result": "/tasks/demo/judgements/{judged}/",
    "judged-item": "/tasks/demo/judgements/{judged}/items/{judged_item}/",
    "run-of-others": "/runs/{run}/",
    "software-guide": "/software/",
}
STRANGER = {
    "team-none": "/tasks/blind/team/",
    "team-new": "/tasks/blind/team/new/",
    "judge": "/judge/{campaign}/",
}
MEMBER = {
    "blind-task": "/tasks/blind/",
    "team": "/tasks/blind/team/",
    "upload": "/tasks/blind/upload/",
    "run": "/runs/{blind_run}/",
    "software": "/tasks/blind/team/software/",
    "execution-queued": "/executions/{queued}/",
    "execution-blind": "/executions/{running}/",
    "execution-crashed": "/executions/{crashed}/",
    "execution-live": "/executions/{live}/",
    "execution-ended": "/executions/{ended}/",
    "run-refused": "/runs/{refused}/",
    "run-lines": "/runs/{blind_run}/files/en_two/",
    "system-edit": "/tasks/blind/systems/{blind_system}/edit/",
    "team-edit": "/tasks/blind/team/edit/",
    "team-leave": "/tasks/blind/team/leave/",
    "notices": "/notices/",
    "notice-settings": "/account/notices/",
    "account": "/account/",
    "second-factor": "/account/second-factor/",
}
ORGANISER = {
    "organiser-overview": "/tasks/blind/organise/",
    "moderate-runs": "/tasks/blind/organise/runs/",
    "moderate-run": "/tasks/blind/organise/runs/{blind_run}/",
    "organise-software": "/tasks/blind/organise/software/",
    "execution-for-organisers": "/executions/{running}/",
    "execution-failed": "/executions/{failed}/",
    "registrations": "/tasks/blind/organise/teams/",
    "upload-for-team": "/tasks/blind/organise/teams/{team}/upload/",
    "campaigns": "/tasks/demo/organise/campaigns/",
    "new-campaign": "/tasks/demo/organise/campaigns/new/",
    "campaign": "/tasks/demo/organise/campaigns/{campaign}/",
    "campaign-preview": "/tasks/demo/organise/campaigns/{campaign}/items/1/",
    "calendar": "/tasks/blind/organise/calendar/",
    "settings": "/tasks/blind/organise/settings/",
    "settings-texts": "/tasks/blind/organise/settings/texts/",
    "settings-downloads": "/tasks/blind/organise/settings/downloads/",
    "settings-groups": "/tasks/blind/organise/settings/groups/",
    "settings-software": "/tasks/blind/organise/settings/software/",
    "settings-release-times": "/tasks/blind/organise/settings/release-times/",
    "settings-test-set": "/tasks/blind/organise/settings/test-sets/en_two/",
    "settings-new-phase": "/tasks/blind/organise/settings/new-phase/",
    "settings-phase": "/tasks/blind/organise/settings/phases/test/",
    "settings-phase-without-runs": "/tasks/blind/organise/settings/phases/late/",
    "settings-remove-phase": "/tasks/blind/organise/settings/phases/late/remove/",
    "announce": "/tasks/blind/organise/announce/",
    "gold": "/tasks/blind/organise/gold/",
    "profile": "/tasks/blind/organise/profile/",
    "publish": "/tasks/blind/publish/",
    "folder": "/tasks/blind/organise/folder/",
    "organisers": "/tasks/blind/organise/organisers/",
    "audit": "/tasks/blind/organise/log/",
    "visibility": "/tasks/blind/visibility/",
    "preview": "/tasks/blind/preview/",
}
BY_ROLE: Mapping[str, Mapping[str, str]] = {
    "": VISITOR,
    "juniper": STRANGER,
    "linden": MEMBER,
    "organiser": ORGANISER,
}
EXPECTED = {"not-found": 404}
"""What is not 200."""
