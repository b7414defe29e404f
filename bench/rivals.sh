#!/bin/bash
# Installs the rival of the benchmark that is no Debian package, pinned, in an environment of its own. Quick when it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
place=.venv/rivals
wanted=$(sha256sum bench/rivals.txt)
[[ -f $place/ready && $(<"$place/ready") == "$wanted" ]] && exit 0
rm -rf "$place"
mkdir -p "$place"
/usr/bin/python3 -m venv "$place"
"$place/bin/python" -m pip install -q --disable-pip-version-check --require-hashes -r bench/rivals.txt
printf '%s\n' "$wanted" >"$place/ready"
