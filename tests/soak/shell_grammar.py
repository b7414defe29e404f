"""Makes command lines at random: everything bash can hide a command in, and lines spoilt by stray characters."""

from __future__ import annotations

import random
from collections.abc import Callable

READERS = (
    "cat",
    "wc",
    "nl",
    "tac",
    "rev",
    "head",
    "stat",
    "du",
    "basename",
    "uname",
    "whoami",
    "groups",
)
CHANGERS = ("rm", "mkdir", "rmdir")
WRAPPERS = (
    "env",
    "nice",
    "timeout 5",
    "nohup",
    "setsid -w",
    "stdbuf -o0",
    "command",
    "time",
    "env A=1",
    "nice -n 3",
    "exec",
)
STUBS = (*READERS, *CHANGERS)
PLAIN_WORDS = 19
"""How many of the words come first that a person would write."""
STRAY = ["`", "$(", ")", "\\", "\n", "\\\n", ";", "&", "|", "'", '"', "<<X\n", "#", "!", "{", "}", "(", "$",
    "<(", " ", "\t", "~", "*", "=", "é", "<<-X\n\t", ">"]  # fmt: skip


class Grammar:
    """Random command lines from one source of chance. Loops end, files stay below the working directory."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.depth = 0
        self.tame = False
        """Half of the lines keep to what a person would write, so that fewer of them are questions."""
        self.after_line = ""
        """Bodies of here-documents that must follow the line."""

    def line(self) -> str:
        """A command line; every fourth is spoilt."""
        self.depth, self.after_line = 0, ""
        self.tame = self.chance.random() < 0.6
        text = self.sequence() + self._bodies()
        if self.chance.random() < (0.1 if self.tame else 0.25):
            text = self._spoil(text)
        return text

    def _pick(self, choices: list[Callable[[], str]]) -> str:
        return self.chance.choice(choices)()

    def _one(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def _bodies(self) -> str:
        body, self.after_line = self.after_line, ""
        return body

    def _spoil(self, text: str) -> str:
        for _ in range(self.chance.randint(1, 3)):
            place = self.chance.randrange(len(text) + 1)
            if self.chance.random() < 0.6:
                text = text[:place] + self.chance.choice(STRAY) + text[place:]
            else:
                text = text[:place] + text[place + 1 :]
        return text

    def sequence(self) -> str:
        """Commands with separators between them."""
        parts = [self.statement()]
        for _ in range(self.chance.choice([0, 0, 0, 1, 1, 2])):
            between = self._one(
                "; ",
                " && ",
                " || ",
                "\n",
                " | ",
                " |& ",
                " & ",
                ";",
                "&&\n",
                " |\n",
                " \\\n&& ",
                ";\\\n",
            )
            if "\n" in between and self.after_line:
                between = "; "
            parts += [between, self.statement()]
        tail = self._one("", "", "", "", " # done", " &", ";", "\n")
        return "".join(parts) + ("" if self.after_line else tail)

    def statement(self) -> str:
        """A simple command, or one of the compound ones."""
        if self.depth > 2 or self.chance.random() < 0.62:
            return self.simple()
        self.depth += 1
        compounds = self._compounds()
        made = self._pick(compounds[:9] if self.tame else compounds)
        self.depth -= 1
        return made

    def _inner(self) -> str:
        """Statements inside of something: their here-documents must end before it does."""
        outer, self.after_line = self.after_line, ""
        text = self.sequence()
        text += self.after_line or ""
        self.after_line = outer
        return (
            text
            if text.endswith(("\n", "&", ";"))
            else text + "\n"
            if "#" in text or "<<" in text
            else text + "; "
        )

    def _compounds(self) -> list[Callable[[], str]]:
        return [
            lambda: f"({self._inner()})",
            lambda: f"{{ {self._inner()} }}",
            lambda: f"if {self.simple()}; then {self._inner()} else {self._inner()} fi",
            lambda: f"while {self.simple()}; do {self._inner()} break; done",
            lambda: f"until {self.simple()}; do {self._inner()} done",
            lambda: f"for x in {self.word()} {self.word()}; do {self._inner()} done",
            lambda: f"case {self.word()} in a|b) {self._inner()} ;; *) {self.simple()};; esac",
            lambda: f"f() {{ {self._inner()} }}; f",
            lambda: f"! {self.simple()}",
            lambda: f"! ! {self.simple()}",
            lambda: f"time {self.simple()}",
            lambda: f"coproc {self.simple()}",
            lambda: f"time -p ! {self.simple()}",
            lambda: f"[[ -n {self.word()} && {self.word()} == a* ]] && {self.simple()}",
            lambda: f"[ -n {self.word()} ] || {self.simple()}",
            lambda: f"select x in a; do {self.simple()}; break; done </dev/null",
            lambda: f"for ((i=0; i<2; i++)); do {self.simple()}; done",
            lambda: f"function g {{ {self._inner()} }}\ng",
        ]

    def simple(self) -> str:
        """A simple command: assignments, a hidden name, words, redirections."""
        if self.chance.random() < (0.08 if self.tame else 0.2):
            return self._pick(self._sneaky())
        parts = [self._one("", "", "", "A=1 ", f"A={self.word()} ", "A=(x) ; ")]
        if self.chance.random() < 0.15:
            parts.append(self.chance.choice(WRAPPERS) + " ")
        parts.append(self.name())
        for _ in range(self.chance.choice([0, 1, 1, 2, 3])):
            parts += [self._one(" ", " ", " ", "  ", "\t", " \\\n"), self.word()]
        parts.append(self.redirection())
        return "".join(parts)

    def name(self) -> str:
        """A program's name, written in one of many ways."""
        plain = self.chance.choice(STUBS)
        cut = self.chance.randrange(1, len(plain))
        head, tail = plain[:cut], plain[cut:]
        return self._one(
            plain, plain, plain, plain, plain, f"{head}''{tail}", f'{head}""{tail}', f"\\{plain}",
                f"{head}\\{tail}", f"'{plain}'",
            f'"{plain}"', f"$'{plain}'", f"{head}$'{tail}'", f"$'\\x{ord(plain[0]):02x}'{plain[1:]}",
                f"{head}\\\n{tail}", f'"{head}"\'{tail}\'',
            f"{head}$''{tail}", plain if self.tame else f"${{Z:-{plain}}}",
                plain if self.tame else f"{head}${{Z}}{tail}", plain if self.tame else f"{head}$Z{tail}",
        )  # fmt: skip

    def word(self) -> str:
        """An argument that may hold commands."""
        if self.depth > 3:
            return self._one("a", "b", "-x")
        self.depth += 1
        words = self._words()
        made = self._pick(
            words[:PLAIN_WORDS] if self.tame and self.chance.random() < 0.8 else words
        )
        self.depth -= 1
        return made

    def _words(self) -> list[Callable[[], str]]:
        stub = self.chance.choice(STUBS)
        return [
            *[
                lambda: self._one(
                    "a",
                    "b.txt",
                    "-n",
                    "--",
                    "d/e",
                    "*.txt",
                    "'x y'",
                    '"x  y"',
                    "a#b",
                    "\\;",
                    "~",
                    "@{1}",
                    "x=y",
                    "{}",
                )
            ]
            * 9,
            lambda: f"$({self._inner()})",
            lambda: f'"$({self._inner()})"',
            lambda: f"`{stub} q`",
            lambda: f'"`{stub} q`"',
            lambda: f"'$({stub} quiet)'",
            lambda: f'"\\$({stub} quiet)"',
            lambda: f"\\$\\({stub} quiet\\)",
            lambda: f"\"a 'b $({stub} s)' c\"",
            lambda: f"<({self.simple()})",
            lambda: "{a,b}c",
            *self._rare_words(stub),
        ]

    def _rare_words(self, stub: str) -> list[Callable[[], str]]:
        """Words with commands in places where few people put them."""
        return [
            lambda: f"`echo \\`{stub} q\\``",
            lambda: f"<({self.simple()})",
            lambda: f">({self.simple()})",
            lambda: f"${{Z:-$({stub} d)}}",
            lambda: f"${{Z:-`{stub} d`}}",
            lambda: f'"${{Z:-$({stub} d)}}"',
            lambda: f"\"${{Z:-'$({stub} d)'}}\"",
            lambda: f"${{Z:-'$({stub} d)'}}",
            lambda: "${Z-a}${#Z}${HOME%/*}",
            lambda: f"$(( 1 + $({stub} n; echo 1) ))",
            lambda: "$(( 1 + 2 ))",
            lambda: f"$[ $({stub} n; echo 1) ]",
            lambda: f"'$({stub} quiet)'",
            lambda: f'"\\$({stub} quiet)"',
            lambda: f"\\$\\({stub} quiet\\)",
            lambda: f"$'\\'$({stub} quiet)'",
            lambda: f"{{a,$({stub} e)}}",
            lambda: "{a,b}c",
            lambda: "x{a,'b'}",
            lambda: f"a$({stub} m)b'c'\"d$({stub} m)\"",
            lambda: f"\"a 'b $({stub} s)' c\"",
            lambda: f"${{Z:+$({stub} f)}}${{Z:=$({stub} f)}}",
            lambda: f"${{HOME/#$({stub} r)/x}}",
        ]

    def redirection(self) -> str:
        """Now and then a redirection or a here-document."""
        stub = self.chance.choice(STUBS)
        roll = self.chance.random()
        if roll < 0.7:
            return ""
        if roll < 0.84 or self.after_line:
            return self._one(" >o", " >>o", " 2>&1", " >&2", " </dev/null", " &>o", " >|o", f" >$({stub} t; echo"
                f" o)", " 2>/dev/null", f" <<<$({stub} h)",
                             f' <<<"x $({stub} h)"', " <<<'x'", " >o -a b", " 3>&-", " <&-")  # fmt: skip
        return self._heredoc(stub)

    def _heredoc(self, stub: str) -> str:
        mark = self._one("X", "EOF", "'X'", '"X"', "\\X")
        dash = self._one("", "", "-")
        bare = mark.strip("'\"\\")
        body = self._one("text", f"$({stub} y)", f"`{stub} y`", f"a ${{Z:-$({stub} y)}}", f"\\$({stub} quiet)",
            "$HOME", "", f"'$({stub} y)'",
                         f"{bare} ", f"a\\\n{bare}", f"{bare[:1]}\\\n{bare[1:]}", "a 'b \"c")  # fmt: skip
        tab = "\t" if dash else ""
        self.after_line = f"\n{tab}{body}\n{tab}{bare}\n"
        rest = self._one(
            "", "", " |", " &&", f" | {stub} p", f" && {stub} p", f"; {stub} p", " >o", f" {stub}"
        )
        return f" <<{dash}{mark}{rest}"

    def _sneaky(self) -> list[Callable[[], str]]:
        """Commands that run what stands in their words."""
        stub = self.chance.choice(STUBS)
        return [
            lambda: f"eval {stub} a", lambda: f"eval '{stub} a; {stub} b'", lambda: f"eval \"{stub} $Z\"",
            lambda: f"trap '{stub} bye' EXIT", lambda: f"X={stub}; $X a", lambda: f"X='{stub} a'; $X",
            lambda: f"bash -c '{stub} a'", lambda: f"sh -c \"{stub} a\"", lambda: f"bash -c \"{stub} $({stub} b)\"",
            lambda: f"bash -ec '{stub} \"$@\"' x y", lambda: f"echo {stub} a | bash", lambda: f"bash <<< '{stub} a'",
            lambda: f"bash <<'X'\n{stub} a\nX\n", lambda: f"bash -s < <(echo {stub} a)", lambda: f". <(echo {stub} a)",
            lambda: f"source /dev/stdin <<< '{stub} a'", lambda: f"echo a | xargs {stub}", lambda: f"echo {stub}"
                f" | xargs -I_ _ x",
            lambda: f"find . -maxdepth 0 -exec {stub} {{}} \\;", lambda: f"find . -maxdepth 0 -exec {stub} x {{}} +",
            lambda: f"mapfile -C '{stub}' -c 1 m <<< x", lambda: f"a[$({stub} i)]=1", lambda: f"declare -i"
                f" n='a[$({stub} i)]'",
            lambda: f": $((a[$({stub} i)]))", lambda: f"x='a[$({stub} i)]'; : $((x))", lambda: f"[[ 'a[$({stub}"
                f" i)]' -eq 0 ]]",
            lambda: f"[ -v 'a[$({stub} i)]' ]", lambda: f"[[ -v 'a[$({stub} i)]' ]]", lambda: f"unset 'a[$({stub} i)]'",
            lambda: f"let 'n=a[$({stub} i)]'",
            lambda: f"declare -a 'z=($({stub} i))'",
            lambda: f"z=(); declare z='($({stub} i))'",
            lambda: f"export 'a[$({stub} i)]=1'",
            lambda: f"jobs -x {stub} a",
            lambda: f"cat() {{ {stub} a; }}; $(cat <<'X'\nx\nX\n)", lambda: f"printf -v 'a[$({stub} i)]' x",
            lambda: f"read"
                f" 'a[$({stub} i)]' <<< x",
            lambda: f"x='$({stub} v)'; : ${{x@P}}", lambda: f"PS4='$({stub} v)'; set -x; :", lambda: f"set -x;"
                f" {stub} a",
            lambda: f"n='x[$({stub} i)]'; : ${{!n}}", lambda: f"shopt -s expand_aliases\nalias zz={stub}\nzz a",
            lambda: f"hash -p \"$(command -v {stub})\" zz; zz a", lambda: f"builtin eval {stub} a",
            lambda: f"command {stub} a",
            lambda: f"exec 5>o; {stub} a", lambda: f"{{ {stub} a; }} 2>&1 | {stub} b", lambda: f"echo \"\n{stub}"
                f" quiet\n\"",
            lambda: f"echo '\n{stub} quiet\n'; {stub} b", lambda: f"# {stub} quiet\n{stub} a", lambda: f"echo"
                f" a\\\n; {stub} b",
            lambda: f"{stub} a \\\n  b", lambda: f"{stub} a\\\\\n{stub} b", lambda: f"env -S '{stub} a'",
            lambda: f"env -i {stub} a",
            lambda: f"x=({stub} \"$({stub} b)\"); \"${{x[@]}}\"", lambda: f"while read -r l; do $l a; done <<< {stub}",
            lambda: f"f() {{ \"$@\"; }}; f {stub} a", lambda: f"set -- {stub} a; \"$@\"",
            lambda: f"{stub}$IFS\"a\"", lambda: f"{{{stub},a}}",
            lambda: f"A=1 B=$({stub} b) {stub} c", lambda: f"case $({stub} c) in $({stub} d)) ;; esac",
            lambda: f">o {stub} a", lambda: f"2>&1 {stub} a <&-",
            lambda: f"{stub} - <<X\n$({stub} y)\nX\n", lambda: f"readarray -t l < <({stub} a)", lambda: f"wait;"
                f" {stub} a & wait",
            lambda: f"cd d && {stub} a", lambda: f"export E=$({stub} e)", lambda: f"local x=$({stub} e)",
            lambda: f"echo $'a\n'; {stub} b",
            lambda: f"if :; then {stub} a; elif {stub} b; then :; fi", lambda: f"(( n = $({stub} z; echo 1) ))",
            lambda: f"echo ${{Z:-}}}};{stub} a",
        ]  # fmt: skip
