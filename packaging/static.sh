#!/bin/sh
# static.sh ARCH...: build/static/probetest-linux-ARCH: one file that needs nothing of the system it runs on, without real probes
# (a static libcurl would want libraries that Debian ships as shared ones alone).  amd64, arm64: Debian's cross compilers and its
# libraries of that architecture; tried on this machine, others under qemu-user.  The same sources give the same bytes.
set -eu
cd "$(dirname "$0")/.."
out=build/static
max_bytes=2000000 # 2 MB
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
native=$(dpkg --print-architecture)

die() {
    echo "static: $*" >&2
    exit 1
}

triplet() {
    case $1 in
    amd64) echo x86_64-linux-gnu ;;
    arm64) echo aarch64-linux-gnu ;;
    *) die "no architecture $1 here: amd64 or arm64" ;;
    esac
}

# Debian's own packages of another architecture, unpacked here: nothing is installed.
libraries() {
    root=$out/$1
    [ ! -e "$root/done" ] || return 0
    rm -rf "$root" && mkdir -p "$root/lists/partial" "$root/cache/archives/partial"
    (
        cd "$root"
        options="-o APT::Architecture=$1 -o APT::Architectures=$1 -o Dir::State::Lists=$PWD/lists -o Dir::Cache=$PWD/cache
            -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o Acquire::Languages=none"
        # shellcheck disable=SC2086
        apt-get $options update -qq >/dev/null && apt-get $options download -qq $2 >/dev/null
    ) 2>"$root/said" || die "Debian's $2 for $1 cannot be fetched (is there a network?)"
    for deb in "$root"/*.deb; do dpkg-deb -x "$deb" "$root"; done
    rm -rf "$root/lists" "$root/cache"
    touch "$root/done"
}

build() {
    arch=$1
    name=$(triplet "$arch")
    where=
    if [ "$arch" = "$native" ]; then
        conformance/deps.sh gcc libyaml-dev zlib1g-dev
        cc=gcc run=
    else
        conformance/deps.sh "gcc-$(echo "$name" | tr _ -)" "libc6-dev-$arch-cross" qemu-user
        cc=$name-gcc run=qemu-${name%%-*}
        libraries "$arch" "libyaml-dev zlib1g-dev"
        where=$PWD/$out/$arch/usr
    fi
    make -s PROBES=0 FLAVOUR="static-$arch" CC="$cc" OPT="-Oz -flto=auto -fno-pie -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections -ffile-prefix-map=$PWD=." \
        CPPFLAGS="-I. -Ibuild/static-$arch -D_POSIX_C_SOURCE=200809L ${where:+-isystem $where/include}" \
        LDFLAGS="-static -no-pie -s -Wl,-T,packaging/no_unwind.ld -Wl,--gc-sections -Wl,-z,noseparate-code -Wl,--build-id=none ${where:+-L$where/lib/$name}" \
        "build/static-$arch/probetest-without-probes"
    mkdir -p "$out"
    cp "build/static-$arch/probetest-without-probes" "$out/probetest-linux-$arch"
    bytes=$(wc -c <"$out/probetest-linux-$arch")
    [ "$bytes" -lt $max_bytes ] || die "probetest-linux-$arch has $bytes bytes: under $max_bytes are asked for"
    # From an empty folder: it carries its table.
    (cd "$out" && mkdir -p empty && cd empty && $run "../probetest-linux-$arch" simulate - <../../../conformance/examples/web.yaml >/dev/null &&
        $run "../probetest-linux-$arch" run --quiet | tail -1) || die "probetest-linux-$arch does not run"
    echo "$out/probetest-linux-$arch: $bytes bytes"
}

for arch in "${@:-$native}"; do build "$arch"; done
