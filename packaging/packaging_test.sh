#!/bin/sh
# packaging_test.sh: what is given to others, tried without a network: the kubectl plugin on a fake kubectl, the actions and the
# pre-commit hook on a sample repository, completion in each shell that is here, the manual page, versions, what is missing is said.
set -u
cd "$(dirname "$0")/.."
top=$PWD
export PROBETEST="$top/build/probetest"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0

# check WHAT CODE WORDS COMMAND...: exit code, and words (an extended expression) of what it prints.
check() {
    what=$1 code=$2 words=$3
    shift 3
    count=$((count + 1))
    "$@" >"$scratch/said" 2>&1 </dev/null
    got=$?
    [ -s "$scratch/said" ] || echo >"$scratch/said"
    [ "$got" = "$code" ] && grep -qE -e "$words" "$scratch/said" && return
    echo "packaging: $what: exit $got, wanted $code and: $words" >&2
    head -8 "$scratch/said" >&2
    failed=1
}
has() { "$PROBETEST" --help | grep -q "^  $1 "; }

# ---- versions and packages -------------------------------------------------------------------
check 'three versions' 0 "^table $(packaging/version.sh table)\$" "$PROBETEST" --version
check 'the protocol is that of its page' 0 '^$' grep -q "^# The adapter protocol, version $(packaging/version.sh protocol)\$" conformance/protocol.md
check 'an unknown version' 2 'command, protocol or table' packaging/version.sh nothing
check 'the changelog has the version' 0 '.' grep -E "^## \[$(packaging/version.sh command)\]|^## \[Unreleased\]" CHANGELOG.md
check 'a header that is missing is named' 1 'missing: no/such.h \(Debian: apt-get install libnosuch-dev\)' conformance/needs.sh cc no/such.h=libnosuch-dev
check 'a compiler that is missing is named' 1 'no C compiler: no-such-cc' conformance/needs.sh no-such-cc stdio.h=libc6-dev
check 'a package that is missing is named, not installed' 1 'missing packages: no-such-package' env INSTALL=0 conformance/deps.sh no-such-package
check 'static: an architecture that nobody knows' 1 'no architecture vax' packaging/static.sh vax

check 'distributions: what cannot be tried says why' 0 '^alpine +not tried: ' packaging/distributions.sh alpine
check 'distributions: a name that nobody knows' 2 'no vax: debian-12 ' packaging/distributions.sh vax

! command -v dpkg >/dev/null || check 'the static binary of this machine: it plays the table, under 2 MB' 0 '^build/static/probetest-linux-.* bytes$' packaging/static.sh

check 'make help has twelve targets' 0 '^12$' sh -c 'make -s help | grep -c "^[a-z]"'
check 'make help fits a terminal' 0 '^$' sh -c '! make -s help | grep -E "^.{81}"'
check 'make help-all has the rest' 0 '^mutants ' make -s help-all

# ---- a release ------------------------------------------------------------------------------
mkdir -p "$scratch/dirty/core/base" && cp -R packaging "$scratch/dirty/" && cp core/base/version.h "$scratch/dirty/core/base/" && git init -q "$scratch/dirty"
check 'a release of a tree with changes is refused' 1 'dist: the tree has changes' "$scratch/dirty/packaging/dist.sh"
newest=$(sed -n 's/^## \[\(.*\)\].*/\1/p' CHANGELOG.md | head -1) # Unreleased, or of a release its version
check 'notes of a release: its part of the changelog' 0 '^### Added$' packaging/release.sh notes "$newest"
check 'notes of a release that has none' 1 'has no part of 9.9.9' packaging/release.sh notes 9.9.9
check 'the release checklist says what stands in the way' 1 'NOT OK  the tree has changes' "$scratch/dirty/packaging/release.sh"

