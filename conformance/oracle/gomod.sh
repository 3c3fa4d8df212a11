#!/bin/sh
# gomod.sh MINOR: writes build/oracle/MINOR/go.mod, the module of the adapter for one Kubernetes
# release: k8s.io/kubernetes as an ordinary requirement, each of its staging modules replaced by
# its published twin; and the folder that tells adapters which release they are (adapters/release).
# Prints nothing on success.  Exit 2: no such minor; 4: no Go or no module.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
minor=${1:?usage: gomod.sh MINOR}
line=$(awk -v minor="$minor" '/^1/ && $1 == minor' "$root/conformance/oracle/releases")
if [ -z "$line" ]; then
    echo "oracle: Kubernetes $minor is not among the releases of conformance/oracle/releases" >&2
    exit 2
fi
command -v go >/dev/null || { echo "oracle: no Go toolchain: the recordings stand in" >&2; exit 4; }

set -- $line
shift
patch=$1
shift
out=$root/build/oracle/$minor
mkdir -p "$out"
if ! go mod download -json "k8s.io/kubernetes@v$patch" >"$out/download.json" 2>"$out/download.err"; then
    why=$(sed -n 's/.*"Error": "\(.*\)",*$/\1/p' "$out/download.json" | sed 's/\\n.*//')
    echo "oracle: k8s.io/kubernetes v$patch cannot be had: ${why:-$(tail -n 1 "$out/download.err")}" >&2
    exit 4
fi
upstream=$(sed -n 's/.*"GoMod": "\(.*\)",*/\1/p' "$out/download.json")

# What Go leaves as it was for an older module (GODEBUG) goes by the kubelet's go.mod, not by the adapter's; but
# virtual time (testing/synctest) wants the timers of Go 1.23.
godebug=$(awk '/^godebug default=/ { sub(/.*=/, ""); line = $0 } /^go / && !line { line = "go" $2 } END { print line }' \
    "$upstream")

{
    echo "module probetest.local/kubelet"
    echo "go 1.26.0"
    echo "godebug default=${godebug:-go1.20}"
    echo "godebug asynctimerchan=0"
    echo "require k8s.io/kubernetes v$patch"
    echo "require probetest.local/release v0.0.0"
    echo "replace probetest.local/release => ../release"
    awk -v v="v0.${patch#1.}" -v odd="$*" '
        BEGIN {
            n = split(odd, pair, " ")
            for (i = 1; i <= n; i++) {
                eq = index(pair[i], "=")
                from = substr(pair[i], 1, eq - 1)
                to = substr(pair[i], eq + 1)
                at = index(to, "@")
                special[from] = at ? substr(to, 1, at - 1) " " substr(to, at + 1) : from " " to
            }
        }
        # Staging modules are those that the release replaces by its own ./staging folder.
        $0 ~ /=> \.\/staging\/src\// || $0 ~ /^\t*k8s\.io\/[a-z-]+ v0\.0\.0$/ {
            for (i = 1; i <= NF; i++)
                if ($i ~ /^k8s\.io\//) { seen[$i] = 1; break }
        }
        END {
            for (m in special) seen[m] = 1
            for (m in seen)
                print "replace " m " => " ((m in special) ? special[m] : m " " v)
        }' "$upstream" | LC_ALL=C sort
} >"$out/go.mod.new"
# Left alone when nothing changed, so that requirements that the go command has added stay.
if ! cmp -s "$out/go.mod.new" "$out/go.mod.base"; then
    cp "$out/go.mod.new" "$out/go.mod"
    mv "$out/go.mod.new" "$out/go.mod.base"
else
    rm "$out/go.mod.new"
fi
