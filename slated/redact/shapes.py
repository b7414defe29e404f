"""What secrets and personal data look like in plain text: patterns in, spans out, in time linear in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from slated.redact.values import is_card, is_iban, is_phone, looks_random, may_be_secret


class Span(NamedTuple):
    """A stretch of the text that must not be stored, and what it is in one word."""

    start: int
    end: int
    label: str


# A token may follow a JSON-escaped line end or a terminal's colour code, whose last letter is no part of it.
_EDGE = (
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m)|(?<=;[0-9]{2}m))"
)

# Each starts with a literal and never retries inside a run it has eaten, which keeps hostile text linear.
_TOKENS = re.compile(
    r"""
    (?:AKIA|ASIA)[A-Z0-9]{16,}
  | gh[pousr]_[A-Za-z0-9]{36,255}
  | github_pat_[A-Za-z0-9_]{22,}
  | glpat-[A-Za-z0-9_-]{20,}
  | AIza[A-Za-z0-9_-]{35,}
  | xox[baprse]-[A-Za-z0-9-]{10,}
  | xapp-[A-Za-z0-9-]{20,}
  | [sr]k_(?:live|test)_[A-Za-z0-9]{16,}
  | whsec_[A-Za-z0-9+/=]{24,}
  | npm_[A-Za-z0-9]{36,}
  | pypi-AgE[A-Za-z0-9_-]{50,}
  | dop_v1_[0-9a-f]{64}
  | AGE-SECRET-KEY-1[0-9A-Z]{50,}
  | hf_[A-Za-z0-9]{30,}
    """,
    re.ASCII | re.VERBOSE,
)
_GUARDED = re.compile(
    _EDGE
    + r"""(?:
    sk-(?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_-]{20,}
  | eyJ[A-Za-z0-9_-]{5,}\.eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}
  | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}
    )""",
    re.ASCII | re.VERBOSE,
)

_NAME = (
    r"(?:passw(?:or)?d|passphrase|passcode|pwd|secrets?|token|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|secret[_-]?key|auth[_-]?key|signing[_-]?key|encryption[_-]?key"
    r"|credentials?|database[_-]?url|account[_-]?key)"
)
SECRET_NAME = re.compile(rf"{_NAME}\Z", re.IGNORECASE | re.ASCII)

# name, closing quote, separator, opening quote; the value is cut out by hand from where this ends.
_ASSIGNED = re.compile(
    rf"{_NAME}(?P<close>\\{{0,4}}+[\"'])?[ \t]{{0,4}}+(?P<sep>:=|=>|[:=])[ \t]{{0,4}}+"
    r"(?P<open>[bru]?\\{0,4}[\"'`])?(?=[^\s,;])",
    re.IGNORECASE | re.ASCII,
)
_OPTION = re.compile(rf"{_NAME}[ \t]{{1,8}}(?P<open>[\"'])?(?=[^-\s])", re.IGNORECASE | re.ASCII)
_DASHES = re.compile(r"(?<![A-Za-z0-9-])--[A-Za-z-]{0,32}\Z")
_PAIR = re.compile(
    r"\\{0,4}[\"']?\b(?:key|name|field|label|id)\\{0,4}[\"']?\s{0,4}[:=]\s{0,4}\\{0,4}[\"']?"
    rf"[A-Za-z0-9_.-]{{0,64}}?{_NAME}\\{{0,4}}[\"']?\s{{0,4}}[,;\n]\s{{0,40}}"
    r"\\{0,4}[\"']?(?:value|val|content)\\{0,4}[\"']?\s{0,4}[:=]\s{0,4}(?P<open>\\{0,4}[\"'])?",
    re.IGNORECASE | re.ASCII,
)
_QUOTED = re.compile(r"[^\"'`\\\s]++")
_QUOTED_ESCAPED = re.compile(r"(?:[^\"'`\\\s]|\\[^\"'nrt\s])++")
_BARE = re.compile(r"[^\s\"'`,;&<>\\#]++")

# A value is judged by its head, however long it is.
_JUDGED = 256
_ASKED = 32

_HEADER = re.compile(
    r"(?:authorization\\{0,4}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,4}[\"']?[ \t]{0,4}"
    r"(?:basic|bearer|token|digest|negotiate|apikey)|(?<![A-Za-z])bearer)[ \t]{1,4}",
    re.IGNORECASE | re.ASCII,
)
_COOKIE = re.compile(
    r"(?:set-)?cookie[ \t]{0,4}:[ \t]{0,4}(?=[^\s=]{1,64}=)", re.IGNORECASE | re.ASCII
)
_COOKIE_VALUE = re.compile(r"=([^;\s\"'=]{16,8192})", re.ASCII)
_HEADER_VALUE = re.compile(r"[A-Za-z0-9+/=._~-]{8,}", re.ASCII)

_URL_LOGIN = re.compile(r"://([^\s:@/\"'<>\\]{0,256}):([^\s/\"'<>\\?#]{1,1024})@", re.ASCII)
_URL_TOKEN = re.compile(r"://([^\s:@/\"'<>\\]{20,512})(?::[^\s@/\"'<>\\]{0,16})?@", re.ASCII)
_URL_QUERY = re.compile(
    r"[?&;](?:[a-z_-]{0,24}(?:token|key|secret|password|passwd|pwd|signature)|sig|auth|code)="
    r"([^\s&#\"'<>\\]{8,8192})",
    re.IGNORECASE | re.ASCII,
)
_CURL_LOGIN = re.compile(r"[ \t](?:-u|--user)[ =][\"']?[^\s:\"']{1,64}:([^\s\"']{4,512})", re.ASCII)

_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\{1,4}[nrt]|[A-Za-z-]{3,12}: ?)*+")
_KEY_RUN = re.compile(r"[A-Za-z0-9+/]{16}")
_KEY_LINES_BEFORE_END = re.compile(
    r"(?:(?:[A-Za-z0-9+/=]{16,}|=[A-Za-z0-9+/]{4})(?:\s|\\{1,4}[nr])+)+\Z"
)

_NUMBER = re.compile(r"[0-9]{2}")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?!git@)[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}"
    r"(?![A-Za-z0-9_-])"
)
_PHONE = re.compile(
    r"(?<![\w+./-])(?:\+[1-9]\d{0,2}(?:[ .-]?\(?\d{1,4}\)?){2,6}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\w./-])",
    re.ASCII,
)
_SSN = re.compile(r"(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])", re.ASCII)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
_CARD = re.compile(r"(?<![\w.+-])[2-6]\d{3}(?:[ -]?\d){9,15}(?![\w.-])", re.ASCII)


def secrets(text: str) -> Iterator[Span]:
    """Every stretch that has the shape of a secret, in no order, possibly overlapping."""
    for pattern in (_TOKENS, _GUARDED):
        for match in pattern.finditer(text):
            yield Span(match.start(), match.end(), "secret")
    # Most texts lack what most patterns cannot do without; asking first is what keeps a Seed cheap.
    low = text.lower()
    if "private key" in low:
        yield from _private_keys(text)
    if ":" in low or "=" in low or "--" in low:
        yield from _assignments(text)
    if "authorization" in low or "bearer" in low or "cookie" in low:
        yield from _headers(text)
    if "://" in low or "=" in low or "-u" in low:
        yield from _urls(text)


def personal(text: str) -> Iterator[Span]:
    """Personal data whose shape can be checked: mail, telephone, IBAN, card and social security numbers."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield Span(match.start(), match.end(), "email")
    if not _NUMBER.search(text):
        return
    for label, pattern, check in (
        ("phone", _PHONE, is_phone),
        ("ssn", _SSN, None),
        ("iban", _IBAN, is_iban),
        ("card", _CARD, is_card),
    ):
        for match in pattern.finditer(text):
            if check is None or check(match[0]):
                yield Span(match.start(), match.end(), label)


