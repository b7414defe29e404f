"""The documented shape of policy.toml. Every field is optional; an unknown one is an error."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

TierWord = Literal["observe", "reversible", "confirm"]
Filled = Annotated[str, Field(min_length=1)]

BARE = frozenset(
    "sh bash dash zsh ksh fish python python3 python2 node nodejs deno bun ruby perl php lua env sudo doas xargs"
    " eval exec source *".split()
)


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CommandRule(Section):
    """`[[commands]]`: commands that start with these words need at least this tier."""

    match: Filled = Field(
        description="first words of the command, separated by blanks; `*` alone matches every command"
    )
    tier: Literal["reversible", "confirm"]


class Paths(Section):
    """`[paths]`: patterns with `~` for home, `*` within a name, `**` for any depth."""

    secret: tuple[Filled, ...] = Field(
        default=(), description="reading these is a question, by every route"
    )
    delayed: tuple[Filled, ...] = Field(
        default=(), description="writing these is a question, even when undo covers it"
    )
    protected: tuple[Filled, ...] | None = Field(
        default=None,
        description="directories whose content undo covers; the home if it is not given",
    )

    @field_validator("secret", "delayed", "protected")
    @classmethod
    def rooted(cls, patterns: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Patterns must say where they start."""
        for pattern in patterns or ():
            if not pattern.startswith(("/", "~/", "**/")) and pattern != "~":
                raise ValueError(f"{pattern!r} must start with /, ~/ or **/")
        return patterns

    @field_validator("protected")
    @classmethod
    def plain(cls, directories: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """A protected directory is a place, not a pattern."""
        return None if directories is None else _plain(directories)


class Undo(Section):
    """`[undo]`: what undo leaves alone inside of the protected directories, and how long it keeps copies."""

    leave_out: tuple[Filled, ...] = Field(
        default=(), description="directories that undo neither keeps copies of nor changes"
    )
    keep_tasks: int = Field(default=30, ge=1, description="the last so many tasks can be undone")
    keep_days: int = Field(default=14, ge=1, description="for so many days")
    keep_megabytes: int = Field(
        default=20_000, ge=1, description="as long as all copies are below this"
    )
    free_megabytes: int = Field(
        default=1_000, ge=0, description="and the disk has this much room left"
    )

    @field_validator("leave_out")
    @classmethod
    def plain(cls, directories: tuple[str, ...]) -> tuple[str, ...]:
        """A place that is left out is no pattern."""
        for directory in directories:
            if not directory.startswith(("/", "~/")):
                raise ValueError(f"{directory!r} must start with / or ~/")
        return _plain(directories)


def _plain(directories: tuple[str, ...]) -> tuple[str, ...]:
    for directory in directories:
        if "*" in directory or ".." in directory.split("/"):
            raise ValueError(f"{directory!r} must be a plain directory")
    return directories


class Windows(Section):
    """`[windows]`: windows whose content is a question to look at."""

    private: tuple[Filled, ...] = Field(
        default=(), description="an app id, or `title:` and a part of the title; `*` is a wildcard"
    )


class Network(Section):
    """`[network]`: machines that may be asked for data without a question."""

    hosts: tuple[Filled, ...] = Field(
        default=(), description="a host name; `*.` in front for every name below a domain"
    )

    @field_validator("hosts")
    @classmethod
    def names(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        """Host names only: no scheme, no path, no bare wildcard."""
        for host in hosts:
            bare = host.removeprefix("*.")
            if (
                not bare
                or any(character in bare for character in "*/: @")
                or ("." not in bare and bare != "localhost")
            ):
                raise ValueError(f"{host!r} is no host name")
        return hosts


class Trust(Section):
    """`[[trust]]`: opaque programs that may run in a project without a question."""

    project: Filled = Field(description="the project's directory")
    programs: tuple[Filled, ...] = Field(
        description="first words of the commands, such as `pytest` or `npm run test`"
    )

    @field_validator("project")
    @classmethod
    def rooted(cls, project: str) -> str:
        if not project.startswith(("/", "~/")) or "*" in project:
            raise ValueError(f"{project!r} must be one directory, starting with / or ~/")
        return project

    @field_validator("programs")
    @classmethod
    def named(cls, programs: tuple[str, ...]) -> tuple[str, ...]:
        """A bare shell or interpreter would trust everything."""
        for program in programs:
            words = program.split()
            last_is_option = len(words) > 1 and words[-1].startswith("-")
            if words[0].rpartition("/")[2] in BARE and (len(words) == 1 or last_is_option):
                raise ValueError(
                    f"{program!r} would trust any code; name the script or the module as well"
                )
        return programs


class PolicyFile(Section):
    """The whole file."""

    version: Literal[1] = 1
    tools: dict[Filled, TierWord] = Field(
        default={}, description="a tool's exact name and its tier"
    )
    commands: tuple[CommandRule, ...] = ()
    paths: Paths = Paths()
    undo: Undo = Undo()
    windows: Windows = Windows()
    network: Network = Network()
    trust: tuple[Trust, ...] = ()
    words: dict[Filled, tuple[Filled, ...]] = Field(
        default={},
        description="by language: words on a button that need a question, added to the built-in lists",
    )
