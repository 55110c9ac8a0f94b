"""Addresses of human judgements."""

from __future__ import annotations

from django.urls import path

from sharedtask.judgements.pages import judge, organise, results

ORGANISE = "tasks/<slug:slug>/organise/campaigns/"
ONE = f"{ORGANISE}<slug:campaign>/"
RESULTS = "tasks/<slug:slug>/judgements/"

urlpatterns = [
    path(ORGANISE, organise.campaigns, name="campaigns"),
    path(f"{ORGANISE}new/", organise.new_campaign, name="new-campaign"),
    path(ONE, organise.campaign, name="campaign"),
    path(f"{ONE}edit/", organise.edit, name="campaign-edit"),
    path(f"{ONE}draw/", organise.draw, name="campaign-draw"),
    path(f"{ONE}invite/", organise.invite, name="campaign-invite"),
    path(f"{ONE}revoke/", organise.revoke, name="campaign-revoke"),
    path(f"{ONE}reassign/", organise.reassign, name="campaign-reassign"),
    path(
        f"{ONE}annotators/<slug:annotator>/<slug:verb>/", organise.change_annotator, name="campaign-annotator"
    ),
    path(f"{ONE}items/<int:number>/", organise.preview, name="campaign-preview"),
    path(f"{ONE}items/<int:number>/tags/", organise.tag, name="campaign-tag"),
    path(f"{ONE}stage/<slug:verb>/", organise.change_stage, name="campaign-stage"),
    path(RESULTS, results.judgements, name="judgements"),
    path(f"{RESULTS}<slug:campaign>/", results.result, name="judgement-result"),
    path(f"{RESULTS}<slug:campaign>/items/<int:number>/", results.item, name="judged-item"),
    path(f"{RESULTS}<slug:campaign>/<slug:name>.<slug:ending>", results.download, name="judgement-download"),
    path("judge/join/<str:token>/", judge.join, name="judge-join"),
    path("judge/<slug:campaign>/", judge.judging, name="judge"),
    path("judge/<slug:campaign>/next/", judge.next_item, name="judge-next"),
    path("judge/<slug:campaign>/undo/", judge.undo, name="judge-undo"),
    path("judge/<slug:campaign>/<slug:assignment>/answer/", judge.answer, name="judge-answer"),
    path("judge/<slug:campaign>/<slug:assignment>/skip/", judge.skip, name="judge-skip"),
]
