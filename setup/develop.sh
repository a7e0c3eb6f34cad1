#!/usr/bin/env bash
# develop.sh VENV TREE: the environment imports the package from TREE, where CMake puts it; nothing is copied.
set -euo pipefail
venv=$1 tree=$2
site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
printf '%s\n' "$tree" >"$site/quernel.pth"
cat >"$venv/bin/quernel" <<SCRIPT
#!$(cd "$venv" && pwd)/bin/python
import sys

from quernel.cli import main

sys.exit(main())
SCRIPT
chmod +x "$venv/bin/quernel"
