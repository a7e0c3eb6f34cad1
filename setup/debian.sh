#!/usr/bin/env bash
# debian.sh [PACKAGE…]: installs what is missing of debian-packages.txt and of the packages named.
# Asks nothing; needs root or sudo only when something is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mapfile -t wanted < <(grep -vE '^\s*(#|$)' "$here/debian-packages.txt"; printf '%s\n' "$@" | sed '/^$/d')

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is no Debian; install the counterparts of setup/debian-packages.txt and run CMake yourself" >&2
  exit 1
fi

# dpkg-query fails when it knows nothing of a package, which is an answer here.
missing_packages() {
  local have
  have=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort) <(printf '%s\n' "$have" | sed -n 's/^ii *//p' | sort)
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo ${CI:+-n} env DEBIAN_FRONTEND=noninteractive "$@"
  else
    echo "setup: neither root nor sudo; as root run: apt-get install ${missing[*]}" >&2
    return 1
  fi
}

mapfile -t missing < <(missing_packages)
if [ ${#missing[@]} -gt 0 ]; then
  echo "setup: installing ${missing[*]}"
  as_root apt-get -qq -o DPkg::Lock::Timeout=600 update
  as_root apt-get -qq -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 install -y --no-install-recommends "${missing[@]}" >/dev/null
fi

# The names pin LLVM's major version; the code is written against this minor one.
version=$(dpkg-query -W -f '${Version}' libmlir-22-dev)
case "$version" in
  *22.1.*) ;;
  *) echo "setup: libmlir-22-dev is $version; Quernel is built and tested with 22.1" >&2; exit 1 ;;
esac
