#!/bin/sh
# bench.sh FOLDER TARGET...: inputs a second of each target on its kept corpus, without sanitizers.
set -eu
folder=$1
shift
seconds=${SECONDS_EACH:-10}
for target in "$@"; do
    corpus=$folder/corpus-$target
    rm -rf "$corpus"
    mkdir -p "$corpus"
    [ ! -d "fuzz/corpus/$target" ] || cp "fuzz/corpus/$target"/* "$corpus"
    "$folder/$target" -max_total_time="$seconds" -print_final_stats=1 -max_len=2048 "$corpus" 2>&1 |
        awk -v t="$target" '/average_exec_per_sec/ { printf "%-10s %9d inputs a second\n", t, $2 }'
done
