#!/bin/sh
# build.sh VERSION OUTPUT: build the adapter against one release of k8s.io/kubernetes.
#
# Exit 4 when Go is missing or the module cannot be had, with one line that says so.
set -eu
[ $# -eq 2 ] || { echo "usage: build.sh 1.MINOR.PATCH OUTPUT" >&2; exit 2; }
version=$1 output=$2
here=$(cd "$(dirname "$0")" && pwd)
command -v go >/dev/null || { echo "build.sh: Go is not installed; the kubelet oracle needs it" >&2; exit 4; }
mkdir -p "$(dirname "$output")"
output=$(cd "$(dirname "$output")" && pwd)/$(basename "$output")
mod=$output.mod
python3 "$here/gomod.py" "$version" >"$mod.new" || { rm -f "$mod.new"; exit 4; }
# The generated file is kept as long as it stays the same, and with it what go added to it.
if ! cmp -s "$mod.new" "$mod.base" 2>/dev/null; then
    cp "$mod.new" "$mod"
    cp "$mod.new" "$mod.base"
    rm -f "$output.sum"
fi
rm -f "$mod.new"
minor=${version#1.}
minor=${minor%%.*}
tags=
n=16
while [ "$n" -le "$minor" ]; do
    tags=$tags,ge$n
    n=$((n + 1))
done
# Up to 1.20 time is that of the whole process (clock_process.go), where a thread of cgo's would hold it.
if [ "$minor" -le 20 ]; then
    tags=$tags,faketime
    export CGO_ENABLED=0
fi
cd "$here"
ldflags="-s -w -X main.release=$version -X k8s.io/component-base/version.gitVersion=v$version"
exec nice -n 19 go build -mod=mod -modfile="$mod" -p 2 -trimpath -tags "${tags#,}" -ldflags "$ldflags" -o "$output" .
