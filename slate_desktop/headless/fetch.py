"""Downloads a package with all it needs by the system's apt, without root and beside its state."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from slate_desktop.errors import Unavailable
from slate_desktop.headless import sources
from slate_desktop.headless.progress import Progress

SOURCE_LISTS = Path("/etc/apt")
KEYRINGS = tuple(
    Path(f"/usr/share/keyrings/debian-archive-keyring.{ending}") for ending in ("gpg", "pgp")
)
SUITE = "forky"  # the first release with sway 1.12
STALL_S = 120.0  # apt gives up on a dead server by itself long before
STATUS_LINE = re.compile(r"^(?:dlstatus|pmstatus):[^:]*:([\d.]+):")
# How a person reaches the network; all else of apt's own settings is left behind.
KEPT_SETTINGS = re.compile(r"^Acquire::(?:http|https|ForceIPv4|ForceIPv6)\b.* \"")
OUTDATED = re.compile(r"Release file .* is expired")
TOO_NEW = re.compile(r"Release file .* is not valid yet")
UNTRUSTED = re.compile(r"NO_PUBKEY|is not signed|not available for key|BADSIG|couldn't be verified")
NO_SPACE = re.compile(r"No space left|enough free space")
NOT_THERE = re.compile(
    r"does not have a Release file|Unable to locate package|no installation cand"
)


@dataclass(frozen=True, slots=True)
class Source:
    """A Debian archive: its address, the keys it is signed with, the release wanted."""

    mirror: str
    keyring: Path
    suite: str = SUITE


def choose_source(mirror: str | None, keyring: Path | None) -> Source:
    """The archive to fetch from: as given, else as the system's own apt is set up."""
    mirror = mirror or _system_mirror()
    if mirror is None:
        raise Unavailable(
            "mirror",
            "this system's apt names no Debian mirror.",
            next_step="name one: slate-desktop runtime install --mirror ADDRESS",
        )
    keyring = keyring or next((path for path in KEYRINGS if path.exists()), None)
    if keyring is None or not keyring.exists():
        raise Unavailable(
            "keyring",
            "the keys to check Debian's signatures with are missing.",
            next_step="have debian-archive-keyring installed, or name a keyring with --keyring FILE",
        )
    return Source(mirror, keyring)


def _system_mirror() -> str | None:
    paths = [SOURCE_LISTS / "sources.list"]
    paths += (SOURCE_LISTS / "sources.list.d").glob("*.list")
    paths += (SOURCE_LISTS / "sources.list.d").glob("*.sources")
    texts = {str(path): path.read_text(errors="replace") for path in paths if path.is_file()}
    return sources.mirror(texts)


