#!/usr/bin/env bash
# report.sh MAKE TARGET…: runs every target, also after a failure, and ends with one line for each.
set -uo pipefail
make=$1
shift
failed=0 summary=
for target in "$@"; do
  printf '\n== %s\n' "$target"
  start=$SECONDS
  if "$make" --no-print-directory "$target"; then outcome=passed; else outcome=FAILED failed=1; fi
  summary+=$(printf '%-14s %-6s %4d s' "$target" "$outcome" $((SECONDS - start)))$'\n'
done
printf '\n%s' "$summary"
exit $failed
