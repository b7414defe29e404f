"""What the real Claude Code changed by its own tools and by a shell goes back; what the person did stays."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from slated.approvals import Answer
from tests.agents.bed import Bed, Conscience
from tests.agents.models import call, script
from tests.fakes.conscience import a_person_sits_here
from tests.fakes.stage import until

FREELY = ("--allowedTools", "Bash,Read,Edit,Write")
GIT = ("git", "-c", "user.name=p", "-c", "user.email=p@example.com")
FILES = ("edited.txt", "seded.txt", "coded.py", "moved.txt", "persons.txt", "both.txt")


def git(work: Path, *words: str) -> str:
    return subprocess.run(
        [*GIT, *words], cwd=work, check=True, capture_output=True, text=True
    ).stdout


def project(bed: Bed) -> dict[str, bytes]:
    """A repository that undo covers; what is in it."""
    (bed.root / "policy.toml").write_text(f'[paths]\nprotected = ["{bed.work}"]\n')
    for name in FILES:
        (bed.work / name).write_text(f"old {name}\n")
    git(bed.work, "init", "-q")
    git(bed.work, "add", ".")
    git(bed.work, "commit", "-q", "-m", "one")
    return held(bed)


def held(bed: Bed) -> dict[str, bytes]:
    """Every file of the project but git's own."""
    files = (path for path in bed.work.rglob("*") if path.is_file())
    return {
        str(path.relative_to(bed.work)): path.read_bytes()
        for path in files
        if ".git" not in path.parts
    }


def five(bed: Bed) -> str:
    """A prompt that changes five files in five ways."""
    edited = str(bed.work / "edited.txt")
    code = "open('coded.py', 'w').write('by python')"
    return script(
        call("Read", file_path=edited),
        call("Edit", file_path=edited, old_string="old", new_string="new"),
        call("Bash", command="sed -i s/old/new/ seded.txt both.txt", description="d"),
        call("Bash", command=f'python3 -c "{code}"', description="d"),
        call("Bash", command="cat > made.txt <<'EOF'\nfrom a here-document\nEOF", description="d"),
        call("Bash", command="git mv moved.txt away.txt", description="d"),
        "SAY done",
    )


