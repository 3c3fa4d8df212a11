#!/bin/sh
# planted.sh CC LIBS...: a bug of each kind, planted in a copy of one file; the layer that is meant to catch it must.
#
# A leak: failing memory counts what is not given back.  An overflow: the address sanitizer.  An off-by-one: the table.  A missing
# guard: the fuzz target with the promises.  An uninitialised read: valgrind.
set -u
cc=$1
shift
scratch=build/planted
plain=build/plain
archives="$plain/libconformance.a $plain/libfakes.a $plain/libkubeprobe-handlers.a $plain/libkubeprobe.a"
failed=0
mkdir -p "$scratch"

# plant NAME FILE SED-EXPRESSION: $scratch/NAME.c is FILE with the bug.
plant() {
    sed "$3" "$2" >"$scratch/$1.c"
    ! cmp -s "$2" "$scratch/$1.c" || { echo "planted: $1: the expression changes nothing in $2" >&2; exit 1; }
}

# build NAME OBJECT...: with the file that has the bug in front of the libraries.
build() {
    name=$1
    shift
    # shellcheck disable=SC2086
    "$cc" -std=c11 -O1 -g -w -fno-lto -I. -Icore -D_POSIX_C_SOURCE=200809L -o "$scratch/$name" "$scratch/$name.c" "$@" $archives $libs ||
        { echo "planted: $name: does not build" >&2; exit 1; }
}

# caught NAME LAYER WORDS COMMAND...: it must fail and say so.
caught() {
    name=$1 layer=$2 words=$3
    shift 3
    timeout 300 "$@" >"$scratch/$name.out" 2>&1
    code=$?
    if [ $code != 0 ] && grep -q "$words" "$scratch/$name.out"; then
        echo "$name: caught by $layer: $(grep -m1 "$words" "$scratch/$name.out" | cut -c1-100)"
    else
        echo "$name: not caught by $layer (exit $code)" >&2
        tail -3 "$scratch/$name.out" >&2
        failed=1
    fi
}
libs=$*

plant leak core/prober/prober_manager.c 's/kp_mem_free(m->mem, m->by_n);$/(void)0;/'
build leak "$plain/fuzz/faults/memory.o" "$plain/fuzz/faults/libraries.o"
caught leak 'make oom' 'not given back' "$scratch/leak" fuzz/corpus/protocol-serve/session -- liveness

plant off-by-one core/prober/worker.c 's/result_run < threshold/result_run <= threshold/'
build off-by-one "$plain/conformance/command/main.o"
caught off-by-one 'make conformance' ', [1-9][0-9]* failed' "$scratch/off-by-one" run --quiet

plant missing-guard core/prober/worker.c 's/if (w->on_hold)$/if (0)/'
build missing-guard "$plain/fuzz/world.o" "$plain/fuzz/replay.o" "$plain/libshared.a"
caught missing-guard 'make replay' 'P-033' "$scratch/missing-guard" fuzz/corpus/world/*

plant uninitialised core/base/mem.c 's/memset(.*);/(void)0;/'
build uninitialised "$plain/conformance/command/main.o"
caught uninitialised 'make valgrind' 'uninitialised' valgrind -q --error-exitcode=99 "$scratch/uninitialised" run --quiet liveness

plant overflow core/base/text.c 's/size_t fits = least(text.len, .*);$/size_t fits = text.len;/'
"$cc" -std=c11 -O1 -g -w -fsanitize=address -I. -Icore -D_POSIX_C_SOURCE=200809L -o "$scratch/overflow" "$scratch/overflow.c" \
    fuzz/port.c fuzz/replay.c fuzz/shared/profile.c $(ls core/*.c core/[!h]*/*.c | grep -v -e _test.c -e '/text.c') \
    conformance/text/file.c conformance/text/out.c conformance/text/arena.c $libs
head -c 300 /dev/zero | tr '\0' a >"$scratch/long-port"
caught overflow 'make san, make fuzz' 'buffer-overflow' "$scratch/overflow" "$scratch/long-port"
exit $failed
