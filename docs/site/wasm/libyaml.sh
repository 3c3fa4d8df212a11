#!/bin/sh
# libyaml.sh DIR: libyaml's source (MIT licence) out of Debian's or Ubuntu's source package, into DIR.  Its sources of source
# packages are this machine's own of packages; neither they nor what is installed change.
set -eu
version=0.2.5
sha256=fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e
dir=$(mkdir -p "${1:?usage: libyaml.sh DIR}" && cd "$1" && pwd)
apt=$dir/apt

. /etc/os-release
mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial"
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    sed -nE "s/^deb (.* $VERSION_CODENAME main.*)/deb-src \1/p" >"$apt/sources/own.list"
cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk -v suite="$VERSION_CODENAME" '
    BEGIN { RS = ""; ORS = "\n\n" }
    $0 ~ "(^|\n)Suites:[^\n]*[ \t]" suite "($|[ \t\n])" { sub(/Types: deb[^\n]*/, "Types: deb-src"); print }' >"$apt/sources/own.sources"

of_sources() {
    apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/sources" -o Dir::State::Lists="$apt/lists" \
        -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root "$@"
}
(cd "$apt" && of_sources update && of_sources source --download-only libyaml) 2>"$apt/said" || {
    echo "libyaml.sh: Debian's source package libyaml cannot be fetched (is there a network?)" >&2
    exit 1
}
echo "$sha256  $apt/libyaml_$version.orig.tar.gz" | sha256sum --check --quiet
tar -xzf "$apt/libyaml_$version.orig.tar.gz" -C "$dir" --strip-components 1
rm -r "$apt"
