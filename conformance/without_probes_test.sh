#!/bin/sh
# without_probes_test.sh COMMAND: the command that `make PROBES=0` builds: what it does without, and that it plays all else, from any folder.
set -u
command=$PWD/$1
pod=$PWD/conformance/examples/web.yaml
fail() {
    echo "without probes: $*" >&2
    exit 1
}
ldd "$command" 2>/dev/null | grep -E 'libcurl|libssl|libcrypto|libnghttp2' && fail 'it is linked with what it is to do without'
cd / || exit
said=$("$command" probe "$pod" 2>&1)
[ $? = 2 ] || fail 'probe: wanted exit code 2'
[ "$said" = 'probetest probe: this probetest was built without real probes (make PROBES=0)' ] || fail "probe: $said"
said=$("$command" run --quiet) || fail "$said"
echo "without probes: $(echo "$said" | tail -1)"
said=$("$command" run --quiet '^fire-' 2>&1) && fail 'fire: wanted a failure'
echo "$said" | grep -q 'nothing was judged' || fail "fire: $said"
"$command" explain P-046 >/dev/null || fail explain
"$command" lint "$pod" >/dev/null || fail lint
