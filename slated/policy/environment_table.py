"""Table of variables that decide what programs run or load, where bytes go, or whose values bash computes."""

from __future__ import annotations

import re

DECIDES = re.compile(
    r"PATH|CDPATH|IFS|ENV|HOME|SHELL|SHELLOPTS|BASHOPTS|BASH_.*|PS[0-4]|PROMPT_COMMAND|FUNCNEST|GLOBIGNORE|EXECIGNORE|histchars|LD_.*"
    r"|GCONV_PATH|LOCPATH|NLSPATH|TERMINFO.*|MALLOC_.*|XDG_(?:CONFIG|DATA|RUNTIME)_.*|GIT_.*|.*PAGER|LESS.*|.*EDITOR|VISUAL|BROWSER"
    r"|TAR_OPTIONS|RSYNC_.*|GREP_.*|RIPGREP_.*|AWK.*|MAGIC|FZF_.*|PYTHON.*|NODE_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|JDK_.*|_JAVA_.*"
    r"|SSH_.*|SUDO_.*|DOCKER_.*|COMPOSE_.*|CARGO_.*|RUST.*|GO[A-Z].*|CC|CXX|LD|AR|MAKE.*|CMAKE_.*|npm_.*|NPM_.*|PIP_.*|UV_.*"
    r"|.*_[Pp][Rr][Oo][Xx][Yy]|OPENSSL_.*|SSL_.*|CURL_.*|WGETRC|DBUS_.*|WAYLAND_.*|SWAYSOCK|I3SOCK|DISPLAY|GTK_.*|QT_.*"
    r"|APT_.*|DPKG_.*|DEBIAN.*|DEBCONF.*|MAN.*|GROFF_.*|RUFF_.*|BLACK_.*|SYSTEMD_.*|HOSTALIASES|ZDOTDIR|KUBECONFIG"
    r"|GETCONF_DIR|TAPE|POSIX.*|SIMPLE_BACKUP_SUFFIX|VERSION_CONTROL|(?:S?RANDOM|SECONDS|OPTIND|HISTCMD)|COMP_.*|PKG_CONFIG.*"
    r"|SLATE.*|CLAUDE.*|ANTHROPIC.*|CODEX.*|OPENAI.*"
)
HARMLESS = re.compile(
    r"GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT)"
    r"|PYTHON(?:DONTWRITEBYTECODE|UNBUFFERED|HASHSEED|IOENCODING|UTF8)|NODE_ENV|RUST_(?:BACKTRACE|LOG)|CARGO_TERM_COLOR"
    r"|GOOS|GOARCH|GOMAXPROCS|LESSCHARSET|GREP_COLORS?"
)
HARMLESS_VALUES = {"", "cat", "true", ":", "more"}


def decides_what_runs(name: str, value: str | None) -> bool:
    """Whether setting this variable needs a question; `value` is None when it is not known."""
    if not DECIDES.fullmatch(name) or HARMLESS.fullmatch(name):
        return False
    return not (re.fullmatch(r".*PAGER|.*EDITOR|VISUAL", name) and value in HARMLESS_VALUES)
