"""The hook that agent programs start: a byte pipe from its standard input to slated, and slated's answer back.

Run as `python -I -S hook.py PROGRAM SOCKET`. It imports `sys` and `_socket` only, since it runs before every tool call.
On any doubt it ends with code 2 and a reason on stderr, which both agent programs take for a no; what it prints is
a whole answer in one write or nothing.
"""

import _socket
import sys

VERSION = (
    "0.1.0"  # slated's, held by a test; importing it would cost as much as everything else here
)
# A question waits 45 s for a person. Longer than that, shorter than the limit the hook is registered with.
DEADLINE_S = 55.0
HELLO = b'{"slate":1,"version":"%s","argv":["hook"]}\n'
# As slated writes them (held by a test): whole lines, told apart without a JSON parser.
REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"hook","params":{"program":"%s","event":%s}}\n'
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":'
NOTHING = b"null"
REFUSED = b'"refused":'
LIMIT = 1 << 20


def main() -> int:
    """The exit code: 0 after slated's answer, 2 for a no of our own."""
    try:
        program, socket = sys.argv[1:3]
        with open(0, "rb", closefd=False) as given:
            event = given.read(LIMIT + 1)
        if not event.strip() or len(event) > LIMIT:
            return no("the event is empty or too long")
        request = REQUEST % (program.encode(), event.replace(b"\n", b" "))
        answer = quick(socket, request)
        if answer is None:
            answer = line(started(socket), request)
    except Exception as error:  # noqa: BLE001 - whatever it is, the answer is no
        return no(f"{type(error).__name__}: {error}")
    if not answer.startswith(ANSWER) or not answer.endswith(b"}"):
        return no("slated did not take this event")
    said = answer[len(ANSWER) : -1]
    if said == NOTHING:
        return 0
    # One write of the whole; after exit code 2 nothing that was printed counts.
    with open(1, "wb", buffering=0, closefd=False) as out:
        return 0 if out.write(said + b"\n") == len(said) + 1 else 2


def no(why: str) -> int:
    """Say why nothing may run."""
    sys.stderr.write(f"slate: nothing was done, for slated could not be asked ({why}).\n")
    return 2


def quick(path: str, request: bytes) -> "bytes | None":
    """The answer of the slated that serves there; None if none of our version does."""
    link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    link.settimeout(DEADLINE_S)
    try:
        link.connect(path)
        link.sendall(HELLO % VERSION.encode() + request)
        welcome, answer = received(link, 2)
    except (FileNotFoundError, ConnectionError):
        return None
    finally:
        link.close()
    return None if not welcome or REFUSED in welcome else answer


def started(path: str) -> "_socket.socket":
    """A greeted connection to a slated that is started for it, or takes the place of one of another version."""
    sys.path.append(__file__.rpartition("/slated/")[0])
    from slated.agents.wake import wake

    return wake(path, DEADLINE_S)


def line(link: "_socket.socket", request: bytes) -> bytes:
    """The answer over a greeted connection."""
    link.sendall(request)
    return received(link, 1)[0]


def received(link: "_socket.socket", count: int) -> "list[bytes]":
    """So many lines; those that never came whole are empty."""
    data = b""
    while data.count(b"\n") < count and len(data) <= LIMIT:
        more = link.recv(1 << 16)
        if not more:
            break
        data += more
    return [*data.split(b"\n")[:-1], *[b""] * count][:count]


if __name__ == "__main__":
    sys.exit(main())
