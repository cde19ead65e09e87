#!/usr/bin/env bash
# Makes .mvn/checksums/checksums.sha256 anew: the SHA-256 of every artifact that any build of this
# project takes from outside, plugins and POMs included. Needed after a version has changed; look at
# what changed in the list before it is committed. Everything is fetched anew into a folder of its
# own, so that nothing is recorded that only this machine has.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

record() {
  ./mvnw -q -B "-Dmaven.repo.local=$work/repository" -Dmaven.install.skip=true \
    -Daether.artifactResolver.postProcessor.trustedChecksums.record=true "$@"
}

mv .mvn/checksums/checksums.sha256 "$work/before"
trap 'mv -f "$work/before" .mvn/checksums/checksums.sha256; rm -rf "$work"' EXIT
record package -Dquick
# One test finds what runs tests; what is compiled for browsers and fuzzed needs no more than this.
record verify -Pfuzz,spark,sbom,publish,web -DskipITs -Dexec.skip -Dmaven.javadoc.skip \
  -Dtest=SimilarNameTest -Dsurefire.failIfNoSpecifiedTests=false
record -N -Ppublish clean deploy "-DaltDeploymentRepository=folder::file:$work/deployed"
record -N versions:help
record -Pmutation -pl simulator test-compile pitest:mutationCoverage \
  -DtargetClasses='org.allocsim.simulator.typed.SimilarName' -DtargetTests='org.allocsim.simulator.typed.*' ||
  echo 'PIT ended early, which it does where JAVA_HOME is older than JDK 25' >&2
rm -f .mvn/checksums/*.bak
trap 'rm -rf "$work"' EXIT
git --no-pager diff --stat -- .mvn/checksums
