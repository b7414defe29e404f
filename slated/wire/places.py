"""Where the sockets, locks and logs of a user's daemons are. Standard library only, for the front's sake."""

from __future__ import annotations

import os
import pwd
import stat

from slated.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

RUN_USER = "/run/user"
LAST_RESORT = "/tmp"  # noqa: S108 - what is made in it is checked to be ours alone

# sockaddr_un holds 108 bytes, the last one zero; sockets of apps get names of up to this many bytes in our directory.
_PATH_LIMIT = 107
_LONGEST_NAME = 40


def runtime_directory(environ: Mapping[str, str], uid: int) -> str:
    """The directory for sockets, made if need be, with mode 0700 and owned by `uid`.

    It is `slate` in `$XDG_RUNTIME_DIR`, else in `/run/user/UID` (agent programs strip the environment), else in
    `/tmp/slate-UID`; a directory that others may enter does not count. Raises `unavailable.runtime_directory` if
    there is none, or its path is too long for sockets.
    """
    for base in (environ.get("XDG_RUNTIME_DIR", ""), f"{RUN_USER}/{uid}"):
        if base.startswith("/") and _why_not(base, uid) is None:
            return _private(os.path.join(base, "slate"), uid)
    last_resort = _private(f"{LAST_RESORT}/slate-{uid}", uid)
    return _private(os.path.join(last_resort, "slate"), uid)


def state_directory(environ: Mapping[str, str], uid: int) -> str:
    """The directory for logs, made if need be."""
    base = environ.get("XDG_STATE_HOME", "")
    if not base.startswith("/"):
        base = os.path.join(home(environ, uid), ".local", "state")
    path = os.path.join(base, "slate")
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def home(environ: Mapping[str, str], uid: int) -> str:
    """The user's home: of the password database, since an agent's own HOME may be a sandbox."""
    try:
        return pwd.getpwuid(uid).pw_dir
    except KeyError:  # a container may run us as a number without a name
        return environ.get("HOME", "/")


def _why_not(path: str, uid: int) -> str | None:
    """What keeps a directory from being `uid`'s alone; None if nothing does."""
    try:
        found = os.lstat(path)
    except OSError as error:
        return f"cannot be used: {error.strerror}"
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid:
        return "is not a directory of yours"
    return None if stat.S_IMODE(found.st_mode) == 0o700 else "can be entered by others"


def _private(path: str, uid: int) -> str:
    if len(os.fsencode(path)) + _LONGEST_NAME > _PATH_LIMIT:
        raise _unusable(
            path, f"is too long: sockets in it would have more than {_PATH_LIMIT} bytes"
        )
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise _unusable(path, f"cannot be made: {error.strerror}") from error
    if (why := _why_not(path, uid)) is not None:
        raise _unusable(path, why)
    return path


def _unusable(path: str, why: str) -> Unavailable:
    return Unavailable(
        "runtime_directory",
        f"{path} {why}.",
        next_step="set XDG_RUNTIME_DIR to a short directory with mode 0700 of your own",
    )
