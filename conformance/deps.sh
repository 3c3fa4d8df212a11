#!/bin/sh
# deps.sh PACKAGE...: install the Debian packages that are missing, and say which.
set -u
missing=
for package in "$@"; do
    state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) || state=
    case $state in
    ii*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" != 0 ]; then
    echo "missing packages:$missing" >&2
    echo "run as root, then try again: apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >/dev/null || exit 1
# shellcheck disable=SC2086
exec apt-get install -y -qq --no-install-recommends $missing >/dev/null
