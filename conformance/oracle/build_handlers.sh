#!/bin/sh
# build_handlers.sh MINOR: builds build/oracle/MINOR/kubelet-handlers, layer fire alone, with the Go
# that the release itself is built with and its own defaults of GODEBUG: half of what a probe says
# comes from Go's net/http, net/url and crypto/tls.
# Exit 2: no such minor; 4: no Go, or modules that cannot be had; 1: the adapter does not compile.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
minor=${1:?usage: build_handlers.sh MINOR}
"$root/conformance/oracle/gomod.sh" "$minor" || exit

# Of Go 1.19.6, which 1.23.17 has, the module proxy knows nothing.
own=$(sed -n "s/^LAST(V(${minor#1.}, [0-9]*), *GO(\([0-9]*\), \([0-9]*\), \([0-9]*\)).*/\1.\2.\3/p" "$root/core/rules/built.def" |
    sed 's/^1\.19\.6$/1.19.5/')
out=$root/build/oracle/$minor
log=$out/build-handlers.log
. "$root/conformance/oracle/tags.sh"
tags=$(tags "$minor"),own

# A folder of its own, with what layer fire needs of the adapter.  Old Go misreads //go:build, and tags have chosen already.
folder=$out/handlers
rm -f "$folder"/*.go
mkdir -p "$folder"
cd "$root/conformance/adapters/kubelet" || exit 1
for file in $(go list -e -tags "$tags" -f '{{join .GoFiles " "}}' .); do
    case $file in
    own.go | own_bench.go | own_port.go | wire.go | hello.go | gates.go | fire.go | fire_exec.go | port.go | port_exported.go | rel_facts.go | \
        rel_http_* | rel_grpc_* | rel_h2c_* | rel_timeout_*)
        sed '/^\/\/go:build /d' "$file" >"$folder/$file"
        ;;
    esac
done
upstream=$(sed -n 's/.*"GoMod": "\(.*\)",*/\1/p' "$out/download.json")
{
    sed -e '/^godebug /d' -e "s/^go .*/$(grep '^go ' "$upstream")/" \
        -e "s,\.\./release,$root/conformance/adapters/release," "$out/go.mod.base"
    # The release's own defaults: a line alone, or lines in brackets.
    sed -n -e '/^godebug (/,/^)/p' -e '/^godebug [a-z]/p' "$upstream"
} >"$folder/go.mod.new"
# Left alone when nothing changed, as in gomod.sh.
if ! cmp -s "$folder/go.mod.new" "$folder/go.mod.base"; then
    cp "$folder/go.mod.new" "$folder/go.mod"
    mv "$folder/go.mod.new" "$folder/go.mod.base"
else
    rm "$folder/go.mod.new"
fi

stamp='-s -w'
for package in k8s.io/component-base/version k8s.io/kubernetes/pkg/version; do
    stamp="$stamp -X $package.gitMajor=1 -X $package.gitMinor=${minor#1.}"
done
trim=-trimpath
case $own in 1.12.*) trim= ;; esac
cd "$folder" || exit 1
# The Go of today resolves and fetches; the old one, which may know neither proxies nor sums nor flags of today, finds all there.
# shellcheck disable=SC2086
GOTOOLCHAIN=go$own GOFLAGS=-p=2 go version >"$log" 2>&1 &&
    GOFLAGS=-mod=mod go list -deps . >/dev/null 2>>"$log" &&
    GOTOOLCHAIN=go$own GOPROXY=off GOFLAGS=-p=2 nice -n 19 go build $trim -ldflags="$stamp" -o "$out/kubelet-handlers" . 2>>"$log" &&
    exit 0

. "$root/conformance/oracle/refused.sh"
refuse "$minor" "the adapter of layer fire" "$log" 1