# ---- kubectl probetest ----------------------------------------------------------------------
mkdir -p "$scratch/bin"
ln -s "$PROBETEST" "$scratch/bin/probetest"
ln -s "$top/packaging/test/kubectl" "$scratch/bin/kubectl"
export KUBECTL_LOG="$scratch/kubectl.log"
PATH=$scratch/bin:$PATH
plugin=packaging/kubectl-probetest
check 'kubectl probetest simulate plays the version of the cluster' 0 'on Kubernetes 1\.34\.2' $plugin simulate web -n shop --for 2m
check 'its options go to kubectl' 0 '^--namespace shop get pod/web -o yaml$' cat "$scratch/kubectl.log"
check 'kubectl probetest simulate: another version' 0 'on Kubernetes 1\.22' $plugin simulate web --for 2m --k8s 1.22
check 'kubectl probetest simulate: an option and its value' 0 'SIGTERM' $plugin simulate web --stops-in 45s --deleted-at 2m
check 'kubectl probetest simulate: an option without its value' 2 'option --stops-in wants a value' $plugin simulate web --stops-in
check 'kubectl probetest lint' 0 '.' $plugin lint deploy/web
has budget && check 'kubectl probetest budget' 0 'web' $plugin budget web deploy/web
if has why; then
    check 'kubectl probetest why' 0 'liveness' $plugin why web --context prod
    check 'it asks for the events of that pod' 0 'get events --field-selector involvedObject.kind=Pod,involvedObject.name=web' cat "$scratch/kubectl.log"
    check 'kubectl probetest why: of pods alone' 2 'of a pod, not deploy/web: name one of its pods' $plugin why deploy/web
fi
check 'a pod that is gone' 2 'NotFound' $plugin simulate gone
check 'a container, by its short option' 0 'killed by its liveness probe' $plugin why web -c web
check 'a kind and a name, as kubectl takes them' 2 'one word: deploy/web' $plugin budget deploy web
check 'a kind and a name of why' 2 'one word: pod/web' $plugin why pod web
check 'an option that nobody has' 2 'there is no option -l; try .kubectl probetest budget --help' $plugin budget -l app=web
check 'its help has the options' 0 '^  --starts-in D ' $plugin simulate --help
check 'no pod' 2 'which pod' $plugin lint
check 'two pods of simulate' 2 'one at a time' $plugin simulate web web
check 'an unknown command' 2 'there is no command delete here' $plugin delete web
check 'a name of a pod is no shell' 2 'NotFound' $plugin simulate "x';touch $scratch/owned;'"
[ ! -e "$scratch/owned" ] || { echo 'packaging: a name was run' >&2; failed=1; }

# ---- a pull request's manifests --------------------------------------------------------------
repository=$scratch/repository
mkdir -p "$repository/chart" && cd "$repository" || exit
git init -q . && git config user.email a@b && git config user.name a
cp "$top/conformance/examples/web.yaml" old.yaml
git add . && git commit -qm base
BASE=$(git rev-parse HEAD)
export BASE
cp "$top/conformance/examples/unwise.yaml" 'new one.yaml'
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, livenessProbe: {tcpSocket: {port: 80}, periodSeconds: -1}}]}\n' >refused.yaml
printf 'apiVersion: v1\nkind: Pod\nspec:\n  containers: [{name: {{ .Values.name }}}]\n' >chart/pod.yaml
echo 'replicas: 2' >values.yaml
git add . && git commit -qm change
check 'manifests that are changed' 0 '^new one.yaml$' "$top/packaging/ci/manifests.sh"
check 'templates are told' 0 'chart/pod.yaml: a template, left out' "$top/packaging/ci/manifests.sh"
check 'a base that is not there' 2 'is the history fetched' env BASE=0123456789012345678901234567890123456789 "$top/packaging/ci/manifests.sh"
act="/usr/bin/python3 $top/packaging/act.py"
github="github.action_path=$top github.event.pull_request.base.sha=$BASE inputs.command=$PROBETEST"
export GITHUB_STEP_SUMMARY="$scratch/summary"
# shellcheck disable=SC2086
check 'the action: what is refused fails the job' 1 'refused.yaml' env GITHUB_ACTIONS=true $act "$top/action.yml" $github
check 'the action: an annotation' 1 '^::error file=refused.yaml,line=4' env GITHUB_ACTIONS=true $act "$top/action.yml" $github
check 'the action: SARIF' 0 '"ruleId":"refused"' cat probetest.sarif
check 'the action: a summary' 0 'manifests: 2, findings: 8' cat "$scratch/summary"
# shellcheck disable=SC2086
check 'the action: advice alone does not fail it' 0 '.' $act "$top/action.yml" $github "inputs.files=old.yaml"
# shellcheck disable=SC2086
check 'the action: of a version' 0 '^old.yaml:12:7: advice:' $act "$top/action.yml" $github "inputs.files=old.yaml" inputs.k8s=1.30
check 'the action: what it says of that version' 0 'on Kubernetes 1\.30' cat "$scratch/summary"
check 'a summary on stdout, a file: all of it' 0 '^## probetest$' env GITHUB_STEP_SUMMARY= sh -c "\"$top/packaging/ci/check-manifests.sh\" old.yaml; seq 100"
check 'a folder' 2 'chart: a folder; name files' "$top/packaging/ci/check-manifests.sh" chart
git mv refused.yaml refused.txt && git commit -qm 'no longer refused'
check 'the action: strict' 1 '.' env STRICT=true "$top/packaging/ci/check-manifests.sh"
git reset -q --hard "$BASE"
# shellcheck disable=SC2086
check 'the action: nothing is changed' 0 '^$' $act "$top/action.yml" $github "inputs.sarif=none.sarif"
check 'the action: SARIF without findings' 0 '"results":\[\]' cat none.sarif
check 'the action: a command that is not there' 2 'no-such is not there' env PROBETEST=no-such "$top/packaging/ci/check-manifests.sh"
# shellcheck disable=SC2086
check 'judge: an adapter that conforms' 0 'passed, 0 failed' $act "$top/packaging/judge/action.yml" "github.action_path=$top/packaging/judge" \
    "inputs.command=$PROBETEST" "inputs.adapter=$PROBETEST serve" inputs.selection=thresholds
