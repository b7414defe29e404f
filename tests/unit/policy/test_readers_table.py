"""The table of reading programs: options that write are known as options."""

from __future__ import annotations

from slated.policy.readers_table import READERS


def test_an_option_that_writes_takes_a_value() -> None:
    for name, reader in READERS.items():
        for option in (*reader.writes, *reader.reads):
            letters = len(option) != 1 or option in reader.syntax.values
            names = not option.startswith("--") or option[2:] in reader.syntax.long_values.split()
            assert letters, (name, option)
            assert names, (name, option)


def test_every_harmful_option_has_a_reason() -> None:
    assert all(reason for reader in READERS.values() for reason in reader.asks.values())
