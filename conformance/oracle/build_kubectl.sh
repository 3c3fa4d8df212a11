#!/bin/sh
# build_kubectl.sh MINOR: builds build/oracle/MINOR/kubectl-adapter: client-go's event correlator and kubectl's printing of
# that release.
# Exit 2: no such minor; 4: no Go, or modules that cannot be had; 1: the adapter does not compile.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
minor=${1:?usage: build_kubectl.sh MINOR}
"$root/conformance/oracle/gomod.sh" "$minor" || exit
out=$root/build/oracle/$minor
. "$root/conformance/oracle/tags.sh"
cd "$root/conformance/adapters/kubectl" || exit 1
export GOFLAGS=-mod=mod
nice -n 19 go build -p 2 -trimpath -buildvcs=false -tags "$(tags "$minor")" -modfile="$out/go.mod" -o "$out/kubectl-adapter" . \
    2>"$out/build-kubectl.log" && exit 0

. "$root/conformance/oracle/refused.sh"
refuse "$minor" "kubectl's adapter" "$out/build-kubectl.log" 1