check 'judge: JUnit' 0 '<testsuite' cat probetest-report/probetest.xml
check 'judge: which adapter?' 2 'which adapter' "$top/packaging/ci/judge-adapter.sh"
check 'judge: what is wrong fails the job' 4 'unusable' "$top/packaging/ci/judge-adapter.sh" /bin/cat
cd "$top" || exit

# ---- GitLab ---------------------------------------------------------------------------------
mkdir "$scratch/upstream" && cp -R packaging "$scratch/upstream/" && cd "$scratch/upstream" || exit
git init -q . && git add . && git -c user.email=a@b -c user.name=a commit -qm probetest && git branch -M v0
cd "$repository" && cp "$top/packaging/test/refused.yaml" . && git add . && git commit -qm change || exit
gitlab="env PROBETEST_REPOSITORY=file://$scratch/upstream PROBETEST_REF=v0 $act $top/packaging/gitlab-ci.yml"
# shellcheck disable=SC2086
check 'GitLab: what a merge request changes' 1 '^refused.yaml:' env K8S=1.30 CI_MERGE_REQUEST_DIFF_BASE_SHA="$BASE" $gitlab .probetest-manifests
check 'GitLab: it has cloned what it calls' 0 '^$' test -x .probetest/packaging/ci/check-manifests.sh
# shellcheck disable=SC2086
check 'GitLab: an adapter' 0 'passed, 0 failed' env ADAPTER="$PROBETEST serve" SELECTION=thresholds $gitlab .probetest-judge
cd "$top" || exit

# ---- the command of a release ------------------------------------------------------------------
release=$scratch/probetest/releases/download/v9.9.9
mkdir -p "$release"
for arch in amd64 arm64; do cp /bin/true "$release/probetest-linux-$arch"; done
(cd "$release" && sha256sum probetest-linux-* >SHA256SUMS)
get="env RELEASE=v9.9.9 REPOSITORY=file://$scratch/probetest packaging/ci/get-probetest.sh $scratch/got"
if command -v curl >/dev/null; then
    # shellcheck disable=SC2086
    check 'the command of a release' 0 "^$scratch/got/probetest\$" $get
    echo >>"$release/probetest-linux-amd64"
    echo >>"$release/probetest-linux-arm64"
    # shellcheck disable=SC2086
    check 'a release whose checksum is another' 2 'is not what its SHA256SUMS says' $get
