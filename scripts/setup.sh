#!/bin/bash
# Makes this clone ready for the demo, checks and tests: system packages, .venv, the private sway, the MCP inspector.
# Debian 12 and 13, as root or as a plain user with sudo. Asks nothing, does only what is missing, quick when nothing is.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*"; }

missing_packages() {
  local entry package command
  while read -r entry _; do
    [[ -z $entry || $entry == '#'* ]] && continue
    package=${entry%%:*} command=${entry#*:}
    [[ $entry == *:* ]] && command -v "$command" >/dev/null && continue
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || printf '%s\n' "$package"
  done <scripts/packages.txt
}

# Root runs it, a plain user through sudo; where sudo would have to ask and cannot, it fails instead of hanging.
as_root() {
  if ((EUID == 0)); then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif [[ -t 0 ]]; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

apt_install() { as_root apt-get install -qqy --no-install-recommends "$@" </dev/null >/dev/null; }

install_packages() {
  local -a packages
  mapfile -t packages < <(missing_packages)
  ((${#packages[@]})) || return 0
  local command="apt-get install -y --no-install-recommends ${packages[*]}"
  if ! command -v apt-get >/dev/null; then
    say "this is not Debian; please install what these packages hold: ${packages[*]}"
    return 1
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    say "packages are missing and there is no sudo. Please ask an administrator to run:"
    printf '\n    %s\n\n' "$command"
    return 1
  fi
  say "installing ${packages[*]}"
  # One unreachable source of many fails the update although all we need may be there: the install decides.
  as_root apt-get update -qq </dev/null || say "apt-get update had errors; trying the installation all the same"
  apt_install "${packages[@]}" && return 0
  # A mirror that lags is past its Valid-Until date. Its signatures still verify, and are still checked.
  say "trying again with the age of the package lists unchecked (signatures stay checked)"
  as_root apt-get -o Acquire::Check-Valid-Until=false update -qq </dev/null || true
  apt_install "${packages[@]}" && return 0
  say "could not install them. Please run, as an administrator:"
  printf '\n    %s\n\n' "$command"
  return 1
}

# ready NAME FILE…: true when the step NAME was finished with exactly these files.
digest() { sha256sum "$@" | sha256sum | cut -d' ' -f1; }
ready() { [[ -f .venv/ready-$1 && $(<".venv/ready-$1") == "$(digest "${@:2}")" ]]; }
mark() { digest "${@:2}" >".venv/ready-$1"; }

install_python() {
  local -a inputs=(pyproject.toml requirements-dev.lock scripts/setup.sh)
  # A venv outlives neither its folder's move nor its Python's upgrade.
  if [[ ! -x .venv/bin/python ]] || ! .venv/bin/pip --version 2>/dev/null | grep -qF "$PWD/.venv"; then
    say "making .venv"
    rm -rf .venv
    /usr/bin/python3 -m venv --system-site-packages .venv
  fi
  ready python "${inputs[@]}" && return 0
  say "installing the locked Python packages"
  .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation --editable .
  mark python "${inputs[@]}"
}

install_inspector() {
  local folder=tests/mcp/inspector
  local -a inputs=("$folder/package.json" "$folder/package-lock.json")
  [[ -d $folder/node_modules ]] && ready inspector "${inputs[@]}" && return 0
  say "installing the MCP inspector"
  npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error </dev/null
  mark inspector "${inputs[@]}"
}

install_packages
install_python
install_inspector
.venv/bin/slate-desktop runtime install
