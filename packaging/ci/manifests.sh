#!/bin/sh
# manifests.sh [FILE...]: those of the files that are Kubernetes manifests with containers, a line each; without files, those that a
# pull request changes (BASE: the commit it goes to), or all of the repository.  Templates with {{ are reported on stderr and left out:
# they are no YAML before helm has been there (`helm template . | probetest lint -` reads what they become).
set -u
if [ $# = 0 ]; then
    if [ -n "${BASE:-}" ]; then
        # Asked first, so that a base that is not there is an error and not "no manifest".
        git rev-parse -q --verify "$BASE^{commit}" >/dev/null || { echo "manifests: there is no commit $BASE here (is the history fetched?)" >&2; exit 2; }
        list=$(git diff --name-only --diff-filter=ACMR "$BASE"...HEAD -- '*.yaml' '*.yml' '*.json') || exit 2
    else
        list=$(git ls-files -- '*.yaml' '*.yml' '*.json') || exit 2
    fi
    IFS='
'
    set -f
    # shellcheck disable=SC2086
    set -- $list
fi
for file in "$@"; do
    [ ! -d "$file" ] || { echo "manifests: $file: a folder; name files, such as $file/*.yaml" >&2; exit 2; }
    [ -f "$file" ] || { echo "manifests: $file: no such file" >&2; exit 2; }
    grep -qE '^[[:space:]{"-]*"?apiVersion"?[[:space:]]*:' "$file" && grep -qE '"?containers"?[[:space:]]*:' "$file" || continue
    if grep -q '{{' "$file"; then
        echo "manifests: $file: a template, left out" >&2
        continue
    fi
    printf '%s\n' "$file"
done
