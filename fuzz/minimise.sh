#!/bin/sh
# minimise.sh BUILD TARGET...: of seeds, what fuzzing found and what is kept, as few and as small inputs as reach the same edges; 60 of
# them, of all sizes, stay in fuzz/corpus.
set -eu
build=$1
shift
for target in "$@"; do
    merged=$build/merged/$target
    rm -rf "$merged"
    mkdir -p "$merged" "fuzz/corpus/$target" "$build/$target" "$build/seeds/$target"
    "$build/fuzz-$target" -merge=1 -timeout=20 -artifact_prefix="$merged/../" -max_len=2048 "$merged" "fuzz/corpus/$target" "$build/seeds/$target" "$build/$target" >/dev/null 2>&1
    # What was kept under a name of its own stays.
    find "fuzz/corpus/$target" -type f -name '????????????' -delete
    find "$merged" -type f -size -3k -printf '%s %p\n' | sort -n |
        awk '{ file[NR] = $2 } END { n = NR < 60 ? NR : 60; for (i = 1; i <= n; i++) print file[int(i * NR / n)] }' | while read -r file; do
        name=$(basename "$file" | cut -c1-12)
        cp "$file" "fuzz/corpus/$target/$name"
    done
    printf '%s: %s inputs kept, %s bytes\n' "$target" "$(ls "fuzz/corpus/$target" | wc -l)" \
        "$(cat "fuzz/corpus/$target"/* | wc -c)"
done
