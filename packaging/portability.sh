#!/bin/sh
# portability.sh [MACHINE...]: core, fakes and the table on i686, on s390x (which counts bytes the other way round, in qemu-user)
# and with musl: every case passes there, and the report has the bytes of this machine's.  Everything is linked statically;
# libyaml and zlib are built for each from the sources that Debian keeps.
set -eu
cd "$(dirname "$0")/.."
src=$PWD/build/portability/src

# The sources of libyaml and zlib, by apt-get with lists of its own: the machine's have no sources.
fetch() {
    [ -z "$(find "$src" -maxdepth 1 -name 'zlib-*' 2>/dev/null)" ] || return 0
    mkdir -p "$src/lists/partial" "$src/cache"
    apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | grep ' main$' | sort -u >"$src/list"
    set -- -qq -o Dir::Etc::sourcelist="$src/list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$src/lists" \
        -o Dir::Cache="$src/cache" -o APT::Sandbox::User=root
    (cd "$src" && apt-get "$@" update && apt-get "$@" source --download-only libyaml zlib) 2>"$src/said" ||
        { echo "portability: Debian's source packages libyaml and zlib cannot be fetched (is there a network?)" >&2; exit 1; }
    (cd "$src" && tar -xf libyaml_*.orig.tar.* && tar -xf zlib_*.orig.tar.*)
}

# Of a report, without its head, which says that this one has no probes, and its foot, which says so of the head.
verdicts() {
    sed '1d;$d' "$1"
}

# play MACHINE COMPILER EMULATOR PACKAGE...
play() {
    machine=$1 compiler=$2 emulator=$3
    shift 3
    conformance/deps.sh "$@"
    into=$PWD/build/portability/$machine
    mkdir -p "$into"
    if [ ! -f "$into/libyaml.a" ]; then
        yaml=$(find "$src" -maxdepth 1 -name '*yaml-*' -type d | head -1)
        version=$(sed -n 's/^m4_define(\[YAML_\(M[A-Z]*\|PATCH\)\], *\([0-9]*\))$/-DYAML_VERSION_\1=\2/p' "$yaml/configure.ac" | tr '\n' ' ')
        for file in "$yaml"/src/*.c; do
            # shellcheck disable=SC2086
            "$compiler" -O2 -I"$yaml/include" $version -DYAML_VERSION_STRING='"0"' -c -o "$into/$(basename "$file" .c).o" "$file"
        done
        rm -f "$into/libyaml.a"
        ar rcs "$into/libyaml.a" "$into"/*.o
        cp "$yaml/include/yaml.h" "$into"
    fi
    if [ ! -f "$into/libz.a" ]; then
        zlib=$(find "$src" -maxdepth 1 -name 'zlib-*' -type d | head -1)
        for file in adler32 crc32 inffast inflate inftrees zutil; do
            "$compiler" -O2 -I"$zlib" -DHAVE_UNISTD_H -c -o "$into/zlib-$file.o" "$zlib/$file.c"
        done
        ar rcs "$into/libz.a" "$into"/zlib-*.o
        cp "$zlib/zlib.h" "$zlib/zconf.h" "$into"
    fi
    ${MAKE:-make} -s FLAVOUR="$machine" CC="$compiler" PROBES=0 SAN= LTO= CPPFLAGS="-I. -Ibuild/$machine -I$into -D_POSIX_C_SOURCE=200809L" \
        LDFLAGS="-static -L$into" "build/$machine/probetest-without-probes"
    # shellcheck disable=SC2086
    $emulator "build/$machine/probetest-without-probes" run --quiet --k8s all --report "$into/report.jsonl" >"$into/out" ||
        { tail -20 "$into/out"; return 1; }
    verdicts "$into/report.jsonl" | cmp - build/portability/verdicts
    echo "$machine: $(tail -1 "$into/out"), the same bytes"
}

[ $# -gt 0 ] || set -- i686 s390x musl
fetch
mkdir -p build/portability
build/plain/probetest-without-probes run --quiet --k8s all --report build/portability/report.jsonl >build/portability/out
verdicts build/portability/report.jsonl >build/portability/verdicts
for machine; do
    case $machine in
    i686) play i686 i686-linux-gnu-gcc '' gcc-i686-linux-gnu libc6-dev-i386-cross ;;
    s390x) play s390x s390x-linux-gnu-gcc qemu-s390x gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user ;;
    musl) play musl musl-gcc '' musl-tools ;;
    *) echo "portability: no machine '$machine': i686, s390x, musl" >&2; exit 2 ;;
    esac
done
