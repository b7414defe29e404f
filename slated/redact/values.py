"""Judges one candidate value: does it look like a secret, a reference to one, a placeholder, or plain words?"""

from __future__ import annotations

import re
import string

_LETTER = re.compile(r"[A-Za-z]")
_DIGIT = re.compile(r"[0-9]")
_SYMBOL = re.compile(r"[^A-Za-z0-9_.\-/:]")
_SEAM = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
# Words, versions and paths: letters with short numbers between the usual joints.
_WORDY = re.compile(r"[A-Za-z]*\d{0,6}(?:[-_./:@][A-Za-z]*\d{0,6})*+[.,:;!?)\]]*", re.ASCII)
_REFERENCE = re.compile(
    r"[$%@{<(\[*&|~\\]|\.\.|https?://|file:|(?:none|null|nil|true|false|undefined|todo|x+|\*+|-+)\Z",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z_][\w.]*(?:\(|\[|\{|->|\)|$)", re.ASCII)
_CALL = re.compile(r"[A-Za-z_][\w.]*(?:\(|\[)", re.ASCII)
_PLACEHOLDER = re.compile(
    r"(?:your|my|the|some|an?|new|old|test|example|sample|dummy|fake|change|insert)?[-_ ]?"
    r"(?:user(?:name)?|pass(?:w(?:or)?d|phrase|code)?|pwd?|pw|secret|token|key|api[-_]?key|me|here|foo|bar"
    r"|value|string|xxx+)s?[-_]?(?:here|me)?[0-9]?",
    re.IGNORECASE,
)
_UPPER = string.ascii_uppercase + string.digits + "_"


def looks_random(value: str, *, words: bool = True, short: bool = False) -> bool:
    """Whether the value is more than words, a reference or a placeholder.

    `words=False` also takes runs of plain letters (a place where only a secret can stand); `short` takes
    anything from one character on.
    """
    if not short and len(value) < 6:
        return False
    if _REFERENCE.match(value) or _PLACEHOLDER.fullmatch(value):
        return False
    if not words:
        return True
    if not _LETTER.search(value) or not (_DIGIT.search(value) or _SYMBOL.search(value)):
        return False
    if len(value) >= 20 and len(_SEAM.findall(value)) >= 3:
        return True
    return len(value) >= 8 and not _WORDY.fullmatch(value)


def may_be_secret(text: str, match: re.Match[str], value: str) -> bool:
    """Whether `value`, assigned to the secret-sounding name that `match` ends on, is a secret."""
    if len(value) < 6 or _REFERENCE.match(value):
        return False
    name_end = match.start("sep")
    name = match[0][: name_end - match.start()]
    tight = match["sep"] == "=" and not match["close"] and not text[name_end + 1].isspace()
    if tight and name.isupper() and _is_variable(text, match.start()):
        return not _PLACEHOLDER.fullmatch(value) and not _CALL.match(value)
    if not _DIGIT.search(value) or not looks_random(value):
        return False
    if match["open"]:
        return True
    if "." in value or "(" in value:
        return not _code(value)
    return not _code(value) or len(_SEAM.findall(value)) >= 3


def _is_variable(text: str, at: int) -> bool:
    """Whether the name that goes on at `at` is a variable's: upper case back to a space, quote or bracket."""
    head = text[max(0, at - 96) : at].rstrip(_UPPER)
    return not head or head[-1] in " \t\n\r;&|(\"'`"


def _code(value: str) -> bool:
    """A name, an attribute path, or the head of a call or of an index."""
    return _CODE.match(value) is not None


def is_phone(text: str) -> bool:
    """9 to 15 digits."""
    return 9 <= len(_DIGIT.findall(text)) <= 15


def is_iban(text: str) -> bool:
    """The check digits of ISO 13616 are right."""
    packed = text.replace(" ", "")
    turned = packed[4:] + packed[:4]
    return 15 <= len(packed) <= 34 and int("".join(str(int(one, 36)) for one in turned)) % 97 == 1


def is_card(text: str) -> bool:
    """13 to 19 digits with a right Luhn sum, starting as card numbers do."""
    digits = [int(one) for one in text if one.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    doubled = [sum(divmod(one * 2, 10)) for one in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
