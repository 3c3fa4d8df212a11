#!/bin/sh
# build_whole.sh MINOR: builds build/oracle/MINOR/kubelet-whole, the whole kubelet of that release.
# Exit 2: that release does not run whole; 4: no Go, or modules that cannot be had; 1: does not compile.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
minor=${1:?usage: build_whole.sh MINOR}
patch=$(sed -n "s/^$minor //p" "$root/conformance/oracle/pod-releases")
if [ -z "$patch" ]; then
    echo "oracle: Kubernetes $minor is not among the releases of conformance/oracle/pod-releases" >&2
    exit 2
fi
out=$root/build/oracle/$minor
mkdir -p "$out"
"$root/conformance/adapters/kubelet/whole/build.sh" "$patch" "$out/kubelet-whole" 2>"$out/build-whole.log" && exit 0
code=$?
. "$root/conformance/oracle/refused.sh"
if why=$(refused "$out/build-whole.log"); then
    echo "oracle: the modules of Kubernetes $minor cannot be had: $why" >&2
    exit 4
fi
if [ "$code" = 4 ]; then
    tail -n 1 "$out/build-whole.log" >&2
    exit 4
fi
echo "oracle: the whole kubelet does not build against Kubernetes $minor (build/oracle/$minor/build-whole.log):" >&2
grep -v '^go: downloading' "$out/build-whole.log" | head -n 5 >&2
exit 1
