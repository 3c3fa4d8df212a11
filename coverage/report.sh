#!/bin/sh
# report.sh BUILD: plays the suites and says what they reach, rules and states (suites.py), then lines and branches, as HTML in
# BUILD/coverage and as a line a floor; fails below coverage/floors.
set -eu
build=$1
mkdir -p "$build/coverage"
failed=0
python3 coverage/suites.py "$build" || failed=1
echo
# Not of $build whole: under data/ lie the counts of each suite, which are summed here already.
lcov -q --config-file coverage/lcovrc --capture --directory "$build/core" --directory "$build/fakes" --directory "$build/conformance" \
    --base-directory . --no-external --output-file "$build/all.info"
lcov -q --config-file coverage/lcovrc --remove "$build/all.info" '*_test.c' '*/unit_list.c' '*/fakes/unit.c' '*/coverage/*' '*/fuzz/*' \
    --output-file "$build/coverage.info"
genhtml -q --config-file coverage/lcovrc --prefix "$PWD" -o "$build/coverage" "$build/coverage.info"
awk -v floors=coverage/floors '
    /^SF:/ { floor = substr($0, length(ENVIRON["PWD"]) + 5); sub(/\/[^\/]*$/, "", floor); sub(/^conformance\/.*/, "conformance", floor) }
    /^LH:/ { line_hit[floor] += substr($0, 4) }
    /^LF:/ { lines[floor] += substr($0, 4) }
    /^BRH:/ { branch_hit[floor] += substr($0, 5) }
    /^BRF:/ { branches[floor] += substr($0, 5) }
    END {
        while ((getline row < floors) > 0) {
            split(row, want, " ")
            f = want[1]
            if (!(f in lines)) continue
            l = 100 * line_hit[f] / lines[f]
            b = 100 * branch_hit[f] / branches[f]
            below = l < want[2] || b < want[3]
            bad += below
            printf "%-12s lines %5.1f %% (floor %s)   branches %5.1f %% (floor %s)%s\n", f, l, want[2], b, want[3], below ? "   BELOW" : ""
        }
        exit bad > 0
    }' "$build/coverage.info" || failed=1
exit $failed
