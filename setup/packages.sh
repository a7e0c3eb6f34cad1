#!/usr/bin/env bash
# packages.sh VENV FOLDER: the source archives of packages that are installed without their tests, unpacked in FOLDER.
set -euo pipefail
venv=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
"$venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-input --no-deps --no-binary filterpy \
  --dest "$folder" filterpy==1.4.5
for archive in "$folder"/*.zip; do
  "$venv/bin/python" -m zipfile -e "$archive" "$folder"
done
