#!/bin/sh
# judge-adapter.sh COMMAND ARGS...: judge an implementation against the table, for CI of any kind.
#
# PROBETEST   the command (probetest)
# K8S         versions: 1.36, or all (each case at its newest)
# REQUIRE     layers that must be claimed and judged: probe,pod
# KNOWN       a file of failures that are known
# SELECTION   topics, layers, rules or ids, separated by spaces (all)
# REPORTS     the folder for probetest.jsonl, .xml (JUnit) and .md (probetest-report)
# SUMMARY     the file to add the Markdown report to ($GITHUB_STEP_SUMMARY, else standard output)
#
# Exit code: that of `probetest run`.
set -u
probetest=${PROBETEST:-probetest}
reports=${REPORTS:-probetest-report}
summary=${SUMMARY:-${GITHUB_STEP_SUMMARY:-}}
if [ -n "$summary" ]; then exec 3>>"$summary" || exit 2; else exec 3>&1; fi # as check-manifests.sh
command -v "$probetest" >/dev/null || { echo "judge-adapter: $probetest is not there" >&2; exit 2; }
[ $# -gt 0 ] || { echo 'judge-adapter: which adapter? judge-adapter.sh COMMAND ARGS...' >&2; exit 2; }
mkdir -p "$reports" || exit 2
# shellcheck disable=SC2086
"$probetest" run ${K8S:+--k8s "$K8S"} ${REQUIRE:+--require "$REQUIRE"} ${KNOWN:+--known "$KNOWN"} \
    --report "$reports/probetest.jsonl" --report "$reports/probetest.xml" --report "$reports/probetest.md" ${SELECTION:-} -- "$@"
code=$?
[ ! -s "$reports/probetest.md" ] || cat "$reports/probetest.md" >&3
exit $code
