"""Run as a process of the site: `python -m tests.pipeline.prepare FOLDER TEAMS`.

Loads the task of the folder, makes so many teams with a member each, and prints for every team the session
with which its member is signed in.
"""

import json
import sys
from pathlib import Path

import django

django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402

from sharedtask.accounts.models import User  # noqa: E402
from sharedtask.folders.load_task import load_task  # noqa: E402
from sharedtask.teams.register import register  # noqa: E402


def sign_in(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "allauth.account.auth_backends.AuthenticationBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    assert session.session_key
    return session.session_key


task = load_task(Path(sys.argv[1]))
sessions = {}
for number in range(int(sys.argv[2])):
    name = f"Team {number:02}"
    user = User.objects.create_user(
        f"member{number:02}", email=f"member{number:02}@example.org", password="-"
    )
    register(task=task, name=name, members=[user], confirmed=True)
    sessions[name] = sign_in(user)
print(json.dumps(sessions))