def _private_keys(text: str) -> Iterator[Span]:
    begins = [match.span() for match in _KEY_BEGIN.finditer(text)]
    ends = [match.end() for match in _KEY_END.finditer(text)]
    done = 0
    for (start, head_end), (following, _) in zip(
        begins, [*begins[1:], (len(text), len(text))], strict=False
    ):
        if start < done:
            continue
        place = bisect_right(ends, head_end)
        if place < len(ends) and ends[place] <= following:
            done = ends[place]
        else:
            # Cut before its end line: everything that can still be its body goes.
            body = _KEY_BODY.match(text, head_end, following)
            done = body.end() if body else head_end
        if _KEY_RUN.search(text, head_end, done):
            yield Span(start, done, "private key")
    first = _KEY_END.search(text)
    if first and not _KEY_BEGIN.search(text, 0, first.start()):
        # The head of the block is missing (a cut stream): its body stands right before the end line.
        lines = _KEY_LINES_BEFORE_END.search(text, max(0, first.start() - 16384), first.start())
        if lines:
            yield Span(lines.start(), first.end(), "private key")


def _assignments(text: str) -> Iterator[Span]:
    run = _Run(text)
    for match in _ASSIGNED.finditer(text):
        end = run.end(match.end(), match["open"])
        if end and may_be_secret(text, match, text[match.end() : min(end, match.end() + _JUDGED)]):
            yield Span(match.end(), end, "secret")
    for pattern in (_OPTION, _PAIR):
        for match in pattern.finditer(text):
            if pattern is _OPTION and not _DASHES.search(
                text, max(0, match.start() - 40), match.start()
            ):
                continue
            end = run.end(match.end(), match["open"])
            if end and looks_random(text[match.end() : min(end, match.end() + _JUDGED)]):
                yield Span(match.end(), end, "secret")


