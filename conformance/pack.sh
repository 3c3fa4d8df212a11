#!/bin/sh
# pack.sh FILE...: files below conformance/ as conformance/table/builtin.h wants them, in C.
set -eu
bytes=$(mktemp)
trap 'rm -f "$bytes"' EXIT
for file in "$@"; do
    echo "${file#conformance/} $(($(wc -c <"$file")))"
    cat "$file"
done >"$bytes"
echo "#define TABLE_BYTES $(($(wc -c <"$bytes")))"
printf '#define TABLE '
gzip -9nc "$bytes" | od -An -v -tu1 | sed 's/^ *//; s/  */,/g; s/$/, \\/'
echo
