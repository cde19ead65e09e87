#!/usr/bin/env bash
# Packs the tests that need a GPU (tagged "gpu") with a Java run-time into an archive for Linux
# x86-64 machines that have a GPU and neither Java nor Maven:
#
#   validation/gpu-tests.sh ARCHIVE.tgz
#
# There: tar xzf ARCHIVE.tgz && allocsim/gpu-tests
set -eu

fail() {
  printf 'gpu-tests: %s\n' "$1" >&2
  exit 1
}

[ $# -eq 1 ] || fail "takes the archive to write."
archive=$(realpath -m -- "$1")
root=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

./allocsim bundle "$work/bundle.tgz" >"$work/log" 2>&1 || fail "bundling failed: $(tail -n 1 "$work/log")"
junit=$(sed -n 's|.*<junit.version>\(.*\)</junit.version>.*|\1|p' pom.xml)
# JUnit Jupiter 5.N belongs to JUnit Platform 1.N.
./mvnw --batch-mode -q -N dependency:copy "-DoutputDirectory=$work/console" -Dmdep.stripVersion=true \
  "-Dartifact=org.junit.platform:junit-platform-console-standalone:1.${junit#*.}" >"$work/log" 2>&1 ||
  fail "JUnit's console cannot be had: $(tail -n 3 "$work/log")"
./mvnw --batch-mode -q test-compile -Dmaven.compiler.failOnWarning=false >"$work/log" 2>&1 || fail "the tests do not compile: $(tail -n 3 "$work/log")"

tar -C "$work" -xzf "$work/bundle.tgz"
to=$work/allocsim
mkdir "$to/tests"
cp "$work/console/junit-platform-console-standalone.jar" "$to/tests/console.jar"
# Resources stay behind: the tests that need a GPU make their own traces.
cp -r validation/gpu/target/test-classes/org "$to/tests/"

cat >"$to/gpu-tests" <<'EOS'
#!/bin/sh
# Runs the tests tagged "gpu"; arguments go to JUnit's console.
self=$(readlink -f "$0")
root=${self%/*}
exec "$root/runtime/bin/java" --enable-native-access=ALL-UNNAMED -Djava.awt.headless=true \
  -Djava.library.path="$root/lib" \
  -cp "$root/tests/console.jar:$root/allocsim.jar:$root/lib/*:$root/tests" \
  org.junit.platform.console.ConsoleLauncher execute --disable-banner --include-tag gpu \
  --include-classname '.*GpuTest' --fail-if-no-tests \
  "--scan-classpath=$root/tests" "$@"
EOS
chmod 755 "$to/gpu-tests"
tar -C "$work" --owner=0 --group=0 --numeric-owner -czf "$archive" allocsim
printf '%s: %s bytes; unpack it on a machine with a GPU and run allocsim/gpu-tests\n' \
  "$archive" "$(wc -c <"$archive")"
