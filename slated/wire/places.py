"""Where the sockets, locks and logs of a user's daemons are. Standard library only, for the front's sake."""

from __future__ import annotations

import os
import pwd
import stat

from slated.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# sockaddr_un holds 108 bytes, the last one zero; sockets of apps get names of up to this many bytes in our directory.
_PATH_LIMIT = 107
_LONGEST_NAME = 40


def runtime_directory(environ: Mapping[str, str], uid: int) -> str:
    """The directory for sockets, made if need be, with mode 0700 and owned by `uid`.

    `$XDG_RUNTIME_DIR/slate`, else `/run/user/UID/slate` (agent programs strip the environment), else
    `/tmp/slate-UID`. Raises `unavailable.runtime_directory` if it is not ours alone or its path is too long for sockets.
    """
    given = environ.get("XDG_RUNTIME_DIR", "")
    for base in (given, f"/run/user/{uid}"):
        if base.startswith("/") and _is_own(base, uid):
            return _private(os.path.join(base, "slate"), uid)
    return _private(f"/tmp/slate-{uid}", uid)  # noqa: S108 - checked below to be ours alone


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


def _is_own(path: str, uid: int) -> bool:
    try:
        return os.stat(path).st_uid == uid and os.access(path, os.W_OK | os.X_OK)
    except OSError:
        return False


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
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid:
        raise _unusable(path, "is not a directory of yours")
    if found.st_mode & 0o077:
        raise _unusable(path, "can be entered by others")
    return path


def _unusable(path: str, why: str) -> Unavailable:
    return Unavailable(
        "runtime_directory",
        f"{path} {why}.",
        next_step="set XDG_RUNTIME_DIR to a short directory with mode 0700 of your own",
    )