fi

# ---- Debian, and what contributors meet ---------------------------------------------------------
! command -v dpkg-parsechangelog >/dev/null || check 'Debian: its changelog has the version' 0 "^$(packaging/version.sh command)-1\$" sh -c \
    "sed -e 's/@VERSION@/$(packaging/version.sh command)/' -e 's/@DATE@/Thu, 01 Jan 2026 00:00:00 +0000/' packaging/debian/changelog.in | dpkg-parsechangelog -l- -S Version"
for one in $(sed -n '/^NEEDS/s/[a-z0-9/]*[.]h=//gp' Makefile | cut -d= -f2-); do
    check "Debian: it is built with $one" 0 '.' grep "^ $one,\{0,1\}\$" packaging/debian/control
done
check 'workflows and templates of issues are read' 0 '^$' /usr/bin/python3 -c 'import glob, yaml
for path in glob.glob(".github/**/*.yml", recursive=True):
    assert yaml.safe_load(open(path)), path'
check 'the recipes of docs/ci.md name what there is' 0 '^5 recipes$' /usr/bin/python3 -c 'import re, yaml
load = lambda path: yaml.safe_load(open(path))
there = {"": load("action.yml")["inputs"], "/packaging/judge": load("packaging/judge/action.yml")["inputs"]}
text = open("docs/ci.md").read()
said = re.findall(r"uses: OWNER/probetest([\w/]*)@v[\d.]+\n +with: ({.*})", text)
for where, inputs in said:
    assert yaml.safe_load(inputs).keys() <= there[where].keys(), inputs
