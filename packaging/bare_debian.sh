#!/bin/sh
# bare_debian.sh: from nothing to an answer on a bare Debian 12: debootstrap's minbase, then, with a clock: `dpkg -i` of the package that
# deb.sh built, its libraries from Debian's archive, and a budget.  It has a minute.  Needs root (debootstrap, chroot) and a mirror of
# Debian's packages; MIRROR names another than apt's own.
set -eu
cd "$(dirname "$0")/.."
mirror=${MIRROR:-$(sed -n 's/^URIs: *//p; s/^deb [^h]*\(http[^ ]*\).*/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null | head -1)}
bare=$PWD/build/bare-debian
package=$(echo build/deb/probetest_*.deb)
not_tried() { echo "bare Debian 12: not tried: $*"; exit 0; }
[ "$(id -u)" = 0 ] || not_tried 'debootstrap needs root'
command -v debootstrap >/dev/null || not_tried 'no debootstrap'
[ -n "$mirror" ] || not_tried 'MIRROR names no mirror of its packages'
[ -e "$package" ] || { packaging/deb.sh; package=$(echo build/deb/probetest_*.deb); }

if [ ! -e "$bare.tar" ]; then # as bare each time
    rm -rf "$bare"
    mkdir -p "$bare"
    debootstrap --variant=minbase --no-check-gpg bookworm "$bare" "$mirror" >"$bare.log" 2>&1 || not_tried "$(grep -E '^[EW]:' "$bare.log" | tail -1)"
    tar -C "$bare" -cf "$bare.tar" .
fi
rm -rf "$bare"
mkdir "$bare"
tar -C "$bare" -xf "$bare.tar"
! chroot "$bare" sh -c 'command -v probetest' || exit 1
cp "$package" "$bare/root/probetest.deb"
cp conformance/examples/web.yaml "$bare/root/"
begun=$(date +%s)
chroot "$bare" sh -ec 'cd /root
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update
    dpkg -i probetest.deb || apt-get -qq -y --no-install-recommends -f install
    probetest budget web.yaml' >"$bare.log" 2>&1 || { tail -20 "$bare.log"; exit 1; }
seconds=$(($(date +%s) - begun))
grep -q '^web/nginx on Kubernetes' "$bare.log"
[ "$seconds" -le 60 ] || { echo "bare Debian 12: $seconds s from dpkg -i to a budget: a minute is asked for"; exit 1; }
echo "bare Debian 12: a budget $seconds s after dpkg -i"
