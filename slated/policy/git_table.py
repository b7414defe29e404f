"""Table of git subcommands: what each needs, and which options change that."""

from __future__ import annotations

import re

READS = frozenset(
    "status diff log show blame annotate ls-files ls-tree rev-parse describe shortlog cat-file rev-list"
    " for-each-ref show-ref"
    " name-rev merge-base diff-tree diff-index diff-files whatchanged cherry range-diff count-objects"
    " check-ignore check-attr"
    " check-ref-format check-mailmap grep version help var verify-pack get-tar-commit-id merge-tree show-branch"
    " show-index"
    " fsck column stripspace patch-id interpret-trailers".split()
)
CHANGES = frozenset(
    "add commit merge cherry-pick revert mv rm init restore switch checkout stash rebase tag branch apply clean"
    " sparse-checkout format-patch worktree notes rerere "
    " ".split()
)
NETWORK = frozenset(
    "push pull fetch clone ls-remote submodule remote-http request-pull fetch-pack send-pack lfs svn p4"
    " archimport cvsimport"
    " imap-send send-email http-fetch http-push".split()
)
RUNS_PROGRAMS = frozenset(
    "difftool mergetool gui gitk citool instaweb web--browse daemon filter-branch bisect hook credential"
    " fsmonitor--daemon"
    " maintenance scalar shell upload-pack receive-pack upload-archive http-backend for-each-repo".split()
)
NOT_UNDONE = frozenset(
    "read-tree write-tree commit-tree hash-object update-index mktree checkout-index am "
    "gc prune repack prune-packed reflog-expire update-ref replace symbolic-ref pack-refs fast-import"
    " fast-export filter-repo"
    " unpack-objects index-pack bundle".split()
)
PAST_HOOKS = {
    "commit": ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite"),
    "merge": ("pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-merge", "pre-commit"),
    "checkout": ("post-checkout",), "switch": ("post-checkout",), "restore": (), "worktree": ("post-checkout",),
    "rebase": ("pre-rebase", "post-checkout", "post-rewrite", "pre-commit", "prepare-commit-msg", "commit-msg",
    "post-commit"),
    "am": ("applypatch-msg", "pre-applypatch", "post-applypatch"),
    "cherry-pick": ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"),
    "revert": ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"),
}  # fmt: skip
"""Hooks that a subcommand runs. Every change may run reference-transaction and post-index-change as well."""
EVERY_CHANGE = ("reference-transaction", "post-index-change", "pre-auto-gc")

GLOBAL_VALUES = frozenset(
    [
        "-C",
        "-c",
        "--git-dir",
        "--work-tree",
        "--namespace",
        "--super-prefix",
        "--config-env",
        "--attr-source",
        "--list-cmds",
    ]
)
GLOBAL_FLAGS = frozenset(
    "-p --paginate -P --no-pager --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs"
    " --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --version --help -h -v --html-path --man-path"
    " --info-path".split()
)
HARMLESS_KEY = re.compile(
    r"color\..*|column\..*|advice\..*|user\.(?:name|email)|author\.(?:name|email)|committer\.(?:name|email)|log\.(?:date|decorate|follow|"
    r"showsignature)|core\.(?:quotepath|abbrev|autocrlf|safecrlf|ignorecase|precomposeunicode|filemode|longpaths|commentchar)"
    r"|diff\.(?:noprefix|mnemonicprefix|renames|renamelimit|algorithm|context|colormoved|wserrorhighlight|submodule)|status\..*"
    r"|init\.defaultbranch|merge\.(?:conflictstyle|ff|stat|renames)|pull\.(?:rebase|ff)|push\.default|rebase\.(?:autostash|autosquash)"
    r"|commit\.(?:gpgsign|verbose|cleanup)|tag\.(?:gpgsign|sort)|rerere\..*|grep\.(?:linenumber|patterntype|column)|blame\..*|branch\.sort"
    r"|format\.pretty|gc\.auto|safe\.directory|index\.version|feature\..*|stash\..*|versionsort\..*|i18n\..*"
)
FALSE_VALUES = {"false", "no", "off", "0", ""}
OFF_SWITCH = re.compile(r"core\.fsmonitor|commit\.gpgsign|tag\.gpgsign|diff\.external|pager\..*")
"""Keys that may name a program but are harmless with a value that switches them off."""

HARMFUL_EVERYWHERE = (
    "--ext-diff",
    "--output",
    "--no-index",
    "--upload-pack",
    "--exec",
    "--receive-pack",
)
"""Options that run a program, write a file or read outside of the repository, whichever subcommand has them."""
FILE_OPTIONS = (
    "--file", "--template", "--contents", "--add-file", "--pathspec-from-file", "--exclude-from", "--ignore-revs-file",
    "--mailmap-file",
)  # fmt: skip
"""Options whose value is a file that git reads; what is in it may end in a commit or be shown."""
FILE_LETTERS = {
    "commit": "Ft", "tag": "F", "merge": "F", "notes": "F", "ls-files": "X", "grep": "f", "revert": "", "blame": "S",
}  # fmt: skip
HARMFUL_OPTIONS = {
    "grep": ("-O", "--open-files-in-pager", "--ext-grep"), "help": ("-w", "--web", "-i", "--info"),
    "rebase": ("-i", "--interactive", "-x", "--exec", "--edit-todo"), "add": ("-i", "--interactive", "-e",
    "--edit", "-p", "--patch"),
    "commit": ("-S", "--gpg-sign"), "tag": ("-s", "--sign", "-u", "--local-user"), "merge": ("-S", "--gpg-sign"),
    "cat-file": ("--filters", "--textconv"), "archive": ("--remote", "--format", "-o"),
    "interpret-trailers": ("--in-place",), "format-patch": ("-o", "--output-directory", "--output"),
    "stash": ("-p", "--patch"), "stash show": (), "init": ("--template", "--separate-git-dir"),
    "fsck": ("--lost-found",), "am": ("-i", "--interactive"), "clean": ("-i", "--interactive"),
}  # fmt: skip