jobs = re.findall(r"extends: (\.probetest[\w-]*)", text)
assert set(jobs) <= load("packaging/gitlab-ci.yml").keys(), jobs
hooks = re.findall(r"- {id: ([\w-]+)", text)
assert set(hooks) <= {one["id"] for one in load(".pre-commit-hooks.yaml")}, hooks
print(len(said + jobs + hooks), "recipes")'
check 'the workflow of pull requests calls .ci/run' 0 '.' grep -x '    - run: .ci/run' .github/workflows/ci.yml
for one in $(sed -nE '/apt-get/d; s/^ *- run: (.*)make (.*)$/\2/p' .github/workflows/*.yml | tr ' ' '\n' | grep -x '[a-z-]*' | sort -u); do
    check "workflows: make $one" 0 '.' grep -hE "^$one:" Makefile packaging/packaging.mk docs/site/site.mk
done

# ---- pre-commit -----------------------------------------------------------------------------
check 'pre-commit: what is refused' 1 'periodSeconds' packaging/pre-commit.sh --k8s 1.30 "$top/packaging/test/refused.yaml" "$top/packaging/gitlab-ci.yml"
check 'pre-commit: no manifest' 0 '^$' packaging/pre-commit.sh packaging/gitlab-ci.yml
check 'pre-commit: its entry is a script here' 0 '^$' test -x "$(sed -n 's/^  entry: //p' .pre-commit-hooks.yaml)"

# ---- completion and manual page -------------------------------------------------------------
made=build/plain/completions
check 'bash: commands' 0 '^simulate$' bash -c ". $made/probetest.bash; COMP_WORDS=(probetest sim); COMP_CWORD=1; _probetest; printf '%s\n' \"\${COMPREPLY[@]}\""
check 'bash: options' 0 '^--worst-case$' bash -c ". $made/probetest.bash; COMP_WORDS=(probetest simulate --wor); COMP_CWORD=2; _probetest; printf '%s\n' \"\${COMPREPLY[@]}\""
check 'bash: words of an option' 0 '^sarif$' bash -c ". $made/probetest.bash; COMP_WORDS=(probetest lint --format s); COMP_CWORD=3; _probetest; printf '%s\n' \"\${COMPREPLY[@]}\""
check 'bash: words of a short option' 0 '^markdown$' bash -c ". $made/probetest.bash; COMP_WORDS=(probetest export -f m); COMP_CWORD=3; _probetest; printf '%s\n' \"\${COMPREPLY[@]}\""
check 'bash: no file for a version' 0 '^0$' bash -c ". $made/probetest.bash; COMP_WORDS=(probetest budget --k8s ''); COMP_CWORD=3; _probetest; echo \${#COMPREPLY[@]}"
! command -v fish >/dev/null || check 'fish: words of a tier' 0 '^contract' fish --no-config -c "source $made/probetest.fish; complete -C 'probetest run --tier c'"
! command -v zsh >/dev/null || check 'zsh reads it' 0 '^read$' zsh -c "zsh -n $made/_probetest && echo read"
! command -v fish >/dev/null || check 'fish: options' 0 '^--worst-case' fish --no-config -c "source $made/probetest.fish; complete -C 'probetest simulate --wor'"
for one in $("$PROBETEST" --help | sed -nE 's/^  ([a-z][a-z-]*) .*/\1/p'); do
    check "manual page: $one" 0 '.' grep -x ".SS $one" build/plain/probetest.1
done
for one in bin/probetest bin/kubectl-probetest bin/kubectl_complete-probetest share/man/man1/probetest.1 share/man/man1/kubectl-probetest.1 share/bash-completion/completions/probetest \
    share/zsh/site-functions/_probetest share/fish/vendor_completions.d/probetest.fish lib/pkgconfig/libkubeprobe.pc; do
    [ -d "$scratch/installed" ] || check 'make install' 0 '^' make -s install DESTDIR="$scratch/installed" PREFIX=/usr
    check "make install: $one" 0 '^$' test -s "$scratch/installed/usr/$one"
done
check 'what is installed asks the cluster' 0 'killed by its liveness probe' env PATH="$top/packaging/test:$scratch/installed/usr/bin:/usr/bin:/bin" \
    kubectl-probetest why web
completed() { PATH="$top/packaging/test:$scratch/installed/usr/bin:/usr/bin:/bin" kubectl_complete-probetest "$@"; }
check 'kubectl completes commands' 0 '^why.what ended it, and whether a probe did$' completed w
check 'kubectl completes commands: no files' 0 '^:4$' completed ''
check 'kubectl completes options' 0 '^--worst-case.the earliest' completed simulate --wor
check 'kubectl completes options that take a value' 0 '^--starts-in.probes are refused' completed simulate web --starts
check 'kubectl completes pods' 0 '^web.Running$' completed why -n shop w
check 'kubectl: pods are of the namespace' 0 '__complete get pods -n=shop w' env KUBECTL_LOG="$scratch/asked" PATH="$top/packaging/test:$scratch/installed/usr/bin:/usr/bin:/bin" \
    sh -c 'kubectl_complete-probetest why -n shop w && cat "$KUBECTL_LOG"'
check 'kubectl: a value is not guessed' 0 '^:4$' completed budget web --k8s ''
check 'manual page: the plugin' 0 '.' grep -F 'kubectl probetest why POD' build/plain/probetest.1
check 'manual page: examples' 0 '.' grep -x '.SH EXAMPLES' build/plain/probetest.1
check 'a shell that nobody knows' 2 'no completion for tcsh' packaging/complete.sh tcsh "$PROBETEST"

# ---- templates that a release fills ------------------------------------------------------------
check 'krew: a plugin manifest' 0 '^Plugin probetest 2$' /usr/bin/python3 -c 'import yaml
plugin = yaml.safe_load(open("packaging/krew.yaml.in").read().replace("@", "x"))
print(plugin["kind"], plugin["metadata"]["name"], len(plugin["spec"]["platforms"]))'
mkdir "$scratch/store" "$scratch/krew" && cp packaging/kubectl-probetest "$scratch/store/" && cp -L "$PROBETEST" "$scratch/store/probetest"
ln -s "$scratch/store/kubectl-probetest" "$scratch/krew/"
check 'krew: a link to where it unpacks' 0 'killed by its liveness probe' env PATH="$scratch/krew:$top/packaging/test:/usr/bin:/bin" kubectl-probetest why web
! command -v ruby >/dev/null || check 'Homebrew: Ruby reads it' 0 'Syntax OK' ruby -c packaging/homebrew.rb.in

[ $failed = 0 ] && echo "packaging: $count checks"
exit $failed
