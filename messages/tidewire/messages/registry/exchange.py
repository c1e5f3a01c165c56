"""One request to a registry, with limits on bytes, attempts and seconds, whatever the server does."""

from __future__ import annotations

import json
import ssl
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from http.client import HTTPException
from threading import BoundedSemaphore, Thread
from typing import NamedTuple

import urllib3
from urllib3.exceptions import HTTPError, InvalidHeader, MaxRetryError, SSLError
from urllib3.util import Retry, Timeout

from tidewire.messages.registry.settings import RegistrySettings
from tidewire.runtime.registry.errors import LOOK_AT_URL, SchemaRefusedError, SchemaUnavailableError
from tidewire.runtime.shortened import public, shortened

CONTENT_TYPE = "application/vnd.schemaregistry.v1+json"
UNANSWERED = 8
"""Maximum number of concurrent attempts, including abandoned ones that the server keeps open."""
_PIECE = 1 << 16
_FIRST_WAIT, _LONGEST_WAIT, _JITTER = 0.1, 5.0, 0.2
"""Seconds: the first and the longest wait between attempts, doubling in between, and the maximum random addition."""


class Answer(NamedTuple):
    """A response.

    Attributes:
        status: HTTP status code.
        body: the whole body.
        retry_after: seconds to wait that the registry asks for; None if it does not.
        url: the registry's URL that answered.
    """

    status: int
    body: bytes
    retry_after: float | None
    url: str


class _Failed(Exception):
    """An attempt failed and may be repeated; the text goes into the error."""


