"""Resumable uploads over HTTP: the protocol tus 1.0 (https://tus.io/protocols/resumable-upload).

In: requests of any tus client. Out: its status codes and headers. The views translate and decide nothing;
`protocol.py` wraps them. docs/uploads.md is for authors of clients.
"""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from sharedtask.core.body_limit import content_length
from sharedtask.core.errors import Refusal
from sharedtask.uploads import responses
from sharedtask.uploads.append import TooLong, append
from sharedtask.uploads.body import body_chunks
from sharedtask.uploads.checksum import parse_checksum
from sharedtask.uploads.create import create
from sharedtask.uploads.finish import finish, stored_refusal
from sharedtask.uploads.metadata import parse_metadata
from sharedtask.uploads.models import ResumableUpload
from sharedtask.uploads.protocol import number_in_header, refuse_other_types, tus_view
from sharedtask.uploads.purposes import purpose_named
from sharedtask.uploads.remove import remove
from sharedtask.uploads.requester import user_of


def create_upload(request: HttpRequest) -> HttpResponse:
    """POST. The body may be the beginning of the upload, or the whole of it."""
    user = user_of(request)
    if "Upload-Defer-Length" in request.headers:
        raise Refusal("upload-header-invalid", "The length has to be known in advance: send Upload-Length.")
    length = number_in_header(request, "Upload-Length")
    header = request.headers.get("Upload-Metadata", "")
    metadata = parse_metadata(header)
    purpose = purpose_named(metadata.get("purpose", ""))
    purpose.authorise(request, metadata)
    upload = create(user=user, purpose=purpose, metadata_header=header, length=length)
    if content_length(request) != 0:
        receive(request, upload, offset=0)
    response = responses.state_response(upload, status=201)
    response["Location"] = upload.get_absolute_url()
    return response


def list_uploads(request: HttpRequest) -> HttpResponse:
    """GET: the unfinished uploads of this person, who can resume or cancel them."""
    rows = user_of(request).resumable_uploads.filter(state__in=ResumableUpload.OPEN)
    return responses.list_document(rows.order_by("created_at"))


def continue_upload(request: HttpRequest, public_id: str) -> HttpResponse:
    """PATCH."""
    upload = own_upload(request, public_id)
    refuse_other_types(request)
    offset = number_in_header(request, "Upload-Offset")
    if upload.state == upload.State.RECEIVING:
        purpose_named(upload.purpose).authorise(request, upload.metadata)
    refuse_finished(upload)
    receive(request, upload, offset=offset)
    return responses.state_response(upload, status=204)


def receive(request: HttpRequest, upload: ResumableUpload, *, offset: int) -> None:
    checksum = parse_checksum(request.headers.get("Upload-Checksum", ""))
    if offset + (content_length(request) or 0) > upload.length:
        raise TooLong
    append(upload, offset, body_chunks(request), checksum=checksum)
    finish_if_received(upload)


def show_offset(request: HttpRequest, public_id: str) -> HttpResponse:
    """HEAD."""
    upload = own_upload(request, public_id)
    finish_if_received(upload)
    return responses.offset_response(upload)


def show_state(request: HttpRequest, public_id: str) -> HttpResponse:
    """GET, which is not part of the protocol."""
    upload = own_upload(request, public_id)
    if upload.state == upload.State.RECEIVED:
        finish(upload)
    return responses.state_document(upload)


def cancel_upload(request: HttpRequest, public_id: str) -> HttpResponse:
    """DELETE. What has become of a finished upload stays."""
    remove(own_upload(request, public_id))
    return HttpResponse(status=204)


def own_upload(request: HttpRequest, public_id: str) -> ResumableUpload:
    upload = user_of(request).resumable_uploads.filter(public_id=public_id).first()
    if upload is None:
        raise Http404("no such upload of this person")
    return upload


def finish_if_received(upload: ResumableUpload) -> None:
    if upload.state == upload.State.RECEIVED:
        finish(upload)
    refuse_finished(upload)


def refuse_finished(upload: ResumableUpload) -> None:
    """The reason is the same whenever a client asks again."""
    if upload.state == upload.State.REFUSED:
        raise stored_refusal(upload)


uploads = tus_view({"POST": create_upload, "GET": list_uploads})
upload = tus_view({"PATCH": continue_upload, "HEAD": show_offset, "GET": show_state, "DELETE": cancel_upload})
