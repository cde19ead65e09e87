#!/usr/bin/env bash
# Packs allocsim with a Java run-time, the one native library that it needs and the licences of all
# into an archive that runs on Linux x86-64 machines without Java:
#
#   validation/bundle.sh APP JDK ARCHIVE [PART=FOLDER...]
#
#   APP      folder with allocsim.jar and lib/, as the build makes it
#   JDK      folder of a JDK 25 or newer
#   ARCHIVE  the .tgz to write
#   PART     an optional part, bench or parquet, with the folder of its jars
set -eu

fail() {
  printf 'allocsim: %s\n' "$1" >&2
  exit 1
}

[ $# -ge 3 ] || fail "bundle takes the application's folder, a JDK and the archive to write."
app=$1
jdk=$2
archive=$3
shift 3
# Parquet is the largest part.
most_bytes=$((60000000 + 12000000 * $#))
sources=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)

[ -f "$app/allocsim.jar" ] || fail "$app has no allocsim.jar; build it first."
app=$(CDPATH='' cd -P -- "$app" && pwd) || fail "cannot enter the folder $app."
[ -x "$jdk/bin/jlink" ] || fail "$jdk has no bin/jlink; name a whole JDK with ALLOCSIM_JAVA."
[ "$(uname -sm)" = "Linux x86_64" ] || fail "bundles are made on Linux x86-64 only, as run-time and native library are its own."
case $archive in
  *.tgz | *.tar.gz) ;;
  *) fail "$archive does not end in .tgz; name such a file." ;;
esac
[ -d "$(dirname "$archive")" ] || fail "the folder of $archive does not exist; make it first."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
to=$work/allocsim
mkdir -p "$to/lib"

# Times in archives come from the sources, so that the same sources give the same bytes.
made=$(sed -n 's:.*<project.build.outputTimestamp>\(.*\)</.*:\1:p' "$sources/pom.xml")
[ -n "$made" ] || fail "$sources/pom.xml names no project.build.outputTimestamp; get the sources of allocsim anew."

# The image says whose it is, for the list of what an archive has.
"$jdk/bin/jlink" --release-info "$jdk/release" \
  --add-modules java.base,java.desktop,java.logging,java.management,jdk.management,jdk.unsupported \
  --strip-debug --no-header-files --no-man-pages --compress zip-9 --output "$to/runtime" ||
  fail "jlink of $jdk failed."

cp "$app/allocsim.jar" "$to/"
cp "$sources/LICENSE" "$sources/NOTICE" "$to/" && cp -r "$sources/build/licences/texts" "$to/licences" ||
  fail "$sources lacks LICENSE, NOTICE or texts of licences; get the sources of allocsim anew."
options=org/allocsim/simulator/jvm.options
(cd "$work" && "$jdk/bin/jar" xf "$app"/lib/allocsim-simulator-*.jar "$options" && mv "$options" "$to/") ||
  fail "$app/lib has no $options; build allocsim again."
native=
for jar in "$app"/lib/*.jar; do
  case ${jar##*/} in
    jcuda-natives-*) native=$jar ;;
    *) cp "$jar" "$to/lib/" ;;
  esac
done
for part; do
  mkdir -p "$to/parts/${part%%=*}"
  cp "${part#*=}"/*.jar "$to/parts/${part%%=*}/" || fail "${part#*=} has no jars; build allocsim again."
done
# Of a library's platforms only this one is needed; they are 6 MB.
for jar in "$to"/lib/zstd-jni-*.jar; do
  [ -f "$jar" ] || continue
  others=$work/zstd
  mkdir "$others"
  (cd "$others" && "$jdk/bin/jar" xf "$jar" &&
    find . -type f \( -name '*.so' -o -name '*.dll' -o -name '*.dylib' -o -name '*.jnilib' \) ! -path './linux/amd64/*' -delete &&
    find . -type f ! -path ./META-INF/MANIFEST.MF | LC_ALL=C sort >"$work/zstd-files" &&
    "$jdk/bin/jar" --create --file "$jar" --manifest META-INF/MANIFEST.MF --date "$made" "@$work/zstd-files") || fail "$jar cannot be repacked."
done
[ -n "$native" ] || fail "$app/lib has no jcuda-natives jar; build allocsim again."
# The driver API needs one of its four libraries.
library=$(cd "$work" && "$jdk/bin/jar" tf "$native" | grep 'libJCudaDriver-.*-linux-x86_64\.so$') ||
  fail "$native has no libJCudaDriver."
(cd "$work" && "$jdk/bin/jar" xf "$native" "$library" && mv "$library" "$to/lib/")

cat >"$to/allocsim" <<'EOF'
#!/bin/sh
# Starts allocsim with its own Java; ALLOCSIM_HEAP bounds the Java heap (4g), by default half of the
# machine's memory, and ALLOCSIM_JAVA_OPTS holds further options for the JVM.
self=$(readlink -f "$0")
root=${self%/*}
# In the locale C Java knows no name beyond ASCII.
case $(locale charmap 2>/dev/null) in
  ANSI* | US-ASCII) { export LC_ALL=C.UTF-8; } 2>/dev/null ;;
esac
# Tables fit the terminal.
if [ -z "${COLUMNS:-}" ] && [ -t 1 ]; then
  { size=$(stty size <&3 2>/dev/null) || size=; } 3<&1
  case ${size##* } in
    '' | 0 | *[!0-9]*) ;;
    *) export COLUMNS="${size##* }" ;;
  esac
fi
main=org.allocsim.reports.cli.Main
case ${1:-} in
  # Optional parts, where they were packed, are on the class path of the commands that use them.
  bench) set -- -cp "$root/allocsim.jar:$root/parts/bench/*" "$main" "$@" ;;
  sweep) set -- -cp "$root/allocsim.jar:$root/parts/parquet/*" "$main" "$@" ;;
  *)
    case " $* " in
      *' --figure'*) set -- -cp "$root/allocsim.jar:$root/parts/parquet/*" "$main" "$@" ;;
      *) set -- -jar "$root/allocsim.jar" "$@" ;;
    esac
    ;;
esac
case ${ALLOCSIM_HEAP:-} in
  '') ;;
  *[!0-9kKmMgG]* | [!1-9]* | *[kKmMgG]?*)
    printf 'allocsim: %s\n' "ALLOCSIM_HEAP is $ALLOCSIM_HEAP; give a size such as 512m or 4g." >&2
    exit 1
    ;;
esac
exec "$root/runtime/bin/java" "@$root/jvm.options" -Djava.library.path="$root/lib" \
  ${ALLOCSIM_HEAP:+-Xms64m "-Xmx$ALLOCSIM_HEAP"} \
  ${ALLOCSIM_JAVA_OPTS:-} "$@"
EOF
chmod 755 "$to/allocsim"

tar -C "$work" --sort=name --mtime="$made" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w -cf "$work/bundle.tar" allocsim
gzip -n <"$work/bundle.tar" >"$work/bundle.tgz"
bytes=$(wc -c <"$work/bundle.tgz")
[ "$bytes" -le "$most_bytes" ] ||
  fail "the bundle would have $bytes bytes, more than $most_bytes; nothing was written."
mv -f "$work/bundle.tgz" "$archive"
printf '%s: %s bytes; unpack it anywhere and run allocsim/allocsim\n' "$archive" "$bytes"
