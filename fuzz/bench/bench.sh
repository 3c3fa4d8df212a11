#!/bin/bash
# bench.sh FOLDER TARGET...: inputs a second of one core's time, whoever else uses the machine, of each target from its kept corpus on,
# without sanitizers.
set -eu
folder=$1
shift
seconds=${SECONDS_EACH:-10}
TIMEFORMAT='%U %S'
for target in "$@"; do
    corpus=$folder/corpus-$target
    longest=2048
    [ "$target" != port ] || longest=64
    rm -rf "$corpus"
    mkdir -p "$corpus"
    [ ! -d "fuzz/corpus/$target" ] || cp "fuzz/corpus/$target"/* "$corpus"
    spent=$({ time "$folder/$target" -max_total_time="$seconds" -print_final_stats=1 -max_len=$longest "$corpus" >"$folder/$target.log" 2>&1; } 2>&1)
    awk -v t="$target" -v spent="$spent" '/number_of_executed_units/ { split(spent, s, " ")
        printf "%-10s %9d inputs a second\n", t, $2 / (s[1] + s[2]) }' "$folder/$target.log"
done
