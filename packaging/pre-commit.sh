#!/bin/sh
# pre-commit.sh [OPTION...] FILE...: the pre-commit hook: `probetest lint` of those of the files that are manifests.  The command is the
# one on the PATH, else the one that this checkout builds (`make PROBES=0`: a C compiler, libyaml and zlib).
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
probetest=$(command -v probetest) || {
    make -s -C "$here" PROBES=0 >&2 || exit 2
    probetest=$here/build/probetest
}
options=
while [ $# -gt 0 ]; do
    case $1 in
    --k8s | --format | -f) options="$options $1 $2"; shift 2 ;;
    -*) options="$options $1"; shift ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || exit 0
files=$("$here/packaging/ci/manifests.sh" "$@") || exit 2
[ -n "$files" ] || exit 0
IFS='
'
set -f
set -- $files
unset IFS
# shellcheck disable=SC2086
exec "$probetest" lint $options "$@"
