#!/bin/sh
# build.sh MINOR: builds build/oracle/MINOR/kubelet-adapter from that release's published module.
# build.sh MINOR test: runs the adapter's own tests against that release instead.
# Exit 2: no such minor; 4: no Go, or modules that cannot be had; 1: the adapter does not compile.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
minor=${1:?usage: build.sh MINOR}
"$root/conformance/oracle/gomod.sh" "$minor" || exit

out=$root/build/oracle/$minor
. "$root/conformance/oracle/tags.sh"
tags=$(tags "$minor")
cd "$root/conformance/adapters/kubelet" || exit 1
export GOFLAGS=-mod=mod
if [ "${2:-}" = test ]; then
    exec nice -n 19 go test -p 2 -trimpath -buildvcs=false -tags "$tags" -modfile="$out/go.mod" .
fi
# A release build is told its version, which the HTTP and gRPC handlers send.
stamp='-s -w'
for package in k8s.io/component-base/version k8s.io/kubernetes/pkg/version; do
    stamp="$stamp -X $package.gitMajor=1 -X $package.gitMinor=${minor#1.}"
done
nice -n 19 go build -p 2 -trimpath -buildvcs=false -ldflags="$stamp" -tags "$tags" \
    -modfile="$out/go.mod" -o "$out/kubelet-adapter" . 2>"$out/build.log" && exit 0

. "$root/conformance/oracle/refused.sh"
refuse "$minor" "the adapter" "$out/build.log" 1
