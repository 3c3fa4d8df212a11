#!/bin/sh
# pack.sh FILE...: files below conformance/ as conformance/table/builtin.h wants them, in C.  Lines of YAML that are comments are empty
# there: nothing reads them, and every other line keeps its number.
set -eu
# A comment of YAML; in a block of text, which ends where a line stands no deeper than what began it, a # is text.  In a quoted text of
# several lines it would be too: there is none.
comments='{ match($0, /^ */); depth = RLENGTH }
    inside && NF && depth <= block { inside = 0 }
    !inside && /^ *#/ { print ""; next }
    { print }
    !inside {
        line = $0
        gsub(/"([^"\\]|\\.)*"|\047[^\047]*\047/, "")
        sub(/(^| )#.*/, "")
        if (/(^ *|[-:,] +|[[{] *)["\047]/) {
            print FILENAME ":" FNR ": a quoted text goes on in the next line" >"/dev/stderr"
            exit 1
        }
        $0 = line
    }
    !inside && /[|>][-+0-9]*( +#.*)?$/ { inside = 1; block = depth }'
bytes=$(mktemp)
text=$(mktemp)
trap 'rm -f "$bytes" "$text"' EXIT
for file in "$@"; do
    case $file in *.yaml) awk "$comments" "$file" >"$text" ;; *) cat "$file" >"$text" ;; esac
    echo "${file#conformance/} $(($(wc -c <"$text")))"
    cat "$text"
done >"$bytes"
echo "#define TABLE_BYTES $(($(wc -c <"$bytes")))"
printf '#define TABLE '
gzip -9nc "$bytes" | od -An -v -tu1 | sed 's/^ *//; s/  */,/g; s/$/, \\/'
echo
