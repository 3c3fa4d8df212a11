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
if why=$(refused "$out/build-kubectl.log"); then
    echo "oracle: the modules of Kubernetes $minor cannot be had: $why" >&2
    exit 4
fi
echo "oracle: kubectl's adapter does not build against Kubernetes $minor (build/oracle/$minor/build-kubectl.log):" >&2
grep -v '^go: downloading' "$out/build-kubectl.log" | head -n 5 >&2
exit 1
