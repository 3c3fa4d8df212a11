#!/bin/sh
# version.sh command|protocol|table: a version, as core/base/version.h has it.
set -eu
cd "$(dirname "$0")/.."
case $1 in
command) name=PROBETEST_VERSION ;;
protocol) name=PROBETEST_PROTOCOL ;;
table) name=PROBETEST_TABLE ;;
*) echo "version.sh: command, protocol or table, not $1" >&2; exit 2 ;;
esac
sed -n "s/^#define $name \"\{0,1\}\([0-9.]*\)\"\{0,1\} .*/\1/p" core/base/version.h | grep .
