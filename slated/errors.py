"""The five kinds of failure, told apart by whose fault they are. Nothing here knows where they are raised."""

from __future__ import annotations


class SlateError(Exception):
    """Root of every failure an agent may read.

    `code` is stable (`stale.window_gone`), `message` says what is so, `next_step` what to do about it.
    """

    kind = "bug"

    def __init__(self, reason: str, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.code = f"{self.kind}.{reason}"
        self.message = message
        self.next_step = next_step


class BadRequest(SlateError, ValueError):
    """The caller's words make no sense; nothing was looked at or sent."""

    kind = "bad_request"


class Refused(SlateError, PermissionError):
    """Policy, a person or a lock said no."""

    kind = "refused"


class Stale(SlateError):
    """The world moved since the caller looked; nothing was sent."""

    kind = "stale"


class Unavailable(SlateError, OSError):
    """Something this needs is missing, frozen or busy: compositor, bus, protocol, disk, time."""

    kind = "unavailable"


class Bug(SlateError):
    """A fault of Slate. The log has the traceback; the caller gets its short id."""

    kind = "bug"


def sole(error: BaseException) -> BaseException:
    """The one failure inside the groups that task groups wrap around it; a group of several as it is."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
