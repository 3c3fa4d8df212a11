#!/bin/sh
# dist.sh: a release of the commit that is checked out, in build/dist: source archive, static binaries, the table as data, kubectl
# plugin, Homebrew formula, krew manifest, SPDX SBOM and SHA256SUMS.  The same commit gives the same bytes.  A tree with changes is
# refused.  REPOSITORY: where the release will stand (https://HOST/OWNER/NAME), for the formula and the manifest.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
changes=$(git status --porcelain) || { echo 'dist: this is no git checkout' >&2; exit 1; }
[ -z "$changes" ] || { echo "dist: the tree has changes; commit them, or remove:" >&2; echo "$changes" | head -5 >&2; exit 1; }
version=$(packaging/version.sh command)
table=$(packaging/version.sh table)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
: "${REPOSITORY:=https://probetest.example/probetest}" "${ARCHES:=amd64 arm64}"
release=$REPOSITORY/releases/download/v$version
out=$top/build/dist
rm -rf "$out" && mkdir -p "$out"

# pack ARCHIVE FOLDER: the folder, as whoever packs it gets it.
pack() {
    tar -C "$(dirname "$2")" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=go=rX,u+rw -cf - "$(basename "$2")" |
        gzip -9n >"$1"
}

git archive --format=tar --prefix="probetest-$version/" HEAD | gzip -9n >"$out/probetest-$version.tar.gz"

# shellcheck disable=SC2086
packaging/static.sh $ARCHES
for arch in $ARCHES; do
    cp "build/static/probetest-linux-$arch" "$out/"
    folder=build/pack/probetest-$version-linux-$arch
    rm -rf "$folder" && mkdir -p "$folder/completions"
    cp "build/static/probetest-linux-$arch" "$folder/probetest"
    cp packaging/kubectl-probetest packaging/kubectl_complete-probetest LICENSE README.md CHANGELOG.md conformance/protocol.md build/plain/probetest.1 "$folder/"
    cp build/plain/completions/* "$folder/completions/"
    pack "$out/probetest-$version-linux-$arch.tar.gz" "$folder"
done

# The table as data: the files, their schema, the same as JSON lines, the rules; and MANIFEST, which `--cases DIR` holds it against.
folder=build/pack/probetest-table-$table
rm -rf "$folder" && mkdir -p "$folder"
cp -R conformance/cases "$folder/cases"
rm -f "$folder"/cases/*.py
cp conformance/case.schema.json conformance/schema/export.*.json "$folder/"
build/probetest export -o "$folder/cases.jsonl"
build/probetest export --rules -o "$folder/rules.json"
(cd "$folder/cases" && find . -name '*.yaml' | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >MANIFEST)
build/probetest list --cases "$folder/cases" >/dev/null
pack "$out/probetest-table-$table.tar.gz" "$folder"

sum() { sha256sum "$out/$1" | cut -d' ' -f1; }
fill() { # fill FROM TO: the places that a release fills
    sed -e "s|@VERSION@|$version|g" -e "s|@RELEASE@|$release|g" -e "s|@REPOSITORY@|$REPOSITORY|g" \
        -e "s|@SOURCE_SHA256@|$(sum "probetest-$version.tar.gz")|g" \
        -e "s|@AMD64_SHA256@|$([ ! -e "$out/probetest-$version-linux-amd64.tar.gz" ] || sum "probetest-$version-linux-amd64.tar.gz")|g" \
        -e "s|@ARM64_SHA256@|$([ ! -e "$out/probetest-$version-linux-arm64.tar.gz" ] || sum "probetest-$version-linux-arm64.tar.gz")|g" "$1" >"$2"
}
fill packaging/krew.yaml.in "$out/probetest.yaml"
fill packaging/homebrew.rb.in "$out/probetest.rb"
/usr/bin/python3 packaging/sbom.py "$out" "$version" "$REPOSITORY" >build/pack/sbom
mv build/pack/sbom "$out/probetest-$version.spdx.json"
(cd "$out" && find . -type f ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
cat "$out/SHA256SUMS"
