#!/bin/sh
# check-manifests.sh [FILE...]: lint and budget of the manifests of a pull request (manifests.sh chooses them), for CI of any kind.
#
# PROBETEST   the command (probetest)
# K8S         the Kubernetes version (the newest but one: probetest's own default)
# STRICT      true: advice fails, too
# SARIF       the file to write findings to (probetest.sarif)
# SUMMARY     the file to add a Markdown summary to ($GITHUB_STEP_SUMMARY, else standard output)
#
# Exit code: 0 nothing is wrong (or there is no manifest, which is said), 1 something is refused (STRICT: or advised), 2 a file is no
# manifest that can be read, or the command is not there.
set -u
here=$(cd "$(dirname "$0")" && pwd)
probetest=${PROBETEST:-probetest}
sarif=${SARIF:-probetest.sarif}
summary=${SUMMARY:-${GITHUB_STEP_SUMMARY:-}}
# Never /dev/stdout: of a file that would be another offset, and who writes next writes over it.
if [ -n "$summary" ]; then exec 3>>"$summary" || exit 2; else exec 3>&1; fi
command -v "$probetest" >/dev/null || { echo "check-manifests: $probetest is not there" >&2; exit 2; }

files=$("$here/manifests.sh" "$@") || exit 2
IFS='
'
set -f
# shellcheck disable=SC2086
set -- $files
unset IFS # `${K8S:+--k8s "$K8S"}` is two words
if [ $# = 0 ]; then
    echo 'probetest: no manifest with containers is changed here' >&3
    echo '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"probetest"}},"results":[]}]}' >"$sarif"
    exit 0
fi
strict=
[ "${STRICT:-false}" != true ] || strict=--strict
"$probetest" lint ${K8S:+--k8s "$K8S"} $strict --format sarif "$@" >"$sarif"
code=$?
# On GitHub each finding stands at its line of the pull request.
format=text
[ "${GITHUB_ACTIONS:-}" != true ] || format=github
"$probetest" lint ${K8S:+--k8s "$K8S"} $strict --format $format "$@" 2>/dev/null
{
    echo '## probetest'
    echo
    echo "manifests: $#, findings: $("$probetest" lint ${K8S:+--k8s "$K8S"} --format json "$@" 2>/dev/null | grep -c '"message"')"
    echo
    echo '<details open><summary>What the probes promise</summary>'
    echo
    echo '```'
    "$probetest" budget ${K8S:+--k8s "$K8S"} "$@" 2>&1
    echo '```'
    echo
    echo '</details>'
} >&3
exit $code
