#!/bin/sh
# broken_test.sh CC: break the engine in one place at a time; each time a named case must turn red.
#
# A row: what is broken, the file, a sed expression that breaks it, a case that must fail.  An expression that changes
# nothing, an engine that does not build, and a case that stays green each fail the test.
set -u
cc=$1
scratch=build/broken
failed=0
mkdir -p "$scratch"

try() {
    what=$1 file=$2 expression=$3 case=$4
    sed "$expression" "$file" >"$scratch/broken.c"
    if cmp -s "$file" "$scratch/broken.c"; then
        echo "broken: $what: the expression changes nothing in $file" >&2
        failed=1
        return
    fi
    objects=$(find build/plain/core build/plain/fakes build/plain/conformance -name '*.o' ! -name '*_test.o' \
        ! -name unit.o ! -name bench.o ! -path "build/plain/${file%.c}.o")
    # shellcheck disable=SC2086
    if ! "$cc" -std=c11 -O1 -w -I. -I"$(dirname "$file")" -D_POSIX_C_SOURCE=200809L -o "$scratch/probetest" \
        "$scratch/broken.c" $objects -lyaml -ljansson -lm; then
        echo "broken: $what: does not build" >&2
        failed=1
        return
    fi
    "$scratch/probetest" run "$case" --k8s 1.36 >"$scratch/out" 2>&1
    code=$?
    if [ $code = 1 ]; then
        echo "broken: $what: $case is red"
    else
        echo "broken: $what: $case is not red (exit $code)" >&2
        failed=1
    fi
}

ROWS
exit $failed
