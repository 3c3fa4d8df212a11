#!/bin/sh
# input_test.sh [WRAPPER...]: hostile and broken files: one clear line with a place, exit code 2, nothing half done.
# The wrapper, such as valgrind with its options, runs the command, which is $PROBETEST.
set -u
command=${PROBETEST:-build/probetest}
scratch=build/input
failed=0
tried=0
mkdir -p "$scratch"

# check NAME WANTED [ARGUMENT...]: the first line of stderr must match, stdout must be empty, the exit code $wanted_code.
wanted_code=2
check() {
    name=$1 wanted=$2
    shift 2
    tried=$((tried + 1))
    timeout 120 "$@" >"$scratch/out" 2>"$scratch/err"
    code=$?
    if [ $code != $wanted_code ] || [ -s "$scratch/out" ] || ! head -1 "$scratch/err" | grep -qE "$wanted"; then
        echo "input: $name: exit $code, wanted $wanted_code and a line like: $wanted" >&2
        head -3 "$scratch/err" >&2
        failed=1
    fi
}

pod() {
    printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    image: i\n%b' "$1"
}

f=$scratch/pod.yaml
run="$* $command"
simulate="$* $command simulate"
probe="$* $command probe"

# refused NAME WANTED: every command that reads pods says so of $f, and nothing else.
refused() {
    for reads in simulate budget lint probe 'probe --watch'; do
        check "$1, $reads" "^$f:$2" $run $reads "$f"
        [ "$(wc -l <"$scratch/err")" = 1 ] || { echo "input: $1, $reads: more than a line" >&2; failed=1; }
    done
}

: >"$f";                                            refused empty '1:1: no pod'
printf 'kind: [' >"$f";                             refused truncated '[0-9]+:[0-9]+: '
printf '{"kind":"Pod","spec":{' >"$f";              refused 'truncated JSON' '1:[0-9]+: unexpected end of JSON'
printf 'kind: Pod\000\n' >"$f";                     refused 'a NUL byte' '1:10: control character'
printf '{"kind":"Pod\000"}' >"$f";                  refused 'a NUL byte in JSON' '1:[0-9]+: '
printf 'kind: "\377\376"\n' >"$f";                  refused 'no UTF-8' '1:8: .*UTF-8'
printf 'apiVersion: v1\nkind: Service\n' >"$f";     refused 'no pod' '2:7: no pod.*kind "Service"'
printf 'Pod\n' >"$f";                               refused 'no object' '1:1: '
pod '    livenessProbe: {periodSeconds: ten, exec: {command: [a]}}\n' >"$f"
refused 'a wrong type' '8:.*cannot unmarshal string'
pod '    livenesProbe: {}\n' >"$f";                 refused 'an unknown field' '8:.*unknown field'
pod '    image: j\n' >"$f";                         refused 'a key twice' '8:.*image'
head -c 10000000 /dev/zero | tr '\0' 'a' >"$f";     refused 'ten megabytes' '1:1: larger'
head -c 100000 /dev/zero | tr '\0' '[' >"$f";       refused 'deep nesting' '1:1001: .*deep'
head -c 100000 /dev/zero | tr '\0' '{' >"$f";       refused 'deep nesting of maps' '1:[0-9]+: .*deep'
{
    echo 'a: &a [x, x, x, x, x, x, x, x, x]'
    echo 'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]'
    echo 'c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]'
    echo 'd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]'
    echo 'e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]'
    echo 'f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]'
    echo 'g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]'
} >"$f"
refused 'a bomb of aliases' '[0-9]+:[0-9]+: .*alias'
{
    printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{}'
    head -c 900000 /dev/zero | tr '\0' x | sed 's/xxx/,{}/g'
    echo ']}}'
} >"$f"
refused 'three hundred thousand containers' '1:1: more than 300000 values'
pod '    livenessProbe: {periodSeconds: -1, exec: {command: [a]}}\n' >"$f"
for reads in simulate probe 'probe --watch'; do
    check "a negative period, $reads" "$f:8:.*periodSeconds: Invalid value: -1" $run $reads "$f"
done
printf 'apiVersion: v1\nkind: Pod\nspec:\n  containers:\n{{- range .Values.c }}\n  - name: a\n{{- end }}\n' >"$f"
refused 'a template' '[0-9]+:[0-9]+: this is a template; pipe'
printf 'apiVersion: v1\nkind: Pod\n' | gzip -c | head -c 30 >"$f"
for reads in simulate budget lint; do
    check "gzip cut off, $reads" "^$f: no whole gzip file" $run $reads "$f"
    tried=$((tried + 1))
    $run $reads "$f" conformance/examples/web.yaml >"$scratch/out" 2>"$scratch/err"
    [ $? = 2 ] && [ "$(wc -l <"$scratch/err")" = 1 ] && grep -q nginx "$scratch/out" || {
        echo "input: $reads: beside a broken file the other one is not answered" >&2
        failed=1
    }
