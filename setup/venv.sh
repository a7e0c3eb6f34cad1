#!/usr/bin/env bash
# venv.sh VENV REQUIREMENTS: a virtual environment with exactly these packages.
set -euo pipefail
venv=$1 requirements=$2

# Prints a Python that can build extension modules: 3.10 or newer, with its headers and the venv module.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3.11 python3 /usr/bin/python3; do
    if "$candidate" - <<'PY' 2>/dev/null
import ensurepip, os, sys, sysconfig, venv
headers = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(sys.version_info < (3, 10) or not os.path.exists(headers))
PY
    then
      command -v "$candidate"
      return
    fi
  done
  echo "setup: no Python 3.10 or newer with headers and venv; set PYTHON" >&2
  return 1
}

python=$(find_python)
echo "setup: $venv from $python"
"$python" -m venv --clear "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --requirement "$requirements"
