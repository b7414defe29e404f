"""Effects of programs that only read, from their row in the table."""

from __future__ import annotations

from slated.policy.effects import Ask, Call, Deed, Effect, Note, Touch
from slated.policy.options import Parsed, parse
from slated.policy.readers_table import Reader
from slated.policy.words import Feed, plain

ONLY_READS = Note("program.reads", "it only reads")


def effects(call: Call, reader: Reader) -> list[Effect]:
    """What a reading program does with these words."""
    parsed = parse(call.words, reader.syntax)
    found: list[Effect] = [ONLY_READS]
    if "@" in reader.asks and any(word.head.startswith("@") for word in call.words):
        found.append(Ask("option.harmful", reader.asks["@"]))
    for name, reason in reader.asks.items():
        if parsed.has(name):
            found.append(Ask("option.harmful", f"{shown(name)}: {reason}"))
    if reader.careful and parsed.unclear:
        word = parsed.unclear[0].shown
        found.append(
            Ask("option.unclear", f"{word} may turn out to be an option that does more than read")
        )
    for deed, names in ((Deed.WRITE, reader.writes), (Deed.READ, reader.reads)):
        found += [Touch(deed, value) for value in parsed.all(*(n for n in names if n)) if value]
    return found + operands(call, reader, parsed)


def shown(name: str) -> str:
    return name if name.startswith("--") else f"-{name}"


def operands(call: Call, reader: Reader, parsed: Parsed) -> list[Effect]:
    """What happens to the operands."""
    skipped = 0 if parsed.has(*reader.skip_unless) else reader.skip
    paths = parsed.operands[skipped:]
    if reader.deed is None:
        return []
    recursive = "" in reader.recursive or parsed.has(*(n for n in reader.recursive if n))
    found: list[Effect] = []
    for index, word in enumerate(paths):
        if index < reader.at_most:
            found.append(Touch(reader.deed, word, recursive))
        elif "" in reader.writes:
            found.append(Touch(Deed.WRITE, word))
        else:
            found.append(Ask("operand.unknown", f"what {word.shown} does here is not known"))
    if (
        recursive
        and not paths
        and reader.deed is Deed.READ
        and call.command.stdin.feed is Feed.INHERITED
    ):
        found.append(Touch(Deed.READ, plain("."), recursive=True))
    return found
