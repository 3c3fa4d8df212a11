#!/bin/bash
# bench.sh FOLDER TARGET...: inputs a second of one core's time, whoever else uses the machine, of each target: from its kept corpus on,
# as many inputs as take some seconds, built without sanitizers and with counters of edges alone.  What they find is kept in memory: a file
# each on disk took a sixth of the time and measured the disk.  Five seeds: where one of them leads decides up to a fifth of the time.
set -eu
folder=$1
shift
TIMEFORMAT='%U %S'
for target in "$@"; do
    longest=2048 inputs=30000
    case $target in
    empty | port) longest=64 inputs=800000 ;;
    esac
    find fuzz/corpus -path "fuzz/corpus/$target/*" -type f | sort | paste -sd, | tr -d '\n' >"$folder/$target.seeds"
    kept=$(tr -cd , <"$folder/$target.seeds" | wc -c)
    seeds=
    [ ! -s "$folder/$target.seeds" ] || { seeds="-seed_inputs=@$folder/$target.seeds" kept=$((kept + 1)); }
    for seed in 1 2 3 4 5; do
        spent=$({ time "$folder/$target" $FUZZ_PLAIN -runs="$inputs" -seed=$seed -print_final_stats=1 -max_len=$longest -artifact_prefix="$folder/" $seeds \
            >"$folder/$target.log" 2>&1; } 2>&1) || { tail -20 "$folder/$target.log" >&2; exit 1; }
        awk -v spent="$spent" '/number_of_executed_units/ { print $2, spent }' "$folder/$target.log"
    done >"$folder/$target.seconds"
    awk -v t="$target" -v kept="$kept" -v longest=$longest '{ inputs += $1; seconds += $2 + $3 } END {
        printf "%-10s %9d inputs a second   %d inputs of at most %d bytes, from %d kept ones on\n", t, inputs / seconds, inputs, longest, kept }' \
        "$folder/$target.seconds"
done
