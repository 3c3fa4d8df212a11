#!/bin/sh
# golden_test.sh PROBETEST: what `why` says of each history in golden/, whose lines after `#>` it is; at most ten lines before what to
# change, and none wider than 80 columns.  With the shortest and the longest grace that the API has it says something, too.
set -u
command=$1
folder=conformance/why/golden
scratch=build/why
count=0
failed=0
mkdir -p "$scratch"
for file in "$folder"/*.yaml; do
    count=$((count + 1))
    sed -nE 's/^#> ?//p' "$file" >"$scratch/wanted"
    if ! "$command" why "$file" >"$scratch/got" 2>&1 || ! diff "$scratch/wanted" "$scratch/got" >"$scratch/diff"; then
        echo "why: $file says otherwise (< wanted, > got):" >&2
        cat "$scratch/diff" >&2
        failed=1
    fi
    for grace in 0 1 9223372036 9223372037 9223372036854775807; do
        sed "s/terminationGracePeriodSeconds: .*/terminationGracePeriodSeconds: $grace/" "$file" >"$scratch/extreme.yaml"
        "$command" why "$scratch/extreme.yaml" >"$scratch/got.extreme" 2>&1 ||
            { echo "why: $file with a grace of $grace s:" >&2; tail -3 "$scratch/got.extreme" >&2; failed=1; }
    done
    lines=$(sed '/^  change/,$d' "$scratch/got" | wc -l)
    wide=$(sed 's/…/./g' "$scratch/got" | awk 'length($0) > 80')
    [ "$lines" -le 10 ] && [ -z "$wide" ] || { echo "why: $file: $lines lines, too wide: $wide" >&2; failed=1; }
done
[ "$count" -ge 12 ] && [ $failed = 0 ] && echo "why: $count histories"
exit $failed
