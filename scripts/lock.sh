#!/bin/bash
# Writes requirements.lock (what runs) and requirements-dev.lock (what also checks and tests) from pyproject.toml.
#
# Resolved once for every Python and machine we support, with the hash of every file of each release, so that the same
# lock installs on Python 3.11 and 3.13, x86_64 and aarch64. No index address is written down: pip uses the one it is
# configured with.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
/usr/bin/python3 -m venv "$tool"
"$tool/bin/pip" install -q 'uv>=0.13,<0.14'

compile() {
  "$tool/bin/uv" pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
    --no-header --no-annotate --no-emit-index-url --quiet "$@"
}
compile -o requirements.lock
compile --group dev --constraint requirements.lock -o requirements-dev.lock
