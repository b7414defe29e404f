"""Trust through an app-server: exactly our hooks, and every way in which it can go wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from slated.agents import codex_trust
from slated.agents.codex_config import command
from slated.agents.own import Own
from slated.errors import Unavailable

MINE = Own(sys.executable, "/run/user/7/slate/slated.sock")
SERVER = """\
#!{python}
import json, sys
trusted = {{}}
def hooks():
    made = [("k1", {command!r}), ("k2", "theirs")]
    return [dict(key=k, command=c, currentHash="sha256:" + k,
                 trustStatus="trusted" if k in trusted else "untrusted") for k, c in made]
print(json.dumps({{"method": "warning", "params": {{}}}}), flush=True)
for line in sys.stdin:
    told = json.loads(line)
    if told["method"] == "hooks/list":
        result = {{"data": [{{"hooks": hooks()}}]}}
    elif told["method"] == "config/batchWrite":
        trusted.update(told["params"]["edits"][0]["value"])
        open("written", "w").write(json.dumps(trusted))
        result = {{}}
    else:
        result = {{}}
    if "id" in told:
        print(json.dumps({{"id": told["id"], "result": result}}), flush=True)
"""


def program(tmp_path: Path, text: str) -> str:
    path = tmp_path / "codex"
    path.write_text(text)
    path.chmod(0o700)
    return str(path)


def test_our_hooks_are_trusted_and_no_other(tmp_path: Path) -> None:
    codex = program(tmp_path, SERVER.format(python=sys.executable, command=command(MINE)))
    assert codex_trust.trust(codex, tmp_path, MINE, {}) == 1
    written = json.loads((tmp_path / "written").read_text())
    assert written == {"k1": {"trusted_hash": "sha256:k1"}}


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh\nexit 0\n",
        "#!/bin/sh\necho garbage\n",
        '#!/bin/sh\nread line\necho \'{"id":1,"error":{}}\'\n',
        '#!/bin/sh\nread line\necho \'{"id":1,"result":{}}\'\nread x\nread y\necho \'{"id":2,"result":[]}\'\n',
        "#!/nowhere\n",
    ],
)
def test_an_app_server_that_does_otherwise_is_unavailable(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unavailable) as caught:
        codex_trust.trust(program(tmp_path, text), tmp_path, MINE, {})
    assert caught.value.code == "unavailable.codex"


def test_one_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codex_trust, "DEADLINE_S", 0.3)
    monkeypatch.setattr(codex_trust, "_END_S", 0.1)
    codex = program(tmp_path, "#!/bin/sh\nexec sleep 60\n")
    with pytest.raises(Unavailable, match="within"):
        codex_trust.trust(codex, tmp_path, MINE, {})
