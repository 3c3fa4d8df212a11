#!/bin/sh
# deb.sh: Debian packages of the tree as it is committed, in build/deb: dpkg-buildpackage (source and binary), lintian without a word,
# then autopkgtest's tests against what was built, unpacked beside this system (or installed, where INSTALL_DEB=1 and this is root).
set -eu
cd "$(dirname "$0")/.."
top=$PWD
conformance/deps.sh dpkg-dev debhelper lintian fakeroot pkg-config libyaml-dev zlib1g-dev libcurl4-openssl-dev libssl-dev libnghttp2-dev
version=$(packaging/version.sh command)
out=$top/build/deb
rm -rf "$out" && mkdir -p "$out"
git archive --format=tar --prefix="probetest-$version/" HEAD | gzip -9n >"$out/probetest_$version.orig.tar.gz"
tar -xf "$out/probetest_$version.orig.tar.gz" -C "$out"
cd "$out/probetest-$version"
cp -a packaging/debian debian
sed -e "s/@VERSION@/$version/g" -e "s/@DATE@/$(date -R -u -d "@$(git -C "$top" log -1 --format=%ct)")/" debian/changelog.in >debian/changelog
rm debian/changelog.in
dpkg-buildpackage -us -uc >"$out/log" 2>&1 || { tail -40 "$out/log"; exit 1; }
cd "$out"
echo "deb: $(echo *.deb *.dsc)"
lintian --fail-on error,warning --info "probetest_$version-1_"*.changes || exit 1
echo 'lintian: clean'
if [ "${INSTALL_DEB:-0}" = 1 ]; then
    dpkg -i ./*.deb >/dev/null
    trap 'dpkg -r probetest-dbgsym probetest libkubeprobe-dev >/dev/null' EXIT
    for test in command library; do "probetest-$version/debian/tests/$test" >"$out/$test.log" 2>&1 || { cat "$out/$test.log"; exit 1; }; done
    echo 'autopkgtest: command and library, with the packages installed'
else
    dpkg -x ./probetest_*.deb root
    # What dpkg would have put on the PATH.
    PATH=$out/root/usr/bin:$PATH "probetest-$version/debian/tests/command" >"$out/command.log" 2>&1 || { cat "$out/command.log"; exit 1; }
    echo 'autopkgtest: command, with the package unpacked (INSTALL_DEB=1 installs it)'
fi
