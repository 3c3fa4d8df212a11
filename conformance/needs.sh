#!/bin/sh
# needs.sh CC HEADER=PACKAGE...: does the compiler find what the program is built from?  On any system, without installing anything.
set -u
cc=$1
shift
missing= packages=
for need in "$@"; do
    if ! echo "#include <${need%%=*}>" | $cc ${CPPFLAGS:-} -E -o /dev/null - 2>/dev/null; then
        missing="$missing ${need%%=*}"
        packages="$packages ${need#*=}"
    fi
done
[ -n "$missing" ] || exit 0
command -v "${cc%% *}" >/dev/null 2>&1 || { echo "no C compiler: $cc" >&2; exit 1; }
echo "missing:$missing (Debian: apt-get install$packages)" >&2
case $* in
*curl*) echo "without real probes libyaml and zlib alone are needed: make PROBES=0" >&2 ;;
esac
exit 1