class Exchange:
    """Sends requests to the URLs of a registry, one after the other.

    Each attempt runs in its own thread, since a socket timeout does not limit a response that arrives byte by byte.
    """

    def __init__(self, settings: RegistrySettings) -> None:
        self.settings = settings
        self._headers = {
            "accept": f"{CONTENT_TYPE}, application/json",
            "accept-encoding": "identity",
            "user-agent": "tidewire",
        }
        if settings.authorization:
            self._headers["authorization"] = settings.authorization
        self._pool = urllib3.PoolManager(
            maxsize=UNANSWERED,
            cert_reqs="CERT_REQUIRED",
            ca_certs=settings.ca_file or None,
            cert_file=settings.certificate or None,
            key_file=settings.key or settings.certificate or None,
        )
        self._slots = BoundedSemaphore(UNANSWERED)
        self._first = 0  # index of the URL that answered last

    def ask(self, method: str, path: str, what: str, body: object = None) -> Answer:
        """Returns the first response that is neither 429 nor 5xx.

        Args:
            method: HTTP method; all requests to a registry are idempotent.
            path: path below the registry's URL, percent-encoded.
            what: the schema or subject, for errors.
            body: sent as JSON; None for no body.

        Raises:
            SchemaUnavailableError: there was no such response within the deadline and the number of retries.
            SchemaRefusedError: the registry redirects, or TLS fails.
        """
        settings = self.settings
        end = time.monotonic() + settings.deadline
        sent = None if body is None else json.dumps(body).encode()
        retry = Retry(
            total=settings.retries,
            allowed_methods=None,
            backoff_factor=_FIRST_WAIT,
            backoff_max=_LONGEST_WAIT,
            backoff_jitter=_JITTER,
        )
        attempts = 0
        while True:
            wait, reason = 0.0, ""
            for turn in range(len(settings.urls)):
                which = (self._first + turn) % len(settings.urls)
                url = settings.urls[which]
                left = end - time.monotonic()
                if left <= 0:
                    break
                attempts += 1
                try:
                    answer = self._attempt(method, url, path, what, sent, min(left, settings.attempt))
                except _Failed as failed:
                    reason = f"{public(url)}: {failed}"
                    continue
                if answer.status != 429 and answer.status < 500:
                    self._first = which
                    return answer
                wait = max(wait, answer.retry_after or 0.0)
                reason = f"{public(url)}: it answers {answer.status}"
            tried = "1 attempt" if attempts == 1 else f"{attempts} attempts"
            try:
                retry = retry.increment(method, path)
            except MaxRetryError:
                raise self._unavailable(what, f"{reason} ({tried})") from None
            pause = max(wait, retry.get_backoff_time())
            if time.monotonic() + pause >= end:
                asked = f"; it wants to be left alone for {wait:,.0f} s" if wait else ""
                limit = f"the deadline is {settings.deadline:g} s"
                raise self._unavailable(what, f"{reason or 'no answer'} ({tried}, {limit}{asked})")
            time.sleep(pause)

    def _unavailable(self, what: str, reason: str) -> SchemaUnavailableError:
        remedy = "Look whether the registry is up and can be reached from here, then read the messages again"
        return SchemaUnavailableError(what, ", ".join(self.settings.urls), f"no answer: {reason}. {remedy}")

    def _attempt(self, method: str, url: str, path: str, what: str, sent: bytes | None, seconds: float) -> Answer:
        if not self._slots.acquire(timeout=seconds):
            raise _Failed(f"{UNANSWERED} earlier requests have no answer yet")
        end = time.monotonic() + seconds
        result: Future[Answer] = Future()

        def run() -> None:
            try:
                result.set_result(self._one(method, url, path, what, sent, end))
            except BaseException as error:
                result.set_exception(error)
            finally:
                self._slots.release()

        try:
            Thread(target=run, name="tidewire-registry", daemon=True).start()
        except BaseException:
            self._slots.release()
            raise
        try:
            return result.result(timeout=max(0.0, end - time.monotonic()))
        except NotDone:
            raise _Failed(f"no whole answer within {seconds:.3g} s") from None

    def _one(self, method: str, url: str, path: str, what: str, sent: bytes | None, end: float) -> Answer:
        seconds = max(0.001, end - time.monotonic())
        headers = self._headers if sent is None else self._headers | {"content-type": CONTENT_TYPE}
        try:
            response = self._pool.request(
                method,
                url + path,
                body=sent,
                headers=headers,
                retries=False,
                redirect=False,
                preload_content=False,
                decode_content=False,
                timeout=Timeout(connect=seconds, read=seconds),
            )
        except SSLError as error:
            if error.args and isinstance(error.args[0], (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
                raise _Failed(f"TLS breaks off: {self._told(error)}") from None
            remedy = "Look at ca_file, certificate and key, and whether the registry speaks https"
            raise SchemaRefusedError(what, url, f"TLS fails: {self._told(error)}. {remedy}") from None
        except (HTTPError, OSError, ValueError) as error:
            raise _Failed(f"{type(error).__name__}: {self._told(error)}") from None
        try:
            status = response.status
            if 300 <= status < 400:
                detail = f"it answers {status}, which sends elsewhere, and secrets go nowhere else: give the final URL"
                raise SchemaRefusedError(what, url, detail)
            try:
                after = Retry().get_retry_after(response)
            except InvalidHeader:
                after = None
            if status == 429 or status >= 500:
                return Answer(status, b"", after, url)
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise SchemaUnavailableError(what, url, "the answer is compressed, which was not asked for")
            return Answer(status, self._body(response, what, url, end), after, url)
        finally:
            # the rest of the body is not read
            response.close()

    def _body(self, response: urllib3.BaseHTTPResponse, what: str, url: str, end: float) -> bytes:
        pieces, size = [], 0
        try:
            while piece := response.read1(_PIECE):
                size += len(piece)
                if size > self.settings.most_bytes:
                    detail = f"the answer has more than {self.settings.most_bytes:,} bytes. Is this a schema registry?"
                    raise SchemaUnavailableError(what, url, detail)
                if time.monotonic() > end:
                    raise _Failed("the answer comes too slowly")
                pieces.append(piece)
        except (HTTPError, OSError) as error:
            raise _Failed(f"the answer breaks off: {self._told(error)}") from None
        return b"".join(pieces)

    def _told(self, error: BaseException) -> str:
        """Describes an error. Errors about the response quote its content, so only their class is shown."""
        for one in (error, *error.args):
            if isinstance(one, HTTPException):
                return type(one).__name__
        return shortened(self.settings.without_secrets(str(error)))


def parsed(answer: Answer, what: str) -> object:
    """The JSON value of a response.

    Raises:
        SchemaUnavailableError: the body is not JSON.
    """
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        page = " but a page of HTML" if answer.body[:512].lstrip()[:1] == b"<" else ""
        detail = f"the answer, of {len(answer.body):,} bytes, is no JSON{page}. {LOOK_AT_URL}"
        raise SchemaUnavailableError(what, answer.url, detail) from None