done
mkdir -p "$scratch/nothing"
for reads in simulate budget lint; do
    check "an empty folder, $reads" "^$scratch/nothing: no .yaml, .yml or .json file" $run $reads "$scratch/nothing"
done
check 'no such probe' "conformance/examples/liveness-exec.yaml: the pod has no readiness probe of a container c$" $probe --type readiness --container c conformance/examples/liveness-exec.yaml
check 'no such type' "probe: --type: 'x' is none of liveness, readiness, startup" $probe --type x "$f"
check 'no such version to fire as' "probe: --k8s: '1.99' is no version" $probe --k8s 1.99 "$f"
check 'a span without a watch' "probe: --for is for --watch" $probe --for 3s "$f"
check 'a span that is none' "probe: --for: '3x' is no duration" $probe --watch --for 3x "$f"
check 'no file to fire' "no file" $probe
printf 'apiVersion: settings.k8s.io/v1alpha1\nkind: PodPreset\nmetadata: {name: p}\nspec: {env: 5}\n' >"$f"
check 'a preset with a wrong type' "$f:4:13: .*cannot unmarshal number" $simulate --k8s 1.19 "$f"
check 'a preset with a wrong type, lint' "$f:4:13: .*cannot unmarshal number" $run lint --k8s 1.19 "$f"
for reads in simulate lint probe; do
    check "no such file, $reads" '^nowhere.yaml: No such file' $run $reads nowhere.yaml
    [ $reads != probe ] || check "a folder, $reads" '^/: Is a directory' $run $reads /
    check "an empty standard input, $reads" '^<stdin>:1:1: no pod' $run $reads - </dev/null
done

s=$scratch/script.yaml
tutorial=conformance/examples/liveness-exec.yaml
printf 'answers: {nobody/liveness: failure}\n' >"$s"
check 'a script of another pod' "$s:1:11: .*no such container" $simulate --script "$s" $tutorial
printf 'world: {liveness: {stops: perhaps}}\n' >"$s"
check 'a script with a wrong word' "$s:1:[0-9]+: " $simulate --script "$s" $tutorial
check 'no such version' "1.99" $simulate --k8s 1.99 $tutorial
check 'a comma too many' "simulate: --k8s: '' is no version" $simulate --k8s 1.36, $tutorial
check 'no duration' "fast" $simulate --for fast $tutorial
check 'hours that add up' "'600h600h' is no duration" $simulate --for 600h600h $tutorial
check 'no such rule' "'P-999' is neither" "$@" "$command" explain P-999
check 'no such bug' "no bug 'K-99'" "$@" "$command" list --bug K-99
check 'no such test of upstream' "'TestNo'" "$@" "$command" list --upstream TestNo
check 'an export in no format' "json or markdown" "$@" "$command" export --rules --format yaml
check 'an export of nothing' "no case is called" "$@" "$command" export no-such-case
check 'rules take no name' "'P-046'" "$@" "$command" rules P-046
check 'an empty selection' "." "$@" "$command" run no-such-case
mkdir -p "$scratch/empty"
wanted_code=3
check 'a table without a case' "$scratch/empty: no case" "$@" "$command" run --cases "$scratch/empty"
guarded=$scratch/guarded
rm -rf "$guarded" && mkdir -p "$guarded" && cp conformance/cases/port/ports.yaml conformance/cases/probe/thresholds.yaml "$guarded"
(cd "$guarded" && sha256sum *.yaml >MANIFEST)
echo >>"$guarded/ports.yaml"
check 'a case file that was edited' "$guarded/ports.yaml: it is not the file" "$@" "$command" run --cases "$guarded"
rm "$guarded/ports.yaml"
check 'a case file that is gone' "$guarded/ports.yaml: it is gone" "$@" "$command" run --cases "$guarded"
(cd "$guarded" && sha256sum *.yaml >MANIFEST) && cp conformance/cases/port/ports.yaml "$guarded"
check 'a case file that nobody knows' "$guarded/ports.yaml: it is not in MANIFEST" "$@" "$command" run --cases "$guarded"
[ $failed = 0 ] && echo "input: $tried hostile inputs, each refused in one line"
exit $failed