class Apt:
    """apt-get on a state of its own in `directory`: no root, no system list, status or key in it."""

    def __init__(
        self, directory: Path, source: Source, architecture: str, proxies: Mapping[str, str]
    ) -> None:
        """Lay out the state; what an earlier run downloaded is kept. Raises Unavailable without apt."""
        for program in ("apt-get", "dpkg-deb"):
            if shutil.which(program, path=os.defpath) is None:
                raise Unavailable(
                    "apt",
                    f"a private sway is unpacked from Debian packages, but there is no {program} here.",
                    next_step="install sway 1.12 or newer from your distribution",
                )
        self._directory = directory
        self._env = {"PATH": os.defpath, "LC_ALL": "C", "HOME": str(directory), **proxies}
        self._env["APT_CONFIG"] = str(directory / "apt.conf")
        for name in ("lists/partial", "cache/archives/partial", "state"):
            (directory / name).mkdir(parents=True, exist_ok=True)
        (directory / "state/status").write_text("")
        signed = f"[signed-by={source.keyring}]"
        (directory / "sources.list").write_text(
            f"deb {signed} {source.mirror} {source.suite} main\n"
        )
        kept = _network_settings()
        (directory / "apt.conf").write_text(_configuration(directory, architecture) + kept)

    @property
    def log(self) -> Path:
        return self._directory / "apt.log"

    def update(self, progress: Progress, lock: int) -> str | None:
        """Fetch the package lists. Returns what had to be said about their date, None when it was right."""
        options: list[str] = []
        progress.step("reading the list of packages")
        output = self._run(["update"], progress, lock)
        said = None
        if output and OUTDATED.search(output):
            options = ["-o", "Acquire::Check-Valid-Until=false"]
            said = "the mirror's list of packages is past its date"
        elif output and TOO_NEW.search(output):
            options = ["-o", "Acquire::Check-Date=false"]
            said = "the mirror's list of packages is dated in the future (is this clock right?)"
        if said:
            said += "; its signature is good, so it is used all the same"
            output = self._run([*options, "update"], progress, lock)
        if output:
            raise self._failure(output)
        if said:
            progress.notice(said)
        return said

    def download(self, packages: Sequence[str], progress: Progress, lock: int) -> list[Path]:
        """Download packages and all they depend on; files already there are kept. Returns the archives."""
        progress.step(f"downloading {' and '.join(packages)} and what it needs")
        output = self._run(["install", "-y", "--download-only", *packages], progress, lock)
        if output:
            raise self._failure(output)
        return sorted((self._directory / "cache/archives").glob("*.deb"))

    def _run(self, arguments: list[str], progress: Progress, lock: int) -> str | None:
        """Run apt-get; its output when it failed, None when it did not."""
        reading, writing = os.pipe()
        argv = ["apt-get", "-q", "-o", f"APT::Status-Fd={writing}", *arguments]
        with self.log.open("wb") as log, os.fdopen(reading, "rb", buffering=0) as status:
            try:
                # The lock goes along: should we be killed, the next one waits until apt is done too.
                process = subprocess.Popen(
                    argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._env,
                    pass_fds=(writing, lock),
                )  # fmt: skip
            finally:
                os.close(writing)
            try:
                self._follow(status.fileno(), progress)
                code = process.wait(STALL_S)
            except BaseException:
                process.kill()
                process.wait()
                raise
        return self.log.read_text(errors="replace") or "no output" if code != 0 else None

    def _follow(self, status: int, progress: Progress) -> None:
        """Show apt's progress until it closes its end."""
        rest = b""
        while True:
            if not select.select([status], [], [], STALL_S)[0]:
                raise Unavailable(
                    "network",
                    f"nothing has come from the mirror for {STALL_S:.0f} s.",
                    next_step="check the network; what has arrived is kept for the next try",
                )
            chunk = os.read(status, 65536)
            if not chunk:
                return
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if match := STATUS_LINE.match(line.decode(errors="replace")):
                    progress.at(float(match[1]) / 100)

    def _failure(self, output: str) -> Unavailable:
        """What an output of apt means. Signatures come first: nothing is ever used without a good one."""
        if UNTRUSTED.search(output):
            reason, what = (
                "signature",
                "the mirror's signature cannot be verified: nothing was taken",
            )
            step = "check the mirror's address, and that debian-archive-keyring is up to date"
        elif NO_SPACE.search(output):
            reason, what = "disk", "the disk is full"
            step = "free 600 MB and try again; what has arrived is kept"
        elif NOT_THERE.search(output):
            reason, what = "mirror", f"the mirror has no Debian {SUITE} with this package"
            step = "name another one with --mirror ADDRESS"
        else:
            reason, what = "network", "the download failed"
            step = "check the network and the mirror; what has arrived is kept for the next try"
        return Unavailable(reason, f"{what} (apt's own words: {self.log}).", next_step=step)


def _network_settings() -> str:
    """Proxies and the like from the system's apt."""
    argv = ["apt-config", "dump"]
    dump = subprocess.run(
        argv,
        env={"PATH": os.defpath, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return "".join(f"{line}\n" for line in dump.stdout.splitlines() if KEPT_SETTINGS.match(line))


def _configuration(directory: Path, architecture: str) -> str:
    """Every directory is ours, nothing of the system's is read, and only signed lists count."""
    settings = {
        "Dir::Etc::main": "/dev/null",
        "Dir::Etc::Parts": "/dev/null",
        "Dir::Etc::SourceList": directory / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::Etc::Preferences": "/dev/null",
        "Dir::Etc::PreferencesParts": "/dev/null",
        "Dir::Etc::TrustedParts": "/dev/null",
        "Dir::State": directory / "state",
        "Dir::State::Lists": directory / "lists",
        "Dir::State::status": directory / "state/status",
        "Dir::Cache": directory / "cache",
        "Dir::Log": directory / "state",
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",  # the directory is closed to apt's own user
        "APT::Get::AllowUnauthenticated": "false",
        "APT::Update::Error-Mode": "any",
        "Acquire::AllowInsecureRepositories": "false",
        "Acquire::Check-Valid-Until": "true",
        "Acquire::Languages": "none",
        "Acquire::Retries": "2",
        "Acquire::http::Timeout": "30",
        "Acquire::https::Timeout": "30",
    }
    return "".join(f'{name} "{value}";\n' for name, value in settings.items())
