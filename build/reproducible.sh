#!/usr/bin/env bash
# Builds the last commit twice, in folders of different names, and compares what users install byte
# by byte. Arguments go to Maven, such as -o.
set -euo pipefail
root=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for copy in first elsewhere/second; do
  mkdir -p "$(dirname "$work/$copy")"
  git clone -q "$root" "$work/$copy"
  (
    cd "$work/$copy"
    ./mvnw -q package -Dquick "$@"
    find . -name '*.jar' -path '*/target/*' | LC_ALL=C sort | xargs sha256sum
  ) >"$work/sums-$(basename "$copy")"
done

if ! diff "$work/sums-first" "$work/sums-second"; then
  echo 'two builds of the same commit differ' >&2
  exit 1
fi
echo "$(wc -l <"$work/sums-first") jars, the same bytes in both builds"
