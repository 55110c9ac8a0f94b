"""Addresses of the sentence browser."""

from __future__ import annotations

from django.urls import path

from sharedtask.analysis.pages import sentence, sentence_conllu, sentence_graphs, sentence_svg, sentences

SENTENCES = "tasks/<slug:slug>/sets/<slug:code>/sentences/"

urlpatterns = [
    path(SENTENCES, sentences, name="sentences"),
    path(SENTENCES + "<int:n>/", sentence, name="sentence"),
    path(SENTENCES + "<int:n>/trees.svg", sentence_svg, name="sentence-svg"),
    path(SENTENCES + "<int:n>/enhanced.svg", sentence_graphs, name="sentence-graphs"),
    path(SENTENCES + "<int:n>/lines.conllu", sentence_conllu, name="sentence-conllu"),
]
