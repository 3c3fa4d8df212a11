#!/bin/sh
# promises.sh PROBETEST: the rules whose promises the fuzz target `world` checks, each with its sentence; fails below the 25 that are wanted.
set -eu
rules=$(grep -ohE 'HOLDS\(KP_RULE_[A-Z0-9_]+' fuzz/world.c fuzz/shared/watch_*.c | sed 's/.*KP_RULE_//' | sort -u)
for rule in $rules; do
    text=$("$1" explain "$rule")
    echo "$text" | head -2 | paste -sd' '
done
count=$(echo "$rules" | wc -l)
echo "$count rules promise something of each run, and each effect names a rule that its version has"
[ "$count" -ge 25 ]
