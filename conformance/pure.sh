#!/bin/sh
# pure.sh LIBRARY: the core may call nothing of the outside world: no clock, no I/O, no allocator by name.
allowed='^(mem(cpy|cmp|move|set|chr)|str(len|cmp|ncmp|chr)|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__(asan|ubsan|gcov|llvm|sanitizer)_.*|kp_.*)$'
outside=$(nm -u "$1" | awk '$1 == "U" { print $2 }' | sort -u | grep -vE "$allowed")
[ -z "$outside" ] || { echo "core/ is not pure, it calls:" $outside >&2; exit 1; }
