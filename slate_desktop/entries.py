"""Desktop entries: the text of a .desktop file read, and the command line it stands for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from urllib.parse import unquote, urlsplit

from slate_desktop.errors import BadRequest, Unavailable

_GROUP = "[Desktop Entry]"
_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
_DEPRECATED = "dDnNvm"
_ONE, _MANY = "fu", "FU"


@dataclass(frozen=True, slots=True)
class Entry:
    """A program as its desktop entry describes it. `id` is the file's, without `.desktop`."""

    id: str
    path: str
    name: str
    exec: str
    names: frozenset[str] = field(default_factory=frozenset)  # in every language, folded
    try_exec: str = ""
    icon: str = ""
    terminal: bool = False


def read(id_: str, path: str, text: str) -> Entry | None:
    """The entry of a file; None for what is hidden, no application or no entry at all."""
    keys = dict(_keys(text))
    if keys.get("Type", "Application") != "Application" or keys.get("Hidden") == "true":
        return None
    if "Name" not in keys:
        return None
    names = {value for key, value in keys.items() if key == "Name" or key.startswith("Name[")}
    return Entry(
        id=id_,
        path=path,
        name=keys["Name"],
        exec=keys.get("Exec", ""),
        names=frozenset(name.casefold() for name in names),
        try_exec=keys.get("TryExec", ""),
        icon=keys.get("Icon", ""),
        terminal=keys.get("Terminal") == "true",
    )


def find(entries: Mapping[str, Entry], wanted: str) -> Entry:
    """The entry with that id or that name, upper and lower case alike. BadRequest for none or
    several.
    """
    bare = wanted.removesuffix(".desktop")
    if bare in entries:
        return entries[bare]
    folded = bare.casefold()
    found = [e for e in entries.values() if e.id.casefold() == folded or folded in e.names]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(sorted(entry.id for entry in found))
        raise BadRequest(
            "ambiguous_app", "several applications have that name", next_step=f"name one: {ids}"
        )
    raise BadRequest(
        "no_app", "no application has that id or name", next_step=_near(entries, folded)
    )


def command(entry: Entry, files: Sequence[str], installed: Callable[[str], bool]) -> list[str]:
    """The argv that opens these files or URLs, or none. A terminal program runs in foot.

    It is always run by its Exec line: an activation over the bus would start it with another
    session's environment. Errors: BadRequest for files it cannot take, Unavailable for what is not
    installed or cannot be run.
    """
    if entry.try_exec and not installed(entry.try_exec):
        raise Unavailable("not_installed", f"{entry.id} is not completely installed")
    if not entry.exec:
        raise Unavailable("no_command", f"{entry.id} can only be started over the session bus")
    argv = _expanded(entry, files)
    if not argv or not argv[0]:
        raise Unavailable("no_command", f"the desktop entry of {entry.id} has no command")
    if not entry.terminal:
        return argv
    if not installed("foot"):
        raise Unavailable(
            "terminal",
            f"{entry.id} runs in a terminal, and foot is not installed",
            next_step="install foot",
        )
    return ["foot", "--", *argv]


def _keys(text: str) -> Iterator[tuple[str, str]]:
    inside = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            inside = line == _GROUP
        elif inside and "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            yield key.strip(), _unescaped(value.strip())


def _unescaped(value: str) -> str:
    out, letters = [], iter(value)
    for letter in letters:
        if letter == "\\":
            after = next(letters, "")
            out.append(_ESCAPES.get(after, "\\" + after))
        else:
            out.append(letter)
    return "".join(out)


def _near(entries: Mapping[str, Entry], folded: str) -> str:
    names = {entry.id.casefold(): entry.id for entry in entries.values()}
    names |= {name: entry.id for entry in entries.values() for name in entry.names}
    close = get_close_matches(folded, names, n=5, cutoff=0.5)
    close += [name for name in names if folded in name and name not in close][:5]
    ids = list(dict.fromkeys(names[name] for name in close))[:5]
    return f"near it: {', '.join(ids)}" if ids else "give the argv of a program instead"


def _expanded(entry: Entry, files: Sequence[str]) -> list[str]:
    words = list(_words(entry))
    takes_files = any(code in word for word, quoted in words if not quoted for code in _FILE_CODES)
    if files and not takes_files:
        words.append(("%f", False))
    argv: list[str] = []
    for word, quoted in words:
        argv += [word] if quoted else _word(entry, word, files)
    return argv


_FILE_CODES = tuple(f"%{letter}" for letter in _ONE + _MANY)


def _word(entry: Entry, word: str, files: Sequence[str]) -> list[str]:
    """One unquoted word with its field codes replaced; some stand for several words or for none."""
    if word in ("%F", "%U"):
        return [_file(entry, word[1], name) for name in files]
    if word == "%i":
        return ["--icon", entry.icon] if entry.icon else []
    if word in ("%f", "%u") and not files:
        return []
    if len(word) == 2 and word[0] == "%" and word[1] in _DEPRECATED:
        return []
    out, letters = [], iter(word)
    for letter in letters:
        out.append(_code(entry, next(letters, ""), files) if letter == "%" else letter)
    return ["".join(out)]


def _code(entry: Entry, code: str, files: Sequence[str]) -> str:
    match code:
        case "%":
            return "%"
        case "c":
            return entry.name
        case "k":
            return entry.path
        case "f" | "u" if len(files) > 1:
            raise BadRequest("one_file", f"{entry.id} takes one file at a time")
        case "f" | "u":
            return _file(entry, code, files[0]) if files else ""
        case _ if code and code in _DEPRECATED:
            return ""
        case _:
            raise Unavailable("no_command", f"the desktop entry of {entry.id} has a broken command")


def _file(entry: Entry, code: str, name: str) -> str:
    """A file as %f or %F wants it: a path; %u and %U take anything."""
    if code in "uU":
        return name
    if name.startswith("file:"):
        return unquote(urlsplit(name).path)
    if "://" in name:
        raise BadRequest("local_file", f"{entry.id} opens local files only, no URLs")
    return name


def _words(entry: Entry) -> Iterator[tuple[str, bool]]:
    """The words of an Exec line and whether they were quoted, by the entry format's own rules (no
    shell's).
    """
    word, quoted, open_ = "", False, False
    letters = iter(entry.exec)
    for letter in letters:
        if letter == '"':
            open_, quoted = not open_, True
        elif letter == "\\" and open_:
            word += next(letters, "")
        elif letter == " " and not open_:
            if word or quoted:
                yield word, quoted
            word, quoted = "", False
        else:
            word += letter
    if open_:
        raise Unavailable("no_command", f"the desktop entry of {entry.id} has a broken command")
    if word or quoted:
        yield word, quoted