class _Run:
    """Where a value ends; 0 for a value deep inside a run of which 32 values were judged already.

    A run is read once, however many values begin in it, which keeps `password=password=…` linear.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[re.Pattern[str], tuple[int, int, int]] = {}

    def end(self, start: int, opening: str | None) -> int:
        if opening is None:
            pattern = _BARE
        elif "\\" in opening:
            pattern = _QUOTED
        else:
            pattern = _QUOTED_ESCAPED
        first, last, asked = self._known.get(pattern, (0, 0, 0))
        if not first <= start < last:
            match = pattern.match(self._text, start)
            first, last, asked = start, match.end() if match else start, 0
        self._known[pattern] = (first, last, asked + 1)
        return last if asked < _ASKED else 0


def _headers(text: str) -> Iterator[Span]:
    for match in _HEADER.finditer(text):
        value = _HEADER_VALUE.match(text, match.end())
        # Without the header's name before it, "bearer" is a word of English as well.
        alone = match[0][:1] in "bB"
        if value and looks_random(value[0], words=alone):
            yield Span(value.start(), value.end(), "secret")
    done = 0
    for match in _COOKIE.finditer(text):
        if match.start() < done:
            continue
        end = text.find("\n", match.end())
        done = end if end >= 0 else len(text)
        for value in _COOKIE_VALUE.finditer(text, match.end(), done):
            if looks_random(value[1]):
                yield Span(value.start(1), value.end(1), "secret")


def _urls(text: str) -> Iterator[Span]:
    for pattern, group in ((_URL_LOGIN, 2), (_URL_TOKEN, 1), (_URL_QUERY, 1), (_CURL_LOGIN, 1)):
        loose = pattern is _URL_LOGIN
        for match in pattern.finditer(text):
            if looks_random(match[group], words=not loose, short=loose):
                yield Span(match.start(group), match.end(group), "secret")
