#!/bin/sh
# build_whole.sh MINOR: builds build/oracle/MINOR/kubelet-whole, the whole kubelet of that release.
# Exit 2: that release does not run whole; 4: no Go, or modules that cannot be had; 1: does not compile.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
minor=${1:?usage: build_whole.sh MINOR}
patch=$(awk -v minor="$minor" '/^1/ && $1 == minor { print $2 }' "$root/conformance/oracle/pod-releases")
if [ -z "$patch" ]; then
    echo "oracle: Kubernetes $minor is not among the releases of conformance/oracle/pod-releases" >&2
    exit 2
fi
out=$root/build/oracle/$minor
mkdir -p "$out"
"$root/conformance/adapters/kubelet/whole/build.sh" "$patch" "$out/kubelet-whole" 2>"$out/build-whole.log" && exit 0
code=$?
. "$root/conformance/oracle/refused.sh"
refuse "$minor" "the whole kubelet" "$out/build-whole.log" "$code"
