"""Reading command lines: what is found, what is refused as not readable, and that nothing hides between words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slated.policy.shell import parse
from slated.policy.words import Feed, Script

HOME = {"HOME": "/home/dev"}


def argvs(script: Script) -> list[list[str]]:
    return [[word.text for word in command.argv] for command in script.commands]


def read(text: str) -> list[list[str]]:
    script = parse(text, HOME)
    assert not script.problem, script.problem
    return argvs(script)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a; b & c && d || e | f |& g\nh", [[name] for name in "abcdefgh"]),
        ("(a; { b; })", [["a"], ["b"]]),
        ("if a; then b; elif c; then d; else e; fi", [[name] for name in "abcde"]),
        ("while a; do b; done; until c; do d; done", [[name] for name in "abcd"]),
        ("case x in a|b) c;; *) d;; esac", [["c"], ["d"]]),
        ("for x in 1 2; do a; done", [["a"]]),
        ("f() { a; }; function g { b; }", [["a"], ["b"]]),
        ("! a", [["a"]]),
        ("echo $(a) `b` \"$(c)\" <(d) >(e)", [["a"], ["b"], ["c"], ["d"], ["e"], ["echo", "\0", "\0", "\0",
            "\0", "\0"]]),
        ("X=$(a) b", [["a"], ["b"]]),
        ("a > $(b)", [["b"], ["a"]]),
        ("a <<< $(b)", [["b"], ["a"]]),
        ("[[ -n $(a) ]] && [ $(b) = c ]", [["a"], ["test", "-n", "\0"], ["b"], ["test", "\0", "c"]]),
        ("a # b; c", [["a"]]),
        ("a b#c", [["a", "b#c"]]),
        ("ls >x -la y", [["ls", "-la", "y"]]),
        ("python - <<'E'\nx\nE", [["python", "-"]]),
        ("cat <<A | b && c >d\nx $(e)\nA\nf", [["e"], ["cat"], ["b"], ["c"], ["f"]]),
    ],
)  # fmt: skip
def test_commands_are_found_wherever_they_stand(text: str, wanted: list[list[str]]) -> None:
    assert sorted(filter(None, read(text))) == sorted(wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("r''m \"-\"rf 'a b'", ["rm", "-rf", "a b"]),
        ("\\r\\m a\\ b", ["rm", "a b"]),
        ("$'\\x72\\155' $'a\\tb\\u0041'", ["rm", "a\tbA"]),
        ("r\\\nm x\\\n y", ["rm", "x", "y"]),
        ("x \"a\\$b\\`c\\\\d\\e\"", ["x", "a$b`c\\d\\e"]),
        ("x ~ ~/a '~' a~b", ["x", "/home/dev", "/home/dev/a", "~", "a~b"]),
        ("x $HOME/a \"${HOME}b\"", ["x", "/home/dev/a", "/home/devb"]),
        ("x a{b,c}d {e,f}{1,2}", ["x", "abd", "acd", "e1", "e2", "f1", "f2"]),
        ("x HEAD@{1} {} a{b}c", ["x", "HEAD@{1}", "{}", "a{b}c"]),
        ("x ~root", ["x", "\0~root"]),
        ("x $1 \"$@\"", ["x", "\0", "\0"]),
    ],
)  # fmt: skip
def test_words_are_decoded_as_bash_would(text: str, wanted: list[str]) -> None:
    assert read(text) == [wanted]


@pytest.mark.parametrize(
    "text",
    [
        "cat <<E\n`id`\nE", "cat <<-E\n\t$(id)\n\tE", "echo ${x:-`id`}", "echo ${x:-$(id)}", "echo"
        " \"${x:-'$(id)'}\"", "! ! ls", "coproc ls",
        "time ! ls; ((x++))", "echo $((x))", "echo $[1]", "echo ${!x}", "echo ${x@P}", "a[$(id)]=1", "a[0]=1",
        "[[ x -eq y ]]",
        "[[ -v a ]]", "[ -v a ]", "for ((;;)); do ls; done", "echo `a \\`b\\``", "cat <<A <<B\nA\nB", "ls (",
        "cat =(id)", "ls *(e:id:)",
        "echo \x01", "echo {1..9}", "echo {a,{b,c}}", "echo {a,$x}", "{fd}>x ls", "echo $\"x\"", "} ls", "if",
        "x\r\nls", "ls \ud800",
        "cat <<\\E\nx\nE", "cat <<'E' |\na '\nE\nid\necho '\nE\n",
        "cat <<'E' &&\nx\nE\nid",
        "cat <<E\na\\\nE\necho '\nE\nid\n'", "cat <<EOF\nEO\\\nF\nid\nEOF", "$((`id`))",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_problem_never_a_guess(text: str) -> None:
    script = parse(text, HOME)
    hidden = script.problem or any(command.name == "!" for command in script.commands)
    assert hidden, argvs(script)


def test_an_unquoted_here_document_with_stripped_tabs_may_hold_plain_text() -> None:
    (command,) = parse("cat <<-E\n\thello\n\tE").commands
    assert command.stdin.feed is Feed.TEXT


def test_a_quoted_here_document_is_text_and_nothing_else() -> None:
    (command,) = parse("cat <<'E'\n$(id) `id`\nE").commands
    assert command.stdin.word is not None
    assert command.stdin.word.exact == "$(id) `id`\n"


def test_a_variable_set_once_for_sure_is_known_after_that_and_only_then() -> None:
    known = parse('X=build; rm "$X"').commands[-1].argv[1]
    assert known.exact == "build"
    assert not known.literal
    for text in (
        'rm "$X"; X=a',
        'a && X=b; rm "$X"',
        'X=a; X=b; rm "$X"',
        'X=a; read X; rm "$X"',
        '(X=a); rm "$X"',
        'X=a & rm "$X"',
    ):
        assert all(c.argv[1].exact is None for c in parse(text).commands if c.name == "rm"), text


def test_the_environment_is_only_believed_while_nothing_sets_it() -> None:
    assert read("ls $HOME")[0][1] == "/home/dev"
    for text in (
        "a && HOME=/ ; ls $HOME",
        "read HOME; ls $HOME",
        "eval x; ls $HOME",
        "printf -v HOME x; ls $HOME",
    ):
        assert parse(text, HOME).commands[-1].argv[1].exact is None, text


def test_a_substitution_that_only_cats_a_here_document_is_known_text() -> None:
    (command,) = [
        c for c in parse("git commit -m \"$(cat <<'E'\nfix: x\nE\n)\"").commands if c.name == "git"
    ]
    assert command.argv[3].exact == "fix: x"


def test_very_long_and_very_deep_lines_are_problems_not_crashes() -> None:
    assert parse("ls " + "a" * 200_000).problem
    assert parse("(" * 200 + "ls" + ")" * 200).problem
    assert parse("echo " + "$(" * 100 + "ls" + ")" * 100).problem


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="abrm -;&|<>(){}[]$`'\"\\\n#=*~!?é\t\r\x00", max_size=60))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    parse(text, HOME)


@pytest.mark.parametrize("text", ["A=(x)# ; wc", "echo $(ls)# ; wc", "a\\\n#b; wc"])
def test_a_comment_starts_only_where_bash_starts_one(text: str) -> None:
    script = parse(text)
    assert script.problem or ["wc"] in argvs(script)
