#!/bin/bash -eu
# build.sh: the fuzz targets as OSS-Fuzz wants them: $OUT/TARGET, its seeds as a zip, its dictionary.  Run in the project's folder with CC,
# CFLAGS, CXX, CXXFLAGS, LIB_FUZZING_ENGINE, OUT and WORK set.
make -s build/plain/places.def build/plain/table.def DEPS=
sources=$(make -s print-fuzz-sources DEPS=)
libs=$(make -s print-libraries DEPS=)
mkdir -p "$WORK/obj"
echo "$sources" | tr ' ' '\n' | xargs -P "$(nproc)" -I{} sh -c \
    "$CC $CFLAGS -std=c11 -D_POSIX_C_SOURCE=200809L -I. -Ibuild/plain -w -c {} -o $WORK/obj/\$(echo {} | tr / _).o"
for source in fuzz/*.c; do
    target=$(basename "$source" .c)
    [ "$target" != replay ] || continue
    $CC $CFLAGS -std=c11 -D_POSIX_C_SOURCE=200809L -I. -Ibuild/plain -w -c "$source" -o "$WORK/$target.o"
    # shellcheck disable=SC2086
    $CXX $CXXFLAGS -Wl,--disable-new-dtags,-rpath,'$ORIGIN/lib' -o "$OUT/$target" "$WORK/$target.o" "$WORK"/obj/*.o $LIB_FUZZING_ENGINE $libs
    [ ! -d "fuzz/corpus/$target" ] || zip -q -j "$OUT/${target}_seed_corpus.zip" "fuzz/corpus/$target"/*
    [ ! -f "fuzz/dict/$target.dict" ] || cp "fuzz/dict/$target.dict" "$OUT/$target.dict"
done
# Where the targets run there is a C library and little else: the others come along.
mkdir -p "$OUT/lib"
ldd "$OUT/pod-yaml" | awk '$3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+)\.so' |
    xargs -I{} cp -L {} "$OUT/lib/"
