#!/bin/sh
# floors.sh ROOM...: a file includes only its own floor or below: core < core/handlers < fakes < conformance < fuzz, and within
# conformance/ only its own room or one named before it.  Tests stand beside their module and may use the fakes.
bad=$(grep -rnE '^#include "' core fakes conformance fuzz --include='*.[ch]' --include='*.def' 2>/dev/null | awk -F: -v rooms="$*" '
    BEGIN {
        count = split(rooms, names, " ")
        for (i = 1; i <= count; i++)
            room[names[i]] = i / (count + 1)
    }
    function floor(path,    part) {
        if (path ~ /_test\.c$/) return 6
        if (path ~ /^fuzz\//) return 6
        split(path, part, "/")
        if (part[1] == "conformance") return part[2] in room ? 4 + room[part[2]] : 5
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
