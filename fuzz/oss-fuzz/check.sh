#!/bin/sh
# check.sh: holds build.sh to the published contract on this machine: every target, seeds, dictionaries, and each runs.
set -eu
scratch=$PWD/build/oss-fuzz
rm -rf "$scratch"
mkdir -p "$scratch/out" "$scratch/work"
CC=${FUZZ_CC:-clang-14} CXX=${FUZZ_CXX:-clang-14} CFLAGS="-O1 -fsanitize=fuzzer-no-link" CXXFLAGS="-fsanitize=fuzzer-no-link" \
    LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=$scratch/out WORK=$scratch/work bash -eu fuzz/oss-fuzz/build.sh
for source in fuzz/*.c; do
    target=$(basename "$source" .c)
    [ "$target" != replay ] || continue
    [ -x "$scratch/out/$target" ] || { echo "oss-fuzz: no $target" >&2; exit 1; }
    [ ! -d "fuzz/corpus/$target" ] || [ -s "$scratch/out/${target}_seed_corpus.zip" ] || { echo "oss-fuzz: no seeds of $target" >&2; exit 1; }
    [ ! -f "fuzz/dict/$target.dict" ] || [ -s "$scratch/out/$target.dict" ] || { echo "oss-fuzz: no dictionary of $target" >&2; exit 1; }
    "$scratch/out/$target" -runs=20 >/dev/null 2>&1 || { echo "oss-fuzz: $target does not run" >&2; exit 1; }
done
# A target finds its libraries beside itself, not on the machine that built it.
strangers=$(ldd "$scratch/out/pod-yaml" | awk '$3 ~ /^\// { print $3 }' | grep -vE "^$scratch/out/lib/|/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\\+\\+)\.so" || true)
[ -z "$strangers" ] || { echo "oss-fuzz: not in \$OUT: $strangers" >&2; exit 1; }
for field in language fuzzing_engines sanitizers; do
    grep -q "^$field:" fuzz/oss-fuzz/project.yaml || { echo "oss-fuzz: project.yaml has no $field" >&2; exit 1; }
done
for field in homepage main_repo primary_contact; do
    grep -q "^$field:" fuzz/oss-fuzz/project.yaml || missing="${missing:+$missing, }$field"
done
[ -z "${missing:-}" ] || echo "oss-fuzz: enough for ClusterFuzzLite; for OSS-Fuzz whoever adopts it there adds to project.yaml: $missing"
echo "oss-fuzz: $(ls "$scratch/out" | wc -l) files as the contract asks for"
