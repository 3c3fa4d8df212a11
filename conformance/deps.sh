#!/bin/sh
# deps.sh PACKAGE...: are these Debian packages installed?  Those that are missing are named, with the command that
# installs them; INSTALL=1 (which `make conformance`, `make check` and `make deps` set) runs it, as root, saying so first.
set -u
command -v dpkg-query >/dev/null 2>&1 || exit 0 # another system: what is missing shows where it is used
missing=
for package in "$@"; do
    state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) || state=
    case $state in
    ii*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0
if [ "${INSTALL:-0}" != 1 ] || ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" != 0 ]; then
    echo "missing packages:$missing" >&2
    echo "run as root, then try again: apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
echo "installing the missing packages:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
said=$({ apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } 2>&1) && exit
echo "$said" | grep '^E:' >&2
echo "could not be installed:$missing (is there a network?)" >&2
exit 1
