#!/bin/bash
# bench.sh FOLDER TARGET...: inputs a second of one core's time, whoever else uses the machine, of each target: from its kept corpus on,
# as many inputs as take some seconds, built without sanitizers and with counters of edges alone.  What they find is kept in memory: a file
# each on disk took a sixth of the time and measured the disk.
set -eu
folder=$1
shift
TIMEFORMAT='%U %S'
for target in "$@"; do
    longest=2048 inputs=150000
    case $target in
    empty | port) longest=64 inputs=4000000 ;;
    esac
    find fuzz/corpus -path "fuzz/corpus/$target/*" -type f | sort | paste -sd, | tr -d '\n' >"$folder/$target.seeds"
    kept=$(tr -cd , <"$folder/$target.seeds" | wc -c)
    seeds=
    [ ! -s "$folder/$target.seeds" ] || { seeds="-seed_inputs=@$folder/$target.seeds" kept=$((kept + 1)); }
    spent=$({ time "$folder/$target" $FUZZ_PLAIN -runs="$inputs" -seed=1 -print_final_stats=1 -max_len=$longest -artifact_prefix="$folder/" $seeds \
        >"$folder/$target.log" 2>&1; } 2>&1) || { tail -20 "$folder/$target.log"; exit 1; }
    awk -v t="$target" -v spent="$spent" -v kept="$kept" -v longest=$longest '/number_of_executed_units/ { split(spent, s, " ")
        printf "%-10s %9d inputs a second   %d inputs of at most %d bytes, from %d kept ones on\n", t, $2 / (s[1] + s[2]), $2, longest, kept }' \
        "$folder/$target.log"
done
