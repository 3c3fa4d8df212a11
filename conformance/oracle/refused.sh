# Sourced.  refuse MINOR WHAT LOG CODE: says why WHAT was not built, and exits: with 4 where modules cannot be had (a proxy
# that fails half way and a refused checksum are told from code that does not compile) or CODE is 4, else with 1.
refuse() {
    if why=$(grep -m 1 -E 'checksum mismatch|SECURITY ERROR|dial tcp|no such host|i/o timeout|lookup disabled|missing go.sum|reading (https?|file):|verifying|read "https?:|zip: not a valid|connection reset|handshake timeout|toolchain not available' "$3"); then
        echo "oracle: the modules of Kubernetes $1 cannot be had: $why" >&2
        exit 4
    fi
    if [ "$4" = 4 ]; then
        tail -n 1 "$3" >&2
        exit 4
    fi
    echo "oracle: $2 does not build against Kubernetes $1 (${3#"$root"/}):" >&2
    grep -v '^go: downloading' "$3" | head -n 5 >&2
    exit 1
}
