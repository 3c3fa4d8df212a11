#!/bin/sh
# release.sh [check|tag|notes [VERSION]]: the release checklist, as a script.  `check` (the default) says what stands in the way of a
# release of this commit; `tag` does the same, then tags it; `notes` prints its part of CHANGELOG.md.  Nothing is pushed.
set -u
cd "$(dirname "$0")/.."
version=$(packaging/version.sh command) || exit 1
table=$(packaging/version.sh table) || exit 1
if [ "${1:-check}" = notes ]; then
    awk -v part="[${2:-$version}]" '/^## /{on = $2 == part} on {print; some = 1} END {exit !some}' CHANGELOG.md && exit
    echo "release: CHANGELOG.md has no part of ${2:-$version}" >&2
    exit 1
fi
last=$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null) || last=
bad=0
ok() { echo "ok      $*"; }
not() { echo "NOT OK  $*"; bad=1; }

# changed_cases LAST: "which of the three numbers of the table has to change": major, minor, patch or none.
changed_cases() {
    rm -rf build/release && mkdir -p build/release
    git archive "$1" conformance/cases | tar -x -C build/release || return 1
    build/probetest export --cases build/release/conformance/cases -o build/release/before.jsonl &&
        build/probetest export --cases conformance/cases -o build/release/after.jsonl || { echo major; return; }
    /usr/bin/python3 - build/release/before.jsonl build/release/after.jsonl <<'PY'
import json, sys
def cases(path):
    with open(path) as file:
        next(file)
        return {one["id"]: one for one in map(json.loads, file)}
before, after = cases(sys.argv[1]), cases(sys.argv[2])
words = ("why", "issues", "source", "place", "topic", "file", "line")
bare = lambda one: {key: value for key, value in one.items() if key not in words}
if before.keys() - after.keys():
    print("major", *sorted(before.keys() - after.keys()))
elif after.keys() - before.keys() or any(bare(before[id]) != bare(after[id]) for id in before):
    print("minor", *sorted(id for id in before if bare(before[id]) != bare(after[id])))
elif any(before[id] != after[id] for id in before):
    print("patch")
else:
    print("none")
PY
}

[ -z "$(git status --porcelain)" ] && ok 'the tree has no changes' || not 'the tree has changes'
git rev-parse -q --verify "refs/tags/v$version" >/dev/null && not "v$version is tagged already: core/base/version.h" || ok "v$version is new"
grep -q "^## \[$version\] - [0-9]\{4\}-[0-9][0-9]-[0-9][0-9]\$" CHANGELOG.md && ok "CHANGELOG.md has $version with its day" ||
    not "CHANGELOG.md: there is no line '## [$version] - YYYY-MM-DD'"
make -s all || exit 1
if [ -n "$last" ]; then
    was=$(git show "$last:core/base/version.h" | sed -n 's/^#define PROBETEST_TABLE "\([0-9.]*\)".*/\1/p')
    change=$(changed_cases "$last")
    lists=${change#* }
    case ${change%% *}:$(printf '%s %s\n' "$was" "$table" | awk '{ split($1, a, "."); split($2, b, ".");
        print b[1] > a[1] ? "major" : b[1] == a[1] && b[2] > a[2] ? "minor" : $1 == $2 ? "none" : "patch" }') in
    none:* | patch:patch | patch:minor | patch:major | minor:minor | minor:major | major:major) ok "table $was -> $table, whose change is ${change%% *}" ;;
    *) not "table $was -> $table, but its change is ${change%% *}: $lists" ;;
    esac
    was=$(git show "$last:core/base/version.h" | sed -n 's/^#define PROBETEST_PROTOCOL \([0-9]*\).*/\1/p')
    if [ "$was" = "$(packaging/version.sh protocol)" ]; then
        git diff --quiet "$last" HEAD -- conformance/schema || ok "the protocol's schemas changed: they may only have gained requests' fields"
    fi
else
    ok "the first release: there is no tag to compare table $table with"
fi
if [ "$bad" = 0 ]; then
    make -s conformance >/dev/null && ok 'make conformance' || not 'make conformance'
    make -s check >build/release.log 2>&1 && ok 'make check' || not 'make check: build/release.log'
    make -s packaging-check >>build/release.log 2>&1 && ok 'make packaging-check' || not 'make packaging-check: build/release.log'
    make -s dist >>build/release.log 2>&1 && cp build/dist/SHA256SUMS build/release.sums && make -s dist >>build/release.log 2>&1 &&
        cmp -s build/dist/SHA256SUMS build/release.sums && ok 'make dist, twice the same bytes' || not 'make dist: build/release.log'
fi
[ "$bad" = 0 ] || exit 1
case ${1:-check} in
tag) git tag -a "v$version" -m "probetest $version, table $table" && echo "tagged v$version; next: git push --tags, and the release workflow" ;;
*) echo "next: packaging/release.sh tag" ;;
esac
