#!/bin/bash
# Set-up and demo from nothing: bootstraps a root of the Debian release this machine does not run, puts a clean copy of
# HEAD into it and runs `make demo` there, first as root and then, in a second fresh root, as a plain user with sudo.
# TRY names other targets to make, in order (TRY="demo check test"); what follows a failure is made too, and the failure
# is the result.
#
# Needs root and mmdebstrap. The mirror is the one this machine's apt uses; how pip and npm reach their registries is
# taken over too. Everything started inside ends with it; the roots are removed, what the demo made is kept.
set -euo pipefail
cd "$(dirname "$0")/.."
try=${TRY:-demo}

say() { printf 'try-debian: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }

[[ $EUID == 0 ]] || fail "a root of another release can only be made by root: sudo make try-debian"
command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing; make setup installs it"
git diff --quiet HEAD || say "uncommitted changes are not part of this: it tries HEAD"

case $(. /etc/os-release; printf %s "${VERSION_CODENAME:-}") in
  bookworm) other=trixie ;;
  *) other=bookworm ;;
esac
sources=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{sources,list} 2>/dev/null || true)
mirror=$(grep -v '^ *#' <<<"$sources" | grep -oE '[a-z+]+://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ' || true)
[[ -n $mirror ]] || fail "no Debian mirror in this machine's apt sources"

place=$(mktemp -d /var/tmp/try-debian.XXXXXX)
trap 'rm -rf --one-file-system "$place"' EXIT

bootstrap() {
  mmdebstrap --quiet --variant=apt --include=ca-certificates,make,passwd,sudo "$@" "$other" "$place/base" "$mirror"
}
say "bootstrapping $other"
if ! bootstrap; then
  # A mirror that lags is past its Valid-Until date; signatures still verify, and are still checked.
  say "trying again with the age of the package lists unchecked (signatures stay checked)"
  rm -rf "$place/base"
  bootstrap --aptopt='Acquire::Check-Valid-Until "false"'
fi

# reach ROOT: let programs inside reach the registries the way this machine does.
reach() {
  local file
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
    [[ ! -e $file ]] || cp -L "$file" "$1$file"
  done
}
mapfile -t passed < <(env | grep -E '^(PIP_[A-Z_]+|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|npm_config_registry|NODE_EXTRA_CA_CERTS)=' || true)

# inside ROOT USER HOME: make what is to be tried there, in namespaces that end with it.
inside() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --pid --fork --kill-child bash -euc '
    root=$1 user=$2 home=$3 try=$4; shift 4
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mkdir -p "$root/dev/shm" "$root/dev/pts"
    mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
    mount -t devpts -o ptmxmode=666,newinstance devpts "$root/dev/pts"
    mount -t tmpfs -o mode=1777 tmp "$root/tmp"
    mount -t tmpfs -o mode=755 run "$root/run"
    exec chroot "$root" setpriv --reuid "$user" --regid "$user" --init-groups \
      env -i HOME="$home" USER="$user" LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin "$@" \
      make --no-print-directory --keep-going -C "$home/slate" $try
  ' inside "$@" "$try" "${passed[@]}" </dev/null
}

# trial NAME USER HOME
trial() {
  local root=$place/$1 user=$2 home=$3 began=$SECONDS
  say "$other, $1"
  cp -a --reflink=auto "$place/base" "$root"
  reach "$root"
  if [[ $user != root ]]; then
    chroot "$root" useradd --create-home --home-dir "$home" --shell /bin/bash "$user"
    printf '%s ALL=(ALL) NOPASSWD: ALL\n' "$user" >"$root/etc/sudoers.d/$user"
  fi
  # A clone and no archive: tests read the index and the history.
  git clone --quiet --no-hardlinks . "$root$home/slate"
  chroot "$root" chown -R "$user:" "$home"
  if inside "$root" "$user" "$home"; then
    say "$other, $1: $try: done in $((SECONDS - began)) s"
  else
    failed=1
    say "$other, $1: $try: FAILED after $((SECONDS - began)) s"
  fi
  if [[ -d $root$home/slate/demo/out ]]; then
    mkdir -p "demo/out/$other-$1"
    cp -r "$root$home/slate/demo/out/." "demo/out/$other-$1/"
    say "its picture is in demo/out/$other-$1"
  fi
  rm -rf --one-file-system "$root"
}

failed=0
trial root root /srv/root
trial plain-user person /srv/person
((!failed)) || fail "not all of it went well on $other"
