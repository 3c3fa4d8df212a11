#!/bin/sh
# distributions.sh [NAME...]: the build without probes, and its table played, on other systems and compilers, a line each; what could not
# be tried here says why.  Names: as the lines' first words.  Needs root (debootstrap) and a mirror of Debian's packages; MIRROR and
# UBUNTU_MIRROR name others than apt's own.
set -u
cd "$(dirname "$0")/.."
top=$PWD
work=$top/build/distributions
mkdir -p "$work"
debian_mirror=${MIRROR:-$(sed -n 's/^URIs: *//p; s/^deb [^h]*\(http[^ ]*\).*/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null | head -1)}
ubuntu_mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
worst=0

say() { printf '%-22s %s\n' "$1" "$2"; }
failed() { say "$1" "FAILED: $2 ($work/$1.log)"; worst=1; }

# The committed tree, so that what is tried is what others get.
source_in() {
    rm -rf "$1" && mkdir -p "$1" && git -C "$top" archive HEAD | tar -x -C "$1"
}

# bootstrapped NAME SUITE MIRROR COMPONENTS
bootstrapped() {
    command -v debootstrap >/dev/null || { say "$1" 'not tried: no debootstrap'; return; }
    [ "$(id -u)" = 0 ] || { say "$1" 'not tried: debootstrap needs root'; return; }
    root=$work/$1.root
    if [ ! -e "$root/done" ]; then
        rm -rf "$root"
        debootstrap --variant=minbase --no-check-gpg --components="$4" --include=gcc,make,libc6-dev,libyaml-dev,zlib1g-dev,gzip \
            "$2" "$root" "$3" >"$work/$1.log" 2>&1 || { say "$1" "not tried: $(grep -E '^[EW]:' "$work/$1.log" | tail -1)"; return; }
        touch "$root/done"
    fi
    source_in "$root/src"
    chroot "$root" sh -c 'cd /src && make -s PROBES=0 2>&1 && cd / && /src/build/probetest run --quiet --not fire && /src/build/probetest --version | head -1' \
        >"$work/$1.log" 2>&1 || { failed "$1" 'build or table'; return; }
    say "$1" "$(grep -E 'passed' "$work/$1.log" | tail -1), $(chroot "$root" gcc --version | head -1), warnings: $(grep -c 'warning:' "$work/$1.log")"
}

# compiled NAME COMPILER RUN OPTIONS...: on this system
compiled() {
    name=$1 cc=$2 run=$3
    shift 3
    command -v "${cc%% *}" >/dev/null || { say "$name" "not tried: no ${cc%% *} (Debian: $(packages_of "$name"))"; return; }
    source_in "$work/$name"
    (cd "$work/$name" && make -s PROBES=0 CC="$cc" "$@" 2>&1 && $run build/probetest run --quiet --not fire) >"$work/$name.log" 2>&1 ||
        { failed "$name" 'build or table'; return; }
    say "$name" "$(grep -E 'passed' "$work/$name.log" | tail -1), $(${cc%% *} --version 2>/dev/null | head -1), warnings: $(grep -c 'warning:' "$work/$name.log")"
}

packages_of() {
    case $1 in
    clang) echo clang-14 ;;
    musl) echo musl-tools ;;
    m32) echo lib32gcc-12-dev libc6-dev-i386 ;;
    s390x) echo gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user ;;
    arm64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user ;;
    esac
}

# libyaml and zlib of Debian's source packages, built by another compiler, in FOLDER/lib.
libraries_by() {
    cc=$1 folder=$2
    [ ! -e "$folder/done" ] || return 0
    mkdir -p "$folder/include" "$folder/lib" "$folder/from"
    (
        cd "$folder/from" || exit
        apt-get source -qq --download-only libyaml zlib >/dev/null 2>&1 || exit
        for dsc in *.dsc; do dpkg-source --no-check -x "$dsc" "${dsc%%_*}" >/dev/null || exit; done
        yaml=libyaml
        for file in "$yaml"/src/*.c; do
            $cc -O2 -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING='"0.2.5"' -I"$yaml/include" \
                -c "$file" -o "yaml-$(basename "$file" .c).o" || exit
        done
        ar rcs ../lib/libyaml.a yaml-*.o && cp "$yaml/include/yaml.h" ../include/
        cd zlib && CC=$cc ./configure --static >/dev/null && make -s libz.a && cp libz.a ../../lib/ && cp zlib.h zconf.h ../../include/
    ) || return 1
    touch "$folder/done"
}

musl() {
    command -v musl-gcc >/dev/null || { say musl 'not tried: no musl-gcc (Debian: musl-tools)'; return; }
    libraries_by musl-gcc "$work/musl-libraries" >"$work/musl.log" 2>&1 || { say musl 'not tried: no sources of libyaml and zlib (deb-src)'; return; }
    compiled musl musl-gcc '' CPPFLAGS="-I. -Ibuild/plain -D_POSIX_C_SOURCE=200809L -isystem $work/musl-libraries/include" \
        LDFLAGS="-static -L$work/musl-libraries/lib"
}

cross() { # cross NAME: static.sh does it, with Debian's libraries of that architecture
    ARCHES=$1
    packaging/static.sh "$1" >"$work/$1.log" 2>&1 && say "$1" "$(grep passed "$work/$1.log" | tail -1), static, under qemu-user" && return
    grep -qE 'missing packages|cannot be fetched' "$work/$1.log" && { say "$1" "not tried: $(grep -E 'missing packages|cannot be' "$work/$1.log" | tail -1)"; return; }
    failed "$1" 'build or table'
}

all='debian-12 debian-13 ubuntu-22.04 ubuntu-24.04 gcc clang musl m32 arm64 s390x alpine'
for name in ${*:-$all}; do
    case $name in
    debian-12) bootstrapped debian-12 bookworm "$debian_mirror" main ;;
    debian-13) bootstrapped debian-13 trixie "$debian_mirror" main ;;
    ubuntu-22.04) bootstrapped ubuntu-22.04 jammy "$ubuntu_mirror" main,universe ;;
    ubuntu-24.04) bootstrapped ubuntu-24.04 noble "$ubuntu_mirror" main,universe ;;
    gcc) compiled gcc gcc '' ;;
    clang) compiled clang clang-14 '' ;;
    musl) musl ;;
    m32) cross i386 ;;
    arm64 | s390x) cross "$name" ;;
    alpine) say alpine 'not tried: no mirror of its packages here; musl, its C library, is tried above' ;;
    *) echo "distributions: no $name: $all" >&2; worst=2 ;;
    esac
done
exit $worst
