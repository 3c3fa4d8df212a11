#!/bin/sh
# house.sh: what the house style can count: functions of at most 70 lines (in core a median under 12), files of at
# most 600, no version number compared outside the profile, one way for text that others wrote to reach a person.
set -u
bad=0
say() {
    echo "$*" >&2
    bad=1
}

for file in $(find core fakes conformance $(ls -d fuzz 2>/dev/null) -name '*.[ch]' ! -name unicode_print.c | sort); do
    lines=$(wc -l <"$file")
    [ "$lines" -le 600 ] || say "$file: $lines lines, at most 600"
done

twice=$(grep -hoE '^#ifndef [A-Z0-9_]+_H$' $(find core fakes conformance $(ls -d fuzz 2>/dev/null) -name '*.h') | sort | uniq -d)
[ -z "$twice" ] || say "a guard of two headers: $twice"

# In formatted code a function's body stands between a lone { and a lone } in the first column.
lengths=$(find core fakes conformance $(ls -d fuzz 2>/dev/null) -name '*.c' | sort | xargs awk '
    /^\{$/ { start = FNR }
    /^\}$/ && start { print FILENAME, start, FNR - start - 1; start = 0 }')
long=$(echo "$lengths" | awk '$3 > 70 { print $1 ":" $2 ": a function of " $3 " lines, at most 70" }')
[ -z "$long" ] || say "$long"
median=$(echo "$lengths" | awk '$1 ~ /^core\// && $1 !~ /_test\.c$/ { print $3 }' | sort -n |
    awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }')
[ "$median" -lt 12 ] || say "core: the median function has $median lines, under 12 is asked for"

compared=$(grep -nE '(->|\.)(minor|patch) *(==|!=|<|>)|(==|<|>) *[a-z_>.-]+(->|\.)(minor|patch)\b' core/*.c core/*/*.c 2>/dev/null |
    grep -vE '^core/(rules/profile|([a-z]*/)?[a-z_0-9]*_test)\.c:')
[ -z "$compared" ] || say "versions compared outside the profile:
$compared"

# What others wrote reaches a person through text/print.c alone, which shows what a terminal would obey.
raw=$(grep -nE '\bv?f?printf\(|\bfwrite\([^;]*std(out|err)|\bfputs\([^"][^;]*std(out|err)' conformance/*/*.c |
    grep -vE '^conformance/(text/print\.c|bench/|examples/|[a-z]*/[a-z_0-9]*_test\.c)|command->help|fputs\(command,')
[ -z "$raw" ] || say "written past text/print.c:
$raw"

# A planted bug whose line has changed is planted no more.
[ ! -e fuzz/planted.sh ] || fuzz/planted.sh --patterns || bad=1
exit $bad
