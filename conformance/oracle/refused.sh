# Sourced.  refused LOG: the first line of a build's log that says that a module cannot be had: a proxy
# that fails half way and a refused checksum are told from code that does not compile.
refused() {
    grep -m 1 -E 'checksum mismatch|SECURITY ERROR|dial tcp|no such host|i/o timeout|lookup disabled|missing go.sum|reading (https?|file):|verifying|read "https?:|zip: not a valid|connection reset|handshake timeout' "$1"
}
