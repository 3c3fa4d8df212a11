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
ubuntu_mirror=${UBUNTU_MIRROR:-}
worst=0

say() { printf '%-22s %s\n' "$1" "$2"; }
warned() { grep -q 'warning:' "$work/$1.log" && failed "$1" "$(grep -c 'warning:' "$work/$1.log") warnings"; }
failed() { say "$1" "FAILED: $2 ($work/$1.log)"; worst=1; }

# The committed tree, so that what is tried is what others get.
source_in() {
    rm -rf "$1" && mkdir -p "$1" && git -C "$top" archive HEAD | tar -x -C "$1"
}

# All of Ubuntu's suites are made alike: one that is newer than debootstrap here by the script of one that it knows.
script_of() {
    scripts=/usr/share/debootstrap/scripts
    [ -e "$scripts/$1" ] || [ "$1" != noble ] || echo "$scripts/jammy"
}

# bootstrapped NAME SUITE MIRROR COMPONENTS
bootstrapped() {
    command -v debootstrap >/dev/null || { say "$1" 'not tried: no debootstrap'; return; }
    [ "$(id -u)" = 0 ] || { say "$1" 'not tried: debootstrap needs root'; return; }
    [ -n "$3" ] || { say "$1" 'not tried: UBUNTU_MIRROR names no mirror of its packages'; return; }
    root=$work/$1.root
    if [ ! -e "$root/done" ]; then
        rm -rf "$root"
        # shellcheck disable=SC2046
        debootstrap --variant=minbase --no-check-gpg --components="$4" --include=gcc,make,libc6-dev,libyaml-dev,zlib1g-dev,gzip \
            "$2" "$root" "$3" $(script_of "$2") >"$work/$1.log" 2>&1 || { say "$1" "not tried: $(grep -E '^[EW]:' "$work/$1.log" | tail -1)"; return; }
        touch "$root/done"
    fi
    source_in "$root/src"
    chroot "$root" sh -c 'cd /src && make -s PROBES=0 2>&1 && cd / && /src/build/probetest run --quiet --not fire && /src/build/probetest --version | head -1' \
        >"$work/$1.log" 2>&1 || { failed "$1" 'build or table'; return; }
    warned "$1" || say "$1" "$(grep -E 'passed' "$work/$1.log" | tail -1), $(chroot "$root" gcc --version | head -1)"
}

# compiled NAME COMPILER RUN OPTIONS...: on this system
compiled() {
    name=$1 cc=$2 run=$3
    shift 3
    command -v "${cc%% *}" >/dev/null || { say "$name" "not tried: no ${cc%% *}"; return; }
    source_in "$work/$name"
    (cd "$work/$name" && make -s PROBES=0 CC="$cc" "$@" 2>&1 && $run build/probetest run --quiet --not fire) >"$work/$name.log" 2>&1 ||
        { failed "$name" 'build or table'; return; }
    warned "$name" || say "$name" "$(grep -E 'passed' "$work/$name.log" | tail -1), $(${cc%% *} --version 2>/dev/null | head -1)"
}

# portable NAME MACHINE: by packaging/portability.sh, which also holds the report against this machine's, byte for byte
portable() {
    make -s build/plain/probetest-without-probes && MAKE=make packaging/portability.sh "$2" >"$work/$1.log" 2>&1 && say "$1" "$(tail -1 "$work/$1.log")" && return
    grep -qE 'missing packages|Unable to|Failed to fetch' "$work/$1.log" && { say "$1" "not tried: $(grep -E 'missing packages|Unable|Failed' "$work/$1.log" | tail -1)"; return; }
    failed "$1" 'build or table'
}

arm64() { # static.sh does it, with Debian's libraries of that architecture
    packaging/static.sh arm64 >"$work/arm64.log" 2>&1 && say arm64 "$(grep passed "$work/arm64.log" | tail -1), static, under qemu-user" && return
    grep -qE 'missing packages|cannot be fetched' "$work/arm64.log" && { say arm64 "not tried: $(grep -E 'missing packages|cannot be' "$work/arm64.log" | tail -1)"; return; }
    failed arm64 'build or table'
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
    musl | s390x) portable "$name" "$name" ;;
    m32) portable m32 i686 ;;
    arm64) arm64 ;;
    alpine) say alpine 'not tried: no mirror of its packages here; musl, its C library, is tried above' ;;
    *) echo "distributions: no $name: $all" >&2; worst=2 ;;
    esac
done
exit $worst
