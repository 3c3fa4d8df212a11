#!/bin/sh
# pure.sh LIBRARY HANDLERS: the core may call nothing of the outside world: no clock, no I/O, no allocator by name; and no modules
# of it or of the handlers call each other in a circle.
allowed='^(mem(cpy|cmp|move|set|chr)|str(len|cmp|ncmp|chr)|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__(asan|ubsan|gcov|llvm|sanitizer)_.*|kp_.*)$'
outside=$(nm -u "$1" | awk '$1 == "U" { print $2 }' | sort -u | grep -vE "$allowed")
[ -z "$outside" ] || { echo "core/ is not pure, it calls:" $outside >&2; exit 1; }
circle=$(nm -A "$@" | awk '
    NF < 3 { next }
    { module = $1; sub(/:[0-9a-f]*$/, "", module) }
    $(NF - 1) == "U" { used[module, $NF] }
    $(NF - 1) ~ /^[TDBR]$/ { home[$NF] = module }
    END { for (use in used) { split(use, pair, SUBSEP); if (pair[2] in home) print pair[1], home[pair[2]] } }' | tsort 2>&1 >/dev/null)
[ -z "$circle" ] || { echo "$circle" >&2; exit 1; }
