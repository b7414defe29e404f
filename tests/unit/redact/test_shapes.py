"""Secret shapes in every position, the reported misses (R231–R241), and personal data."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from urllib.parse import quote

import pytest

from slated.redact import redact, redact_bytes
from tests.fakes.secret_shapes import SHAPES, key_block, run_of

POSITIONS: dict[str, Callable[[str], str]] = {
    "alone": lambda s: s,
    "in a sentence": lambda s: f"we saw {s} in the log, twice",
    "in quotes": lambda s: f"value = '{s}'",
    "in JSON": lambda s: json.dumps({"a": 1, "note": s}),
    "in JSON inside JSON": lambda s: json.dumps({"body": json.dumps({"note": f"\n{s}"})}),
    "as unicode escapes": lambda s: "".join(f"\\u{ord(one):04x}" for one in s),
    "percent-encoded": lambda s: f"https://h.example/?q={''.join(f'%{b:02X}' for b in s.encode())}",
    "in base64": lambda s: (
        f"data: {base64.b64encode(f'the value is {s} indeed'.encode()).decode()}"
    ),
    "in hexadecimal": lambda s: f"0x {f'id {s} end'.encode().hex()} .",
    "as entities": lambda s: "<a t='" + "".join(f"&#{ord(one)};" for one in s) + "'>",
    "second on its line": lambda s: f"one={SHAPES['github'](random.Random(9))} two={s}",
    "after a colour code": lambda s: f"\x1b[31m{s}\x1b[0m",
    "in markdown": lambda s: f"- **key**: `{s}`",
}


def fragments(secret: str, width: int = 12) -> set[str]:
    lines = [line for line in secret.split("\n") if "PRIVATE" not in line]
    return {line[at : at + width] for line in lines for at in range(max(1, len(line) - width))}


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_masked_in_every_position(shape: str, position: str) -> None:
    dice = random.Random(f"{shape}/{position}")
    for _ in range(5):
        secret = SHAPES[shape](dice)
        text = POSITIONS[position](secret)
        out = redact(text)
        assert "withheld]]" in out
        assert not [part for part in fragments(secret) if part in out]
        if position in ("in base64", "in hexadecimal", "percent-encoded", "as unicode escapes"):
            assert POSITIONS[position](secret)[-40:-8] not in out


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_masked_in_bytes_of_any_common_encoding(shape: str) -> None:
    secret = SHAPES[shape](random.Random(shape))
    for codec in ("utf-8", "latin-1", "utf-16-le", "utf-16-be"):
        out = redact_bytes(f"before {secret} after".encode(codec)).decode(codec)
        assert out.startswith("before [[slate: ")
        assert out.endswith("withheld]] after")


def test_r231_a_pair_before_the_secret_on_a_json_line_does_not_hide_it() -> None:
    value = run_of(random.Random(1), 36)
    for text in (
        f'{{"service":"s","operation":"Auth.register","auth_token":"{value}"}}',
        f'{{"service":"s","auth_token":"{value}"}}',
    ):
        assert redact(text) == text.replace(value, "[[slate: secret withheld]]")


def test_r232_a_private_key_is_masked_whole_in_json_and_in_plain_text() -> None:
    block = key_block(random.Random(2))
    for text in (json.dumps({"key": block}), json.dumps(json.dumps(block)), f"a\n{block}\nb"):
        out = redact(text)
        assert "BEGIN" not in out
        assert not [part for part in fragments(block) if part in out]


def test_r233_name_and_value_in_two_fields_are_one_secret() -> None:
    value = "9x@tq" + "!(C/3K"
    for text in (
        f'{{"key":"password","value":"{value}"}}',
        f"- name: DB_PASSWORD\n  value: {value}\n",
        f'{{\\"name\\":\\"api_key\\",\\"value\\":\\"{value}\\"}}',
    ):
        assert redact(text) == text.replace(value, "[[slate: secret withheld]]")


def test_r235_both_secrets_of_a_line_are_masked() -> None:
    dice = random.Random(3)
    first, second = run_of(dice, 36), run_of(dice, 36)
    assert redact(f"export A_TOKEN={first} B_TOKEN={second}") == (
        "export A_TOKEN=[[slate: secret withheld]] B_TOKEN=[[slate: secret withheld]]"
    )


def test_r237_commit_ids_hashes_and_uuids_stay_readable_unless_the_name_says_secret() -> None:
    sha1 = "3f786850e387550fdab836ed7e6dc881de23001b"
    for text in (
        f"git show {sha1}",
        f"REF={sha1}",
        f"sha256:{sha1}{sha1[:24]}",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "workspace-8e3d8fd0fb084497 at 2026-08-21T17:46:48.263Z",
        "1724262408263 and 001-2026-07-09-x and 999.1.1.1",
    ):
        assert redact(text, pii=True) == text
    assert sha1 not in redact(f"API_TOKEN={sha1}")


def test_r239_basic_headers_password_only_urls_and_pgp_blocks_are_masked() -> None:
    dice = random.Random(4)
    basic, word = run_of(dice, 20), run_of(dice, 12)
    assert basic not in redact(f"Authorization: Basic {basic}")
    assert word not in redact(f"redis://:{word}@h")
    block = key_block(dice, "PGP ").replace("KEY--", "KEY BLOCK--")
    text = "x " * 32_760 + block
    out = redact(text)
    assert not [part for part in fragments(block) if part in out]
    # A block cut before its end, or after its beginning, is no less a block.
    out = redact(block[:-120])
    assert not [part for part in fragments(block[:-120]) if part in out]
    assert block[200:260] not in redact(block[120:])


def test_r240_connection_strings_to_the_local_host_are_masked() -> None:
    word = run_of(random.Random(5), 12)
    text = f"postgres://app:{word}@127.0.0.1:5432/db"
    assert redact(text) == text.replace(word, "[[slate: secret withheld]]")


def test_r241_a_password_with_at_signs_is_masked_to_its_end() -> None:
    assert redact("jdbc:x://u:" + "p@ss:w0rd@host/db") == (
        "jdbc:x://u:[[slate: secret withheld]]@host/db"
    )


def test_defect_10_the_value_is_masked_and_not_the_same_letters_in_the_name() -> None:
    assert redact("X9F3KQ_SECRET=X9F3KQ") == "X9F3KQ_SECRET=[[slate: secret withheld]]"
    assert redact("K9_API_" + "KEY=K9_API_KE") == "K9_API_KEY=[[slate: secret withheld]]"


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password(user)",
        "token: str | None = None",
        'api_key=os.environ["OPENAI_API_KEY"]',
        "token = self.tokens[0]",
        '"password": "Password for the account"',
        "https://username:password@proxy.example/",
        "PASSWORD=$OTHER and TOKEN=${TOKEN} and SECRET=<secret>",
        "risk-assessment-and-mitigation-plan",
        "TOKEN = re.compile(r'x')",
        "the secret: be kind",
        "the JWT bearer authorization grant",
    ],
)
def test_code_references_and_placeholders_stay(text: str) -> None:
    assert redact(text) == text


def test_personal_data_is_masked_only_when_asked_for() -> None:
    text = "mail a.b@example.org, call +49 30 901820, IBAN DE89 3704 0044 0532 0130 00, card 4111 1111 1111 1111"
    assert redact(text) == text
    out = redact(text, pii=True)
    for label in ("email", "phone", "iban", "card"):
        assert f"[[slate: {label} withheld]]" in out
    assert "git@github.com:a/b" in redact("git@github.com:a/b", pii=True)
    assert redact("123-45-6789", pii=True) == "[[slate: ssn withheld]]"


def test_a_query_parameter_with_a_secret_name_is_masked() -> None:
    value = run_of(random.Random(6), 24)
    text = f"https://h.example/a?x=1&access_token={value}&y=2"
    assert redact(text) == text.replace(value, "[[slate: secret withheld]]")
    assert value not in redact(quote(text))