@pytest.mark.promise("undo-stays-inside")
def test_undo_takes_back_all_five_kinds_of_change_and_leaves_what_the_person_did(
    bed: Bed, slated: Conscience, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_person_sits_here(monkeypatch)
    before, status = project(bed), git(bed.work, "status", "--porcelain")
    bed.install("claude")

    def meanwhile() -> None:
        (bed.work / "persons.txt").write_text("the person's, while the agent waits\n")

    slated.says, slated.before_answer = [Answer.ONCE], meanwhile
    bed.claude(five(bed), *FREELY)
    after = held(bed)
    assert after["edited.txt"] == b"new edited.txt\n"
    assert after["seded.txt"] == b"new seded.txt\n"
    assert after["coded.py"] == b"by python"
    assert after["made.txt"] == b"from a here-document\n"
    assert "moved.txt" not in after
    assert after["away.txt"] == before["moved.txt"]
    (bed.work / "both.txt").write_text("the person's, over the agent's\n")

    looked = bed.slate("undo", "--last", "--preview", "--json")
    assert looked.returncode == 0, looked.stderr
    left = {Path(one["path"]).name: one["reason"] for one in json.loads(looked.stdout)["left"]}
    assert left == {"both.txt": "changed later"}
    assert held(bed) == {**after, "both.txt": b"the person's, over the agent's\n"}

    done = bed.slate("undo", "--last")
    assert done.returncode == 0, done.stdout + done.stderr
    assert held(bed) == {
        **before,
        "persons.txt": b"the person's, while the agent waits\n",
        "both.txt": b"the person's, over the agent's\n",
    }
    assert "R" not in git(bed.work, "status", "--porcelain")
    assert status == ""

    again = bed.slate("undo", "--redo")
    assert again.returncode == 0, again.stdout + again.stderr
    assert held(bed) == {
        **after,
        "persons.txt": b"the person's, while the agent waits\n",
        "both.txt": b"the person's, over the agent's\n",
    }


def test_the_question_and_the_log_say_what_undo_covers(bed: Bed, slated: Conscience) -> None:
    project(bed)
    bed.install("claude")
    slated.says = [Answer.ONCE, Answer.DENY]
    away = bed.root / "outside"
    code = call("Bash", command="python3 -c pass", description="d")
    bed.claude(
        script(code, call("Bash", command=f"echo x > {away}", description="d"), "SAY done"), *FREELY
    )
    first, second = (dict(one["facts"]) for one in slated.asked)  # type: ignore[call-overload]  # told as JSON
    assert first["undo"] == "covers all that it is known to change"
    assert second["undo"] == f"covers not all of it: undo does not cover {away}"
    ran, denied = bed.logged("--kind", "call")
    assert ran["mark"]
    assert ran["undo"] == first["undo"]
    assert "mark" not in denied


def test_a_prompt_can_go_back_without_the_one_before(
    bed: Bed, slated: Conscience, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two prompts of one session, in two runs of the program: the last one is that of the last task."""
    a_person_sits_here(monkeypatch)
    before = project(bed)
    bed.install("claude")
    one = call("Bash", command="echo one > seded.txt", description="d")
    two = call("Bash", command="echo two > edited.txt", description="d")
    bed.claude(script(one, "SAY done"), *FREELY)
    bed.claude(script(two, "SAY done"), *FREELY)
    assert bed.slate("undo").returncode == 0
    assert held(bed) == {**before, "seded.txt": b"one\n"}
    told = json.loads(bed.slate("snapshots", "list", "--json").stdout)
    assert [(task["calls"], task["prompts"]) for task in told["tasks"]] == [(1, 1), (1, 1)]
    assert bed.slate("undo", told["tasks"][0]["task"]).returncode == 0
    assert held(bed) == before


def test_what_a_command_left_running_writes_later_is_shared(
    bed: Bed, slated: Conscience, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_person_sits_here(monkeypatch)
    before = project(bed)
    bed.install("claude")
    (bed.work / "late.sh").write_text("sleep 3; echo late > seded.txt\n")
    slated.says = [Answer.ONCE]
    command = "echo now > edited.txt; setsid sh late.sh >/dev/null 2>&1 < /dev/null &"
    bed.claude(script(call("Bash", command=command, description="d"), "SAY done"), *FREELY)
    assert until(lambda: (bed.work / "seded.txt").read_bytes() == b"late\n", 20)
    told = json.loads(bed.slate("undo", "--preview", "--json").stdout)
    assert [Path(one["path"]).name for one in told["steps"]] == ["edited.txt"]
    (left,) = told["left"]
    assert (Path(left["path"]).name, left["reason"]) == ("seded.txt", "shared")
    assert "was still running" in left["why"]
    assert bed.slate("undo").returncode == 0
    assert (bed.work / "edited.txt").read_bytes() == before["edited.txt"]
    assert (bed.work / "seded.txt").read_bytes() == b"late\n"


def test_what_codex_changed_goes_back_too(
    bed: Bed, slated: Conscience, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_person_sits_here(monkeypatch)
    before = project(bed)
    bed.install("codex")
    one = call("exec_command", cmd="sed -i s/old/new/ seded.txt; rm edited.txt")
    two = call("exec_command", cmd="mkdir -p a/b && echo x > a/b/c")
    bed.codex(script(one, two, "SAY done"), "-s", "workspace-write")
    assert held(bed) != before
    assert (bed.work / "a/b/c").exists()
    assert bed.slate("undo", "--last").returncode == 0
    assert held(bed) == before
    assert not (bed.work / "a").exists()


def test_only_a_person_undoes(bed: Bed, slated: Conscience) -> None:
    project(bed)
    refused = bed.slate("undo", "--last")
    assert refused.returncode == 1
    assert "refused.not_a_person" in refused.stderr
