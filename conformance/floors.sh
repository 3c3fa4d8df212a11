#!/bin/sh
# floors.sh "CORE-FOLDER..." FOLDER...: a file includes only its own floor or below: core < core/handlers < fakes < conformance < fuzz,
# and within core/ and conformance/ only its own folder or one named before it.  Tests stand beside their module and may use the fakes.
core_folders=$1
shift
bad=$(grep -rnE '^ *#include "' core fakes conformance fuzz --include='*.[ch]' --include='*.def' 2>/dev/null | awk -F: -v core_folders="$core_folders" -v folders="$*" '
    BEGIN {
        core_count = split(core_folders, names, " ")
        for (i = 1; i <= core_count; i++)
            core_rank[names[i]] = 1 + i / (core_count + 1)
        count = split(folders, names, " ")
        for (i = 1; i <= count; i++)
            rank[names[i]] = 4 + i / (count + 1)
    }
    function floor(path,    part, parts) {
        if (path ~ /_test\.c$/) return 6
        if (path ~ /^fuzz\//) return 6
        parts = split(path, part, "/")
        if (part[1] == "conformance") return part[2] in rank ? rank[part[2]] : 5
        if (path ~ /^fakes\//) return 3
        if (path ~ /^core\/handlers\//) return 2
        return part[2] in core_rank ? core_rank[part[2]] : parts == 2 ? 1.99 : 2
    }
    # An include says its path from the top, or from the folder of its file.
    function resolved(file, included,    folder) {
        folder = file
        sub(/[^\/]*$/, "", folder)
        if (included ~ /^\.\.\//) {
            sub(/[^\/]*\/$/, "", folder)
            return folder substr(included, 4)
        }
        return included ~ /^(core|fakes|conformance|fuzz)\// ? included : folder included
    }
    {
        split($3, quoted, "\"")
        included = resolved($1, quoted[2])
        if (floor(included) > floor($1)) print $1 ":" $2 ": " included " is on a higher floor"
    }')
[ -z "$bad" ] || { echo "$bad" >&2; exit 1; }
