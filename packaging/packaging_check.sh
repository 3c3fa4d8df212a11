#!/bin/sh
# packaging_check.sh: the slow checks of packaging: the static binary built twice, at two places, to the same bytes; Debian packages,
# and one installed on a bare Debian 12; the container; what is said without a network; a release, with each of its checksums, its table
# played and its SBOM read.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
packaging/static.sh amd64 arm64
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
git archive HEAD | tar -x -C "$again"
CCACHE_DISABLE=1 SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) "$again/packaging/static.sh" amd64 arm64 >/dev/null
for arch in amd64 arm64; do
    [ -n "$(git status --porcelain)" ] || cmp "build/static/probetest-linux-$arch" "$again/build/static/probetest-linux-$arch"
done
echo 'static: the same bytes at another place'
packaging/deb.sh
packaging/bare_debian.sh
packaging/container.sh
# away COMMAND...: in a name space that has no network.
away() {
    said=$(unshare -n "$@" 2>&1) && { echo "without a network: $*: exit 0" >&2; exit 1; }
    echo "$said" | tail -1 | grep -q 'is there a network?)$' || { echo "without a network: $*: $said" >&2; exit 1; }
}
if unshare -n true 2>/dev/null; then
    (away env INSTALL=1 conformance/deps.sh no-such-package)
    (cd "$again" && rm -rf build/static/arm64 && away packaging/static.sh arm64)
    (away docs/site/wasm/libyaml.sh "$again/libyaml")
    echo 'without a network: what is missing is said'
fi
if [ -z "$(git status --porcelain)" ]; then
    packaging/dist.sh >/dev/null
    cp build/dist/SHA256SUMS "$again/sums"
    packaging/dist.sh >/dev/null
    cmp build/dist/SHA256SUMS "$again/sums"
    cd build/dist
    sha256sum -c --quiet SHA256SUMS
    tar -xzf probetest-table-*.tar.gz -C "$again"
    "$top/build/probetest" run --quiet --not fire --cases "$again"/probetest-table-*/cases | tail -1
    tar -xzf probetest-*-linux-amd64.tar.gz -C "$again"
    "$again"/probetest-*-linux-amd64/probetest --version | head -1
    /usr/bin/python3 - ./*.spdx.json probetest.yaml <<'PY'
import hashlib, json, sys, yaml
sbom = json.load(open(sys.argv[1]))
ids = {sbom["SPDXID"]} | {one["SPDXID"] for one in sbom["packages"] + sbom["files"]}
assert all(one["spdxElementId"] in ids and one["relatedSpdxElement"] in ids for one in sbom["relationships"]), "a relation of nothing"
digest = lambda path: hashlib.sha256(open(path, "rb").read()).hexdigest()
for one in sbom["files"]:
    assert one["checksums"][1]["checksumValue"] == digest(one["fileName"]), one["fileName"]
plugin = yaml.safe_load(open(sys.argv[2]))
for one in plugin["spec"]["platforms"]:
    assert one["sha256"] == digest(one["uri"].rsplit("/", 1)[1]), one["uri"]
print("dist: %d files, checksums, krew manifest and SBOM agree; twice the same bytes" % (len(sbom["files"]) + 1))
PY
else
    echo 'dist: not tried, the tree has changes'
fi
