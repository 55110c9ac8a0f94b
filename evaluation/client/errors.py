"""What can go wrong between the client and a site; each class has the exit code of the command line."""

from __future__ import annotations

OK, INVALID, USAGE, REFUSED, AUTHENTICATION, SERVER, TIMEOUT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130
"""Exit codes of `arboretum`; docs/command.md explains them."""


class ClientError(Exception):
    """An error with a stable id, as on the pages of the site, and a sentence that says what to do."""

    exit_code = SERVER

    def __init__(self, id: str, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.id = id
        self.message = message
        self.status = status

    def with_advice(self, advice: str) -> ClientError:
        """The same error with a further sentence."""
        return type(self)(self.id, f"{self.message} {advice}", status=self.status)

    def as_dict(self) -> dict[str, object]:
        return {"id": self.id, "message": self.message, "status": self.status or None}


class BadRequest(ClientError):
    """There is no such task or run, or an argument does not fit."""

    exit_code = USAGE


class InvalidUpload(ClientError):
    """The site cannot use what was sent."""

    exit_code = INVALID


class Refused(ClientError):
    """The site does not do it, for a reason that the user can act on: closed, quota, not confirmed."""

    exit_code = REFUSED


class NotAuthenticated(ClientError):
    """No token, or one that is wrong, expired, revoked or not allowed to do this."""

    exit_code = AUTHENTICATION


class SiteUnavailable(ClientError):
    """The site failed or cannot be reached; nothing is lost, and trying again later may help."""


class TimedOut(ClientError):
    """The run was not finished in time; it continues on the site."""

    exit_code = TIMEOUT


WRONG_ARGUMENTS = {
    "upload-without-phase",
    "upload-without-system",
    "upload-without-task",
    "upload-without-track",
}
"""Refusals about what was typed, not about what is allowed."""


def of_problem(status: int, id: str, message: str) -> ClientError:
    """The error for a response of the site."""
    kind: type[ClientError]
    if status == 401 or id in ("scope-missing", "second-factor-missing"):
        kind = NotAuthenticated
        message += (
            f" Run `{login_command(id, message)}`, or set ARBORETUM_TOKEN to a token with the right scope."
        )
    elif status >= 500:
        kind = SiteUnavailable
    elif status == 404 and id == "not-found":
        kind = BadRequest
        message = (
            "The site has nothing of this name, or you do not have access to it. `arboretum tasks` lists the "
            "tasks, `arboretum runs TASK` your runs, and `arboretum whoami` shows your account."
        )
    elif status in (400, 404, 405, 415, 422) or id in WRONG_ARGUMENTS:
        kind = BadRequest
    else:
        kind = Refused
    if id == "upload-without-team":
        message += " Register a team or join one on the site: “Take part” on the page of the task."
    return kind(id, message, status=status)


def login_command(id: str, message: str) -> str:
    """Without options, a token may read and submit."""
    if id == "second-factor-missing" or (id == "scope-missing" and "organise" in message):
        return "arboretum login --scope read --scope submit --scope organise"
    return "arboretum login"
