#!/bin/sh
# floors.sh: a file includes only its own floor or below: core < core/handlers < fakes < conformance < fuzz.
# Tests stand beside their module and may use the fakes.
bad=$(grep -rnE '^#include "' core fakes conformance fuzz --include='*.[ch]' --include='*.def' 2>/dev/null | awk -F: '
    function floor(path) {
        if (path ~ /_test\.c$/) return 5
        if (path ~ /^fuzz\//) return 5
        if (path ~ /^conformance\//) return 4
        if (path ~ /^fakes\//) return 3
        if (path ~ /^core\/handlers\//) return 2
        return 1
    }
    {
        split($3, quoted, "\"")
        included = quoted[2]
        if (included !~ /\//) next
        if (floor(included) > floor($1)) print $1 ":" $2 ": " included " is on a higher floor"
    }')
[ -z "$bad" ] || { echo "$bad" >&2; exit 1; }
