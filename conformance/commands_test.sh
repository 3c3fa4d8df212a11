#!/bin/sh
# commands_test.sh PROBETEST: every command and option as the help describes it: exit code, and words that the output must have.
set -u
command=$1
scratch=build/commands
tutorial=conformance/examples/liveness-exec.yaml
script=conformance/examples/graceful.script.yaml
web=conformance/examples/web.yaml
count=0
failed=0
rm -rf "$scratch"
mkdir -p "$scratch"

# says CODE WORDS ARGUMENT...: stdout, or stderr where stdout is empty, matches the words (an extended expression).
says() {
    code=$1 words=$2
    shift 2
    count=$((count + 1))
    timeout 600 "$command" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    got=$?
    [ -s "$scratch/out" ] || cp "$scratch/err" "$scratch/out"
    [ -s "$scratch/out" ] || echo >"$scratch/out"
    if [ $got != "$code" ] || ! grep -qE -e "$words" "$scratch/out"; then
        echo "commands: $*: exit $got, wanted $code and: $words" >&2
        head -3 "$scratch/out" "$scratch/err" >&2
        failed=1
    fi
    harmless "$@"
}

# Of the command before: stderr has these words, too.
beside() {
    grep -qE -e "$1" "$scratch/err" && return
    echo "commands: wanted on stderr: $1" >&2
    head -3 "$scratch/err" >&2
    failed=1
}

# Nothing that a terminal would obey has come out.
harmless() {
    if LC_ALL=C grep -qa "$(printf '[\001-\010\013-\037\177]')" "$scratch/out" "$scratch/err"; then
        echo "commands: $*: a control character" >&2
        cat -v "$scratch/out" "$scratch/err" | grep '\^' | head -3 >&2
        failed=1
    fi
}

# The same of a command that goes on until it is interrupted: it is, once stdout matches.
says_soon() {
    code=$1 words=$2
    shift 2
    count=$((count + 1))
    : >"$scratch/out" # of the command before
    # Once: a second SIGINT may end what looks for leaks at the end, and then nothing ends.
    timeout --foreground -k 10 -s INT 600 "$command" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
    while kill -0 $! 2>/dev/null && ! grep -qE -e "$words" "$scratch/out"; do sleep 0.1; done
    kill -INT $! 2>/dev/null
    wait $!
    got=$?
    if [ $got != "$code" ] || ! grep -qE -e "$words" "$scratch/out"; then
        echo "commands: $*: exit $got, wanted $code and: $words" >&2
        head -3 "$scratch/out" "$scratch/err" >&2
        failed=1
    fi
    harmless "$@"
}

says 0 'exit codes|Exit codes' --help
says 0 '^probetest [0-9]' --version
says 2 'probetest --help' no-such-command
says 2 'there is no command `simulat`; did you mean `probetest simulate`' simulat
says 2 "did you mean .probetest budget $web" "$web"
says 2 'there is no command `no-such`' help no-such
says 0 '^table ' version
says 2 'probetest --help'
says 0 '^usage: probetest simulate' help simulate
says 0 '^  simulate ' help
for one in --help -h help; do says 0 '^  simulate ' help $one; done
for one in run list show explain rules export lint serve budget simulate why probe doctor report verify-report diff; do
    says 0 "^usage: probetest $one" $one --help
    awk -v one=$one 'length > 80 { print "commands: " one " --help: wider than 80: " $0; exit 1 }' "$scratch/out" >&2 || failed=1
    says 2 "try .probetest $one --help" $one --no-such-option
done

for one in budget simulate lint why probe; do says 0 '1.36: clusters lag 1.37' $one --help; done # why not the newest

# The table as a reference.
says 0 '^1 case$' list probe/liveness
says 0 'contract-initial-delay' contract
says 2 'it takes no selection' contract P-046
says 0 'contract-defaults' list --tier contract
says 0 'passed, 0 failed' run --quiet --without-bugs probe/thresholds
says 2 'no case stands for that' list --without-bugs --bug K-01
says 2 "there is no tier 'strict': contract, kubelet or exact" run --tier strict
says 2 'no case of tier kubelet is called' list --tier kubelet '^count-kills-next'
says 0 'standing  contract: reference Probe.initialDelaySeconds' explain P-039
says 0 'inherited-started-kills.killed' list --bug K-10
says 0 'no-id.waits' list --upstream TestDoProbe
says 2 'wants a value' list --bug
says 2 'wants a value' list --upstream
says 0 'startup-gates-others.never-passed' list --k8s 1.36 startup
says 2 'no case' list --k8s 1.15 inherited-started
says 0 'fewer in a row than failureThreshold' show P-046
says 0 'readiness' show readiness-threshold.one-success
says 0 'Required value|Invalid value' show validation
says 0 'port' show ports
says 0 'server|connect|request' show fire-http
says 0 'kill|start|sandbox' show actions/sidecars
says 0 'sure +high' explain P-046
says 0 '141155' explain K-10
says 0 'sure +high' explain p-046
says 0 '^P-033  ON_HOLD$' explain ON_HOLD
says 0 '^P-033  ON_HOLD$' explain KP_RULE_ON_HOLD
says 0 '141155' explain k-10
says 0 'a container that never ran' explain no-id.waits
says 0 '^  rule      P-163 ' explain no-readiness
says 0 '^  linters   kube-score pod-probes; kube-linter' explain no-readiness
says 0 '^  rule      P-047 ' explain slow-start-killed
for asked in 'periodSeconds P-018' 'httpGet.httpHeaders P-173' 'livenessProbe.httpGet.port E-003' 'httpGet.path P-093' \
    'httpGet.scheme P-090' 'httpGet.host P-091' 'tcpSocket.port E-003' 'exec.command P-079' 'grpc.service D-004'; do
    "$command" explain "${asked% *}" | grep -m1 '^[A-Z]-[0-9]' | grep -q "^${asked#* } " || { echo "commands: explain ${asked% *}: not ${asked#* } first" >&2; failed=1; }
done
for asked in 137 'exit code 137' OOM OOMKilled; do says 0 '137 = 128 \+ 9, SIGKILL' explain "$asked"; done
says 0 '143 = 128 \+ 15, SIGTERM' explain 143
for asked in Error SIGKILL SIGTERM restartCount Unhealthy; do says 0 "^$asked\$" explain $asked; done
says 2 'no rule speaks of it' explain oo # "room" has it
says 0 'failures in a row' explain failureThreshold
# A field is explained in 25 lines of 80 columns, and its cases are counted.
for asked in initialDelaySeconds periodSeconds timeoutSeconds successThreshold failureThreshold terminationGracePeriodSeconds \
    CrashLoopBackOff livenessProbe readinessProbe startupProbe preStop httpGet tcpSocket grpc exec restartPolicy httpHeaders 137; do
    says 0 '^cases: [0-9]+, `probetest list [DEPSV]-[0-9]+`' explain $asked
    awk -v word=$asked '{ gsub(/…/, "."); if (length > 80) wide = 1 } END { if (NR > 25 || wide) {
        print "commands: explain " word ": " NR " lines, wide " wide + 0; exit 1 } }' "$scratch/out" >&2 || failed=1
done
says 0 '^  rule      P-046 ' show "$(sed -n 's/.*# probetest show //p' README.md)"
says 0 '^1 passed' run "$(sed -n 's/^`make conformance CASE=\([^`]*\)`.*/\1/p' conformance/cases/README.md)"
says 0 ' 0 holes' rules
says 0 ' 0 holes' rules --holes
says 0 '^[A-Z]-[0-9]+ +1 case  ' rules
says 0 '^port/ports$' list port-number.one readiness-threshold.one-success
[ "$(grep -c '^$' "$scratch/out")" = 2 ] || { echo 'commands: list: a blank line between topics, and before the count' >&2; failed=1; }
says 0 '^K-10$' explain P-046 K-10
[ "$(grep -B1 '^K-10$' "$scratch/out" | head -1)" = '' ] || { echo 'commands: explain: no blank line between two' >&2; failed=1; }
says 0 '"cases":1}' export probe/liveness
says 0 '"cases":1}$' export --k8s 1.34,1.36 port-number.one
[ "$(wc -l <"$scratch/out")" = 2 ] || { echo 'commands: export: one case, two versions, two lines' >&2; failed=1; }
says 2 '^probetest export: --rules takes no selection$' export --rules --k8s 1.36
says 2 '^probetest export: --rules takes no selection$' export --rules thresholds
says 0 '^1 case$' list --k8s 1.34,1.36 port-number.one
says 0 '"id":"' export --k8s 1.36 thresholds
says 0 '"id":"P-046","name":"BELOW_THRESHOLD"' export --rules
says 0 '"standing":"contract","evidence":"reference Probe.failureThreshold' export --rules
says 0 '"standing":"quirk","evidence":"K-12"' export --rules
says 0 '^# The rules' export --rules --format markdown
says 0 '^$' export --output "$scratch/table.jsonl"
says 2 'No such file' export --output "$scratch/nowhere/table.jsonl"
says 2 'no version|1.99' list --k8s 1.99
says 3 'no-such-folder: no such folder of cases; --cases names it' list --cases no-such-folder

# A run and its reports.
says 0 '^[1-9][0-9]* passed, 0 failed' run --k8s 1.36 --seed 7 --report "$scratch/a.jsonl" --report "$scratch/a.tap" --report "$scratch/a.xml" \
    --report "$scratch/a.md" --report "$scratch/a.html" thresholds
says 0 'passed, 0 failed' run --upstream TestDoProbe --report "$scratch/b.jsonl"
says 0 '^1 passed' run --report "$scratch/one.jsonl" --report "$scratch/one.md" --report "$scratch/other.jsonl" port-number.one
grep -qF '| port/ports | 1/1 |' "$scratch/one.md" || { echo 'commands: run: a report beside .jsonl lacks what passed' >&2; failed=1; }
says 0 'other.jsonl: whole: 1 case, judged 1$' verify-report "$scratch/one.jsonl" "$scratch/other.jsonl"
says 0 'passed, 0 failed' run --k8s 1.15,1.36.2 '^readiness-threshold'
says 0 'passed, 0 failed' run --jobs 2 --require probe thresholds -- "$command" serve
says 1 '^[1-9][0-9]* passed, 0 failed' run --require probe ports
says 1 '^[1-9][0-9]* passed, 0 failed' run --require 100%,probe ports
beside 'layer probe is required, but none of its cases was judged$'
says 2 'no layer' run --require nonsense ports
many=$(for one in 1 2 3 4 5 6 7 8; do echo "--report $scratch/many.$one.tap"; done)
says 0 '^1 passed' run $many port-number.one
says 2 '^probetest run: at most 8 reports$' run $many --report "$scratch/many.9.tap" port-number.one
printf 'case: port-name.found\nsignature: s\nreason: r\n\ncase: nobody\nsignature: s\nreason: r\n' >"$scratch/known"
says 1 '^1 passed' run --known "$scratch/known" port-number.one
beside '/known:5:1: there is no case nobody$'
says 0 '^1 passed' run --known "$scratch/known" --update-known port-number.one
[ -s "$scratch/err" ] && { echo 'commands: run --update-known: what goes is no fault' >&2; failed=1; }
says 0 'passed, 0 failed' run --require 100% ports
says 1 "not judged: [0-9]+: it answered .port. with the error unsupported: not today" run --require 100% ports -- python3 conformance/adapters/broken/claims_all.py
says 2 'from 1% to 100%' run --require 101% ports
says 2 "jobs: 'none' is no number from 1 to 64" run --jobs none
for seed in x -1 99999999999999999999999; do says 2 "seed: '$seed' is no number from 0 to 18446744073709551615$" run --seed $seed; done
says 2 "timeout: 'x' is no number" run --timeout x
says 2 "report: '$scratch/a.doc' ends in none of \.jsonl, \.tap, \.xml, \.md, \.html$" run --report "$scratch/a.doc" ports
says 4 'cannot run|No such file' run ports -- no-such-adapter
says 0 '^1 passed' run --verbose port-number.one -- "$command" serve
beside '^< \{"id":2,"ok":\{"port":1\}\}$'
says 2 "^probetest run: no case is called 'python3'; an adapter stands behind --$" run python3 conformance/adapters/python/starter.py
says 2 "no case is called '.*starter.py'; an adapter stands behind --$" run conformance/adapters/python/starter.py
says 2 "^probetest run: no case is called 'no-such-case'$" run no-such-case
says 1 '^    20002 effects in 10001 replies at 0 ms, and no end; at the end: web not ready, web ready, web not ready$' \
    run --k8s 1.37 liveness-threshold.one -- python3 conformance/adapters/broken/livelock.py
says 2 "^probetest doctor: 'probe' stands before --: it takes no selection$" doctor probe -- "$command" serve
says 4 'Permission denied \(chmod \+x it, or put its interpreter before it: python3 FILE\)$' doctor -- /etc/passwd
# What is judged is the adapter's: `off N,M` answers 81 for each port; of layers it claims but one.
off="'$command' serve | sed -u 's/\"ok\":{\"port\":[0-9]*/\"ok\":{\"port\":81/; s/\"layers\":[^]]*/\"layers\":[\"port\"/'"
says 1 '^fail  port-number.one  ' run --require port,probe ports -- sh -c "$off"
beside 'layer probe is required, but it is not claimed$'
says 1 '^    also    on 1 more version, up to 1.36$' run --k8s 1.35,1.36 port-number.one -- sh -c "$off"
says 1 '^    also    on 2 more versions, up to 1.36$' run --k8s 1.34,1.35,1.36 port-number.one -- sh -c "$off"
says 1 '^fail  port-number.last  ' run --k8s 1.36 port-number.one port-number.last -- sh -c "$off"
again=" -- sh -c '$(printf %s "$off" | sed "s/'/'\\\\''/g")' '' it 'a~b'"
says 1 '^    again   probetest run --seed 0 --k8s 1.36' run --seed 0 --k8s 1.36 port-number.one -- sh -c "$off" '' it 'a~b'
grep -qF -e "'^port-number.one\$'$again" "$scratch/out" || { echo 'commands: run: not the words that play it again' >&2; failed=1; }
# Who plays one version alone and refuses each other one, and who refuses all of them.
refuses="sed -u '/\"hello\"/{/\"k8s\":\"ONLY\"/!s/\"k8s\":\"[^\"]*\"/\"k8s\":\"1.99\"/;}' | '$command' serve"
only="$(echo "$refuses" | sed 's/ONLY/1.36/') | sed -u 's/\"k8s\":\[[^]]*/\"k8s\":[\"1.36\"/'"
none=$(echo "$refuses" | sed 's/ONLY/1.98/')
says 0 '^2 passed' run port-number.one port-name.name-is-exact -- sh -c "$only"
says 0 '^not judged: 2: it does not play that version \(it plays 1.36\)$' run --k8s 1.20,1.36,1.37 port-number.one -- sh -c "$only"
says 4 'it plays no version of --k8s 1.37: try --k8s 1.36$' run --k8s 1.37 port-number.one -- sh -c "$only"
says 4 'unsupported: .*; nor does it play any other version$' run port-number.one -- sh -c "$none"
# By layer: 13 cases of a bug in layer probe, and 1 in layer pod.  Below exact, texts are not judged.
tiers() { says 0 "^$1 passed, 0 failed" run --quiet --k8s 1.37 --bug K-01 -- sh -c "'$command' serve | sed -u 's/\"clock\":/\"tier\":{$2},&/'"; }
tiers 13 '"pod":"kubelet"'
tiers 1 '"probe":"contract","pod":"exact"'
mute="'$command' serve | sed -uE 's/(\"message\":\")([^\"\\\\]|\\\\.)*/\1/g'"
says 1 "^    again   probetest run --k8s 1.37 '.third-regular-never" run --k8s 1.37 third-regular-never -- sh -c "$mute"
says 0 '^1 passed' run --k8s 1.37 --tier kubelet third-regular-never -- sh -c "$mute"
says 1 "^    again   probetest run --k8s 1.37 --tier kubelet '.port" run --k8s 1.37 --tier kubelet port-number.one -- sh -c "$off"
says 0 '^35 passed' run --quiet --report "$scratch/words.jsonl" --tier contract --without-bugs --not '^contract-s' contract/thresholds contract/fields
grep -qF "\"selection\":\"contract/thresholds contract/fields tier contract without bugs not '^contract-s'\"" "$scratch/words.jsonl" || { echo 'commands: run: not the selection' >&2; failed=1; }
says 0 '^[1-9][0-9]* passed' run --quiet --report "$scratch/words.jsonl" --upstream TestDoProbe --bug K-07
grep -qF '"selection":"upstream TestDoProbe bug K-07"' "$scratch/words.jsonl" || { echo 'commands: run: not the selection' >&2; failed=1; }
says 0 '^TAP version 14' report --format tap "$scratch/a.jsonl"
for one in tap junit; do says 2 "^probetest report: $one holds one result file, not 2\$" report --format $one "$scratch/a.jsonl" "$scratch/b.jsonl"; done
says 0 'file="probe/thresholds.yaml:[0-9]+"' report --format junit "$scratch/a.jsonl"
says 0 '^\|' report "$scratch/a.jsonl" "$scratch/b.jsonl"
says 0 '<html' report --format html "$scratch/a.jsonl" "$scratch/b.jsonl"
for ending in tap xml md html; do says 0 '^$' report --output "$scratch/again.$ending" "$scratch/a.jsonl"; done
says 2 'ending|format' report --output "$scratch/again.doc" "$scratch/a.jsonl"
says 2 'format' report --format doc "$scratch/a.jsonl"
says 2 'No such file' report no-such.jsonl
says 0 'whole' verify-report "$scratch/a.jsonl" "$scratch/b.jsonl"
head -2 "$scratch/a.jsonl" >"$scratch/cut.jsonl"
says 1 'cut.jsonl' verify-report "$scratch/cut.jsonl"
# The worst of several files is the exit code, wherever it stands.
says 1 'whole' verify-report "$scratch/cut.jsonl" "$scratch/a.jsonl"
says 2 'No such file' verify-report no-such.jsonl "$scratch/cut.jsonl"
says 2 'No such file' verify-report "$scratch/cut.jsonl" no-such.jsonl
says 0 'no difference|same|0' diff "$scratch/a.jsonl" "$scratch/a.jsonl"
says 0 '^[1-9]' run --quiet --report "$scratch/off.jsonl" --k8s 1.37 port-number.one port-name.found
says 1 '^[1-9]' run --quiet --report "$scratch/on.jsonl" --k8s 1.37 port-number.one port-name.found -- sh -c "'$command' serve | sed -u 's/\"ok\":{\"port\":1}/\"ok\":{\"port\":2}/'"
says 1 '^1 case differs$' diff "$scratch/off.jsonl" "$scratch/on.jsonl"
says 1 'one-success' diff "$scratch/a.jsonl" "$scratch/b.jsonl"
says 2 'two' diff "$scratch/a.jsonl"
says 0 '^ 1  ok     hello' doctor -- "$command" serve
says 0 'hello' doctor --k8s 1.20 -- "$command" serve
says 0 'hello' doctor --k8s v1.20.4-eks-6b7464 -- "$command" serve
says 2 '^probetest doctor: --k8s: .1.99. is no version from 1.15 to' doctor --k8s 1.99 -- "$command" serve
says 2 '^probetest doctor: --k8s: .1.99. is no version from 1.15 to' doctor --k8s 1.30,1.31,1.99 -- "$command" serve
for one in all 1.30,1.31; do says 2 "^probetest doctor: --k8s: '$one' is more than one version$" doctor --k8s $one -- "$command" serve; done
says 1 'why   .ok. has no field "note"' doctor -- sh -c "'$command' serve | sed -u 's/\"port\":8080/&,\"note\":1/'"
# What is wrong with a reply is said of the field, as `run` would: the engine's own, each with one thing changed.
broken() { says "$1" "$2" doctor -- sh -c "'$command' serve | sed -u 's#$3#'"; }
broken 1 'WRONG  it claims a layer$' '"layers":[^]]*#"layers":['
broken 0 'it does not play 1.37; it does 1.36: --k8s 1.36$' ',"1.37"]#]'
says 1 'WRONG  it plays Kubernetes 1.37$' doctor --k8s 1.37 -- sh -c "'$command' serve | sed -u 's#,\"1.37\"]#]#'"
says 0 'run --k8s 1.36 -- ' doctor -- sh -c "$only"
says 4 'it does not play 1.37; it does 1.36: --k8s 1.36$' doctor --k8s 1.37 -- sh -c "$only"
says 4 '^      came .*"unsupported"' doctor -- sh -c "$none"
broken 1 'WRONG  it reports effects$' '"observes":[^]]*#"observes":['
broken 4 'it speaks protocol 2, and this probetest 1$' '"protocol":1#"protocol":2,"more":{}'
broken 4 '`layers` cannot be "probes", but port, check, probe, pod, ' '"check","probe"#"check","probes"'
broken 0 '; tier exact of probe, contract of pod$' '"clock":#"tier":{"probe":"exact","pod":"contract"},&'
broken 4 '`tier` cannot be "prob", but port, check, probe, pod, ' '"clock":#"tier":{"prob":"exact"},&'
broken 4 '`tier` cannot be "all", but exact, kubelet, contract$' '"clock":#"tier":"all",&'
broken 1 'reply to `advance`: it stopped without effects: `at` is 2299, `to` 2300$' '"at":2300#"at":2299'
broken 1 'reply to `advance`: time goes back: `at` is 2000, the last one 2300$' '"at":12300#"at":2000'
broken 1 'reply to `advance`: `at` is 99999, `to` 32300$' '"at":12300#"at":99999'
broken 1 'reply to `advance`: `at` must be an integer, of milliseconds$' '"at":2300#"at":2.3'
broken 1 'effects\[1\]: `n` must be an integer$' '"n":1#"n":"1"'
broken 1 'effects\[1\]: `attempt` is missing$' ',"attempt":1#'
broken 1 'effects\[0\]: `type` cannot be "Readiness", but liveness, readiness, startup$' '"readiness","value"#"Readiness","value"'
broken 1 'effects\[0\]: `value` cannot be "fail", but ' '"value":"failure#"value":"fail'
broken 1 'effects\[0\]: the pod has no container "p/web"$' '"container":"web","value":true#"container":"p/web","value":true'
broken 1 'an effect of an instance that does not run: its `cid` is c1$' '"cid":"c1"#"cid":"docker://c1"'
broken 1 '^      wants \{"e":"start","container":"web","restart":0\} at 0' '{"e":"start",[^}]*},#'
broken 1 'WRONG  what its result is before the first answer is told$' '{"e":"result",[^}]*"failure"},#'
lacks='"observes"#"lacks":["initial-delay","readiness"],&'
broken 0 '"type":"liveness","value":"success"' "$lacks"
broken 0 'a probe begins within half a minute$' "$lacks"
says 0 'lacks probes of every type' doctor -- sh -c "'$command' serve | sed -u 's/\"observes\"/\"lacks\":[\"liveness\",\"readiness\",\"startup\"],&/'"
says 4 'within 400 ms: does it flush its output after each line\?$' doctor --timeout 200 -- sleep 9
says 4 '"Ready"; stdout is for replies alone, one JSON object a line$' doctor -- sh -c 'echo Ready; read -r line'
says 4 '"\{"; a reply is one line$' doctor -- sh -c 'echo "{"; read -r line'
says 1 'before `no-such-op` was asked: "Ready"$' doctor -- sh -c "read -r line; reply=\$(echo \"\$line\" | '$command' serve); printf '%s\\nReady\\n' \"\$reply\"; cat >/dev/null"
says 1 'WRONG  it leaves when its input ends$' doctor -- sh -c "'$command' serve; exec sleep 99"
says 2 "timeout: 'soon' is no number from 1" doctor --timeout soon -- true
says 4 'not ok|wrong|cannot' doctor -- no-such-adapter
says 4 'hello' doctor -- /bin/cat
says 4 '/usr/share/doc/probetest/' doctor -- /bin/cat

# Pods.
mkdir -p "$scratch/empty"
says 0 '^ +45 s  liveness: SIGTERM \(liveness\)  \[S-130\]$' simulate "$tutorial"
says 0 '^liveness: killed 9 times by liveness, first SIGTERM at 45 s, SIGKILL after 30 s$' simulate "$tutorial"
says 0 '^      then again at 3 min 45 s, 5 min and 4 more times, the last at ' simulate "$tutorial"
says 0 '^Ready at 0 s and stays so$' simulate "$web"
says 0 '^  ready   4 to 15 s after its start, if it answers; ' budget conformance/answers/hang-tcp-backlog.yaml
says 0 '^  start   safe to 5 s, at risk to 10 s; slower is killed: add a startupProbe$' simulate "$web"
says 0 '^nginx: killed 9 times by liveness, first SIGTERM at 65 s' simulate "$web" --answers 'nginx/liveness: success until 60s, failure'
says 0 '^never Ready$' simulate "$web" --for 1m --answers 'nginx/readiness: failure'
says 0 '^          failureThreshold: 10  # minimum 8 [(]35 s[)], a quarter to spare$' simulate "$web" --starts-in nginx=35s
says 0 '^      failureThreshold: 10  # minimum 8 [(]35 s[)], a quarter to spare$' simulate "$web" --starts-in nginx=35s --patch
says 0 '^ +10 min 36 s  nginx ended by SIGKILL: 137$' simulate "$web" --hangs-at 10m
says 0 '^        livenessProbe: \{timeoutSeconds: 2\}$' simulate "$web" --answers-in 1.2s
says 0 '^    livenessProbe: \{failureThreshold: 5\}  # minimum for an outage of 20 s$' simulate "$web" --down-for 20s --patch
says 0 '^# Pod/web: nothing to change$' simulate "$web" --down-for 2s --patch
says 0 '^        # may be above periodSeconds 30: probes do not overlap$' simulate --patch --answers-in 30s conformance/answers/exec-timeout-airflow.yaml
says 0 "^          incl. preStop's 10 s; SIGKILL 50 s later, runs again after 31 to 92 s\$" budget conformance/answers/drain.yaml
# A preStop that is longer than its kill's grace takes that grace, and no more.
sed 's/GracePeriodSeconds: 60/GracePeriodSeconds: 30/; s/sleep: {seconds: 10}/exec: {command: [sleep, "60"]}/' conformance/answers/drain.yaml >"$scratch/cut.yaml"
says 0 '^          preStop cut at 30 s; SIGKILL 2 s later, runs again after 51 to 64 s$' budget "$scratch/cut.yaml"
sed 's/periodSeconds: 10}/periodSeconds: 10, terminationGracePeriodSeconds: 5}/; s/seconds: 10}/seconds: 20}/' conformance/answers/drain.yaml >"$scratch/cut.yaml"
says 0 '^          preStop cut at 5 s; SIGKILL 2 s later, runs again after 26 to 39 s$' budget "$scratch/cut.yaml"
says 0 '^# a live Pod cannot be patched so: kubectl replace --force -f FILE$' simulate "$web" --down-for 20s --patch
says 0 '^#   readinessProbe: \{failureThreshold: 2\}  # minimum for an outage of 2 s$' simulate conformance/answers/flapping.yaml --down-for 2s --patch
says 0 '^change  nginx: with this YAML it survives, if silent for up to 20 s$' simulate "$web" --down-for 20s
says 0 '^option  nginx: with this YAML it stays Ready, if silent for up to 20 s$' simulate "$web" --down-for 20s
sed 's/failureThreshold: 2/failureThreshold: 3/' "$web" >"$scratch/outage.yaml" # three attempts, 5 s apart: 10 s and no more
says 0 'no container is killed or started again in any' simulate --worst-case --for 7m "$scratch/outage.yaml" --down-for 10s
says 0 '^  nginx +kill 1 .* never$' simulate --worst-case --for 7m "$scratch/outage.yaml" --down-for 10.001s
says 0 '^# Pod/web: nothing to change$' simulate --patch "$scratch/outage.yaml" --down-for 10s
says 0 '^    livenessProbe: \{failureThreshold: 4\} ' simulate --patch "$scratch/outage.yaml" --down-for 10.001s
sed 's/failureThreshold: 1/failureThreshold: 2/' conformance/answers/flapping.yaml >"$scratch/flap.yaml"
says 0 '^Ready at 0 s and stays so, but for an instant$' simulate --down-for 10.5s "$scratch/flap.yaml"
says 2 "the pod has no container 'apache' with a probe" simulate "$web" --hangs-at apache=10m
says 2 "none of 2 pods has a container 'apache' with a probe" simulate "$web" "$tutorial" --hangs-at apache=10m
says 0 '^nginx: killed by liveness: SIGTERM at 10 min 6 s' simulate "$tutorial" "$web" --hangs-at nginx=10m
grep -q "left out 1 of 2 pods: no container 'nginx' with a probe" "$scratch/err" || {
    echo 'commands: simulate: a pod is left out without a word' >&2
    failed=1
}
says 0 '^nginx: killed by liveness: SIGTERM at 10 min 6 s, SIGKILL' simulate "$web" --hangs-at 10m --deleted-at 15m
says 0 '^deleted at 15 min, gone at 15 min 1 s$' simulate "$web" --hangs-at 10m --deleted-at 15m
says 2 '2 days. is no duration' simulate "$web" --hangs-at '2 days'
says 2 'no option --start-in; did you mean --starts-in\?$' simulate "$web" --start-in 35s
says 2 'no option --formt=json; did you mean --format\?$' lint --formt=json "$web"
says 2 '.-patch wants a world' simulate "$web" --patch
says 2 'no-such.yaml: ' simulate no-such.yaml
gzip -c "$web" >"$scratch/web.yaml.gz"
head -c 100 "$scratch/web.yaml.gz" >"$scratch/cut.yaml.gz"
says 0 '^web on Kubernetes' simulate "$scratch/web.yaml.gz"
says 2 'cut.yaml.gz: no whole gzip file' budget "$scratch/cut.yaml.gz"
says 2 '^web on Kubernetes' simulate no-such.yaml "$web"
"$command" simulate --color always "$web" --starts-in 35s | grep -q "^$(printf '\033')\[31mnginx: killed 12 times" || {
    echo 'commands: simulate --color always: no colour' >&2
    failed=1
}
says 0 '^nginx: killed 12 times' simulate --color never "$web" --starts-in 35s
says 2 'none of auto, always, never' simulate --color red "$web"
says 0 '^website on Kubernetes' simulate --all --for 1m conformance/answers
says 0 'and over that nginx/readiness: failure' simulate --all "$web" --for 1m --answers 'nginx/liveness: failure' --answers 'nginx/readiness: failure'
says 2 '^--answers:2:1: ' simulate "$web" --answers 'nginx/liveness: failure' --answers 'apache/liveness: failure'
says 2 '^probetest simulate: --answers: .nginx/liveness failure. is no CONTAINER/TYPE: ANSWERS' simulate "$web" --answers 'nginx/liveness failure'
says 0 'success until 60s, failure' simulate --help
says 0 'or all; patches: also each patch that' simulate --help
says 0 '[(]the newest that it does, from 1[.]37 down[)]' doctor --help
says 2 '^<stdin>:1:1: ' simulate --script - "$web"
says 0 'exited with 143' simulate --all --script "$script" --for 3m "$tutorial"
says 0 '"effect"' simulate --json --for 2m --k8s 1.22 "$tutorial"
says 0 '<svg' simulate --format svg --for 2m "$tutorial"
says 0 '"k8s":"1.31.4"' simulate --json --for 2m --k8s 1.31.4 "$tutorial"
says 0 '^litellm 1.31.4 ' simulate --k8s 1.31.4,1.31 conformance/answers
says 0 'on Kubernetes 1.31.4$' budget --k8s 1.31.4 "$web"
says 2 '^probetest simulate: --patch writes YAML: it has no --format' simulate --patch --json --starts-in 90s "$web"
says 2 '^probetest explain: there is no option --k8s' explain --k8s 1.30 P-046
for one in gke.1183000 rcloud.1 betacloud; do says 0 'on Kubernetes 1.31.4,' simulate --for 2m --k8s v1.31.4-$one "$tutorial"; done
says 0 'on Kubernetes 1.31.4,' simulate --for 2m --k8s 1.31.4+rc1 "$tutorial"
for one in rc alpha.1 rc1; do says 2 "'1.31.4-$one' is no version" simulate --for 2m --k8s 1.31.4-$one "$tutorial"; done
says 2 '^probetest simulate: --k8s: .1.37.0-rc.0. is no version from 1.15 to' simulate --for 2m --k8s 1.31,1.37.0-rc.0 "$tutorial"
says 0 '"effect"' simulate -f json --for 2m "$tutorial"
says 0 '<html' simulate --format html --for 2m --k8s 1.15,1.36 "$web"
says 0 'change  nginx: with this YAML a start may take up to 45 s' simulate --format html "$web" --starts-in 35s
says 0 'nginx: runs again 36 s after the hang' simulate --format html "$web" --hangs-at 10m
says 0 '^on Kubernetes 1.37|on Kubernetes 1.37' simulate --for 30s --all --k8s all "$web"
says 0 'EARLIEST' simulate --worst-case --for 5m "$tutorial"
says 0 'EARLIEST|earliest' simulate --worst-case --for 5m --script "$script" "$tutorial"
says 0 '^  nginx +kill 1 ' simulate --worst-case --starts-in 70s --for 2m "$web"
says 0 '^  nginx +kill 1 ' simulate --worst-case --hangs-at 60s --for 2m "$web"
says 0 '^        terminationGracePeriodSeconds: 57  # minimum 45, a quarter to spare$' simulate --stops-in 45s "$web"
says 0 '^change  nginx: with this YAML SIGTERM comes after requests of 13 s$' simulate --traffic-for 10s "$web"
says 0 '^      terminationGracePeriodSeconds: 57  # minimum 45, a quarter to spare$' simulate --patch --stops-in website=45s conformance/answers/flapping.yaml
says 0 '; deleted at 120 s, gone at 2 min 1 s$' simulate --deleted-at 2m "$web"
says 2 'a pod is deleted with all of its containers' simulate --deleted-at nginx=2m "$web"
says 2 "is no duration" simulate --stops-in soon "$web"
says 2 "for: '0s' is too short: the least is 1ms$" simulate --for 0s "$web"
says 2 "pull: '-1s' is too short: the least is 0s$" simulate --pull -1s "$web"
says 0 'frontend: its replacement is Ready ' simulate --format html --deleted-at 2m conformance/answers/drain.yaml
# Two containers: what goes for both is said of each; requests come to ports; a hook that is not read takes 0 s.
cat >"$scratch/pair.yaml" <<'END'
apiVersion: batch/v1
kind: Job
metadata: {name: pair}
spec:
  template:
    spec:
      restartPolicy: OnFailure
      containers:
      - {name: web, image: i, ports: [{containerPort: 80}], readinessProbe: {exec: {command: [a]}},
         lifecycle: {postStart: {exec: {command: [sh, -c, sleep 60; ./warm]}}, preStop: {exec: {command: [./drain]}}}}
      - {name: db, image: i, readinessProbe: {exec: {command: [a]}}, lifecycle: {postStart: {exec: {command: [./fill]}}}}
END
says 0 '^  ready   60 s after its start, if it answers; ' budget "$scratch/pair.yaml"
says 0 '^pair on Kubernetes 1.36, 20 min from its creation: each hangs at 10 min$' simulate --hangs-at 10m "$scratch/pair.yaml"
says 0 '^web: no liveness probe restarts it$' simulate --hangs-at 10m "$scratch/pair.yaml"
says 0 '^web: preStop taken as 0 s$' simulate --hangs-at 10m "$scratch/pair.yaml"
says 0 '^db: postStart taken as 0 s$' simulate --hangs-at 10m "$scratch/pair.yaml"
says 0 '^  web gets requests until 10 s after the deletion; deleted at 5 min$' simulate --traffic-for 10s "$scratch/pair.yaml"
says 0 '^exec timeouts count since 1.20; before, they were ignored$' simulate --answers-in 2s "$scratch/pair.yaml"
[ "$(grep -c '^exec timeouts' "$scratch/out")" = 1 ] || { echo 'commands: simulate: exec timeouts twice' >&2; failed=1; }
# Kills of one container for two reasons; of several versions each pod is left out once.
cat >"$scratch/mixed.yaml" <<'END'
apiVersion: v1
kind: Pod
metadata: {name: mixed}
spec: {containers: [{name: web, image: i, startupProbe: {httpGet: {port: 80}}, livenessProbe: {httpGet: {port: 80}}}]}
END
says 0 '^web: killed 2 times, first by startup: SIGTERM at 30 s, each with grace 30 s$' simulate "$scratch/mixed.yaml" \
    --answers 'web/startup: failure x3, success' --answers 'web/liveness: success x5, failure x3, success'
says 0 '^nginx: killed by liveness: SIGTERM at 10 min 6 s' simulate --k8s 1.22,1.36 "$tutorial" "$web" --hangs-at nginx=10m
[ "$(cat "$scratch/err")" = "probetest simulate: left out 1 of 2 pods: no container 'nginx' with a probe" ] || {
    echo 'commands: simulate: what is left out on several versions' >&2
    failed=1
}
cat >"$scratch/long.yaml" <<'END'
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: i, livenessProbe: {httpGet: {port: 80}, terminationGracePeriodSeconds: 9223372037}}]}
END
says 0 '^web: killed by liveness: SIGTERM at 81 s, 102 times, and never ends$' simulate --hangs-at 1m "$scratch/long.yaml"
says 0 '^web: its grace overflows in the kubelet: no SIGKILL comes  \[S-225\]$' simulate --hangs-at 1m "$scratch/long.yaml"
says 0 '^          again and again, ends never: its grace overflows  \[S-225\]$' budget "$scratch/long.yaml"
sed 's/9223372037/18446744080/' "$scratch/long.yaml" >"$scratch/around.yaml"
says 0 '^web: its grace overflows in the kubelet: SIGKILL comes 6.3 s later  \[S-225\]$' simulate --hangs-at 1m "$scratch/around.yaml"
says 0 '^          SIGKILL 6.3 s later \(grace overflows\); runs again after 21 to 38.3 s$' budget "$scratch/around.yaml"
says 2 'chance decides which instance' simulate --worst-case --starts-in 70s --hangs-at 30s --for 2m "$web"
says 2 'worst-case' simulate --worst-case --for 2h "$tutorial"
says 2 'format' simulate --format pdf "$tutorial"
says 2 'pull' simulate --pull soon "$tutorial"
says 0 'takes 10s|Pulled' simulate --all --pull 10s --for 1m "$tutorial"
says 0 '^web/nginx on Kubernetes 1.36$' budget "$web"
says 0 '^  hangs .*, SIGTERM after 6 to 1' budget "$web" "$tutorial"
says 0 '^  ready   as soon as it runs, before it answers: no readiness probe' budget conformance/answers/hang-tcp.yaml
sed 's/port: http$/port: metrics/; s/port: http,/port: metrics,/; s/port: http}/port: metrics}/' "$web" >"$scratch/portless.yaml"
says 0 '^  hangs   readiness never sent: not in the Service' budget "$scratch/portless.yaml"
says 0 "^  ready   never: the readiness probe's port is not declared" budget "$scratch/portless.yaml"
says 0 '^  slow    liveness under 1 s, readiness under 1 s; survive 1 and 2 failures$' budget "$web"
# The rules that an output shows are explained by its last line.
for shows in "budget $web" "simulate $tutorial"; do
    says 0 '^rules: probetest explain (S-301 )?S-130' $shows
    says 0 '^S-130  PROBE_FAILURE_KILLS$' $(tail -1 "$scratch/out" | sed 's/^rules: probetest //')
done
says 0 '^change  nginx: with this YAML a start may take up to 45 s \(now 5 s\)$' simulate "$web" --starts-in 35s
hooked() {
    sed "s|^      livenessProbe:|      lifecycle: {preStop: {$2}}\n&|" "$web" >"$scratch/$1.yaml"
}
hooked sleep 'exec: {command: [sleep, "20"]}'
hooked shell 'exec: {command: [sh, -c, "sleep 20; nginx -s quit"]}'
hooked long 'exec: {command: [sleep, "60"]}'
hooked drain 'exec: {command: [/drain]}'
says 0 '^  ready .* deleted: SIGTERM at 20 s, SIGKILL at 30 s' budget "$scratch/sleep.yaml"
says 0 '^  ready .* deleted: SIGTERM at 20 s, SIGKILL at 30 s' budget "$scratch/shell.yaml"
says 0 '^  ready .* deleted: SIGTERM at 30 s, SIGKILL at 32 s' budget "$scratch/long.yaml"
says 0 '^  deleted preStop first, within the grace: SIGTERM at 20 s, SIGKILL at 30 s$' budget --k8s 1.30 "$scratch/sleep.yaml"
says 0 '^          SIGKILL 50 s later, runs again 31 to 92 s; failures: 1 s sooner' budget --k8s 1.30 conformance/answers/drain.yaml
says 0 '^  hangs .*, SIGTERM after 2m10s-2m41s$' budget conformance/answers/exec-timeout-airflow.yaml
says 0 '^  fails   SIGTERM after 120s-151s: 5 failures' budget conformance/answers/exec-timeout-airflow.yaml # one unit
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {restartPolicy: Never, containers: [{name: c, image: i, livenessProbe: {tcpSocket: {port: 80}}}]}\n' >"$scratch/never.yaml"
says 0 '^          not accepting: SIGTERM after 21 to 32 s, not started again' budget "$scratch/never.yaml"
says 0 '^  fails   SIGTERM after 20 to 31 s, SIGKILL 30 s later' budget "$scratch/never.yaml"
# A container with a hook is printed in six lines of 80 columns on each version, whatever its probes are.
for handler in 'exec: {command: [a]}' 'tcpSocket: {port: 80}' 'httpGet: {port: 80}'; do
    for beside in '' ', readinessProbe: {httpGet: {port: 80}, periodSeconds: 7, timeoutSeconds: 2}' ', startupProbe: {httpGet: {port: 80}, failureThreshold: 300}' \
        ', readinessProbe: {exec: {command: [a]}, periodSeconds: 7, timeoutSeconds: 2}, startupProbe: {httpGet: {port: 80}, failureThreshold: 300}'; do
        printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - {name: c, image: i, lifecycle: {preStop: {exec: {command: [sleep, "20"]}}}, livenessProbe: {%s, periodSeconds: 33, timeoutSeconds: 3}%s}\n' \
            "$handler" "$beside" >"$scratch/lines.yaml"
        for version in 1.19 1.22 1.30 1.36; do
            says 0 '^  deleted|deleted?: ' budget --k8s $version "$scratch/lines.yaml"
            awk '/^rules:/ { next } { gsub(/…/, "..........") } length > 80 || NR > 7 { long = 1 } END { exit long }' "$scratch/out" || {
                echo "commands: budget --k8s $version: more than six lines of 80 columns: $handler$beside" >&2
                failed=1
            }
        done
    done
done
says 0 '^  ready .* deleted: preStop, SIGTERM, SIGKILL at 30 s' budget "$scratch/drain.yaml"
says 0 '^nginx: killed by liveness: SIGTERM at 86 s' simulate "$scratch/sleep.yaml" --hangs-at 60s --for 5m
says 0 '^nginx: preStop taken as 0 s$' simulate "$scratch/drain.yaml" --hangs-at 60s --for 5m
sed 's|{preStop: {exec: {command: \[/drain\]}}}|{postStart: {tcpSocket: {port: 80}}, preStop: {tcpSocket: {port: 80}}}|' "$scratch/drain.yaml" >"$scratch/tcp.yaml"
for hook in postStart preStop; do
    says 0 "^nginx: its $hook hook is none that a kubelet runs: fails  \[S-226\]\$" simulate "$scratch/tcp.yaml" --hangs-at 5m
    says 0 "^  nginx: its $hook hook is none that a kubelet runs: fails \[S-226\]\$" simulate --all "$scratch/tcp.yaml"
done
says 0 '^rules: probetest explain .*S-226' simulate "$scratch/tcp.yaml" --hangs-at 5m
sed 's|exec: {command: \[/drain\]}|tcpSocket: {port: 80}|' "$scratch/drain.yaml" >"$scratch/live.yaml"
says 0 '^          SIGKILL 30 s later if it still runs; runs again after ' budget "$scratch/live.yaml" # no time of a hook
grep -q 'taken as 0 s' "$scratch/out" && { echo 'commands: simulate: a hook that is not run takes no time' >&2; failed=1; }
for pair in 'tcpSocket httpGet' 'httpGet tcpSocket' 'tcpSocket tcpSocket'; do
    printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, livenessProbe: {%s: {port: 80}}, readinessProbe: {%s: {port: 80}}}]}\n' \
        $pair >"$scratch/${pair% *}-${pair#* }.yaml"
done
says 0 '^  hangs   out of the Service after 21 to 31 s; not killed while its port accepts$' budget "$scratch/tcpSocket-httpGet.yaml"
says 0 '^  hangs   in the Service while its port accepts, SIGTERM after 21 to 32 s' budget "$scratch/httpGet-tcpSocket.yaml"
says 0 '^          else out of the Service after 21 to 31 s, SIGTERM after 21 to 32 s' budget "$scratch/tcpSocket-tcpSocket.yaml"
says 0 '^analyzer: hung but Ready from 60 s to ' simulate conformance/answers/hang-tcp.yaml --hangs-at 60s --for 5m
cat >"$scratch/slow.yaml" <<'END'
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: i, livenessProbe: {httpGet: {port: 80}}}]}
status: {containerStatuses: [{name: web, restartCount: 7}]}
END
says 0 '^nothing is killed in this run, but only a start of up to 20 s is safe$' simulate --starts-in 25s "$scratch/slow.yaml"
says 0 'nothing is killed in this run, but only a start of up to 20 s is safe' simulate --format svg --starts-in 25s "$scratch/slow.yaml"
says 0 ' first: from never to 2[0-9.]+ s$' simulate --starts-in 25s --worst-case "$scratch/slow.yaml"
says 0 '^  assumed beside it:$' simulate --starts-in 25s --worst-case "$scratch/slow.yaml"
says 0 '^why it has restarted 7 times so far: probetest why$' simulate "$scratch/slow.yaml"
sed 's/port: 80}/port: 80}, periodSeconds: 33/' "$scratch/slow.yaml" >"$scratch/slower.yaml"
says 0 '^      then again at .* and [0-9]+ more times, the last at 1[0-9] min [0-9]+ s$' simulate --starts-in 400s "$scratch/slower.yaml"
# It takes SIGTERM well until it hangs, by itself and as a sidecar that has ended by then.
says 0 '^web: killed 1[0-9] times by liveness, first SIGTERM at 30 s, each with grace 30 s$' simulate --starts-in 50s --hangs-at 10m "$scratch/slow.yaml"
cat >"$scratch/sidecar.yaml" <<'END'
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  template:
    spec:
      restartPolicy: Never
      initContainers: [{name: proxy, image: i, restartPolicy: Always, livenessProbe: {httpGet: {port: 80}}}]
      containers: [{name: work, image: busybox, command: [sh, -c, sleep 60]}]
END
says 0 '^proxy: killed with its pod: SIGTERM at 6[0-9.]+ s, grace 30 s' simulate --hangs-at 10m "$scratch/sidecar.yaml"
says 0 '; completed at 6[0-9.]+ s' simulate --deleted-at 10m "$scratch/sidecar.yaml"
says 0 '^lakefs: does not run at 5 min, so nothing hangs: choose another instant$' simulate --starts-in 50s --hangs-at 5m conformance/answers/slow-start-lakefs.yaml
says 0 '^killed|: does not run at 1 s, so nothing hangs' simulate --hangs-at 1s "$tutorial"
says 0 '^corda-worker: killed by liveness: SIGTERM at 5 min 1 s, SIGKILL after grace 30 s$' simulate --hangs-at 5m --down-for 40s conformance/answers/gc-pause.yaml
says 0 '^ +5 min 15 s  corda-worker ended: 143$' simulate --hangs-at 5m --down-for 15s conformance/answers/gc-pause.yaml # one process
says 0 '^node-app: SIGTERM at 5 min, SIGKILL 30 s later$' simulate --stops-in 55s conformance/answers/hang.yaml
says 2 '^probetest simulate: --hangs-at begins when the play is over: give a longer --for$' simulate --hangs-at 20m "$scratch/slow.yaml"
says 2 '^probetest simulate: --down-for, at 5 min, begins when the play is over' simulate --down-for 20s --for 2m "$scratch/slow.yaml"
cat >"$scratch/job.yaml" <<'END'
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: web, image: i, livenessProbe: {httpGet: {port: 80}}}]}}}
END
says 0 '^web: killed by liveness: SIGTERM at 30 s, grace 30 s$' simulate --starts-in 50s "$scratch/job.yaml"
says 0 '^its Job makes another pod, up to backoffLimit times$' simulate --starts-in 50s "$scratch/job.yaml"
says 0 '^Ready from 2.3 s on, up or not: no readiness probe; failed at 31.5 s$' simulate --starts-in 50s "$scratch/job.yaml"
says 0 '^# a live Job cannot be patched so: kubectl replace --force -f FILE$' simulate --starts-in 50s --patch "$scratch/job.yaml"
says 0 '^ +# a live Job cannot be patched so: kubectl replace --force -f FILE$' lint "$scratch/job.yaml"
sed 's/name: job}/name: job, ownerReferences: [{kind: CronJob, name: nightly}]}/' "$scratch/job.yaml" >"$scratch/owned.yaml"
says 0 '^# change its CronJob nightly instead$' simulate --starts-in 50s --patch "$scratch/owned.yaml"
says 0 '^ +# change its CronJob nightly instead$' lint "$scratch/owned.yaml"
for owner in 'kind: "X\nevil: [", name: nightly' 'kind: CronJob, name: "n\nevil: ["' 'kind: CronJob, name: "n\u2028evil: ["'; do # what ends a comment
    printf '%s\n' "s/name: job}/name: job, ownerReferences: [{$owner}]}/" | sed 's/\\/&&/' >"$scratch/owner.sed"
    sed -f "$scratch/owner.sed" "$scratch/job.yaml" >"$scratch/owned.yaml"
    says 0 '^# a live Job cannot be patched so: ' simulate --starts-in 50s --patch "$scratch/owned.yaml"
    grep -q evil "$scratch/out" && { echo "commands: simulate --patch: $owner is YAML" >&2; failed=1; }
done
cat >"$scratch/deadline.yaml" <<'END'
apiVersion: batch/v1
kind: Job
metadata: {name: import}
spec:
  template:
    spec:
      restartPolicy: Never
      activeDeadlineSeconds: 60
      containers: [{name: web, image: i:1, livenessProbe: {httpGet: {path: /, port: 80}}}]
END
says 0 '^web: killed by activeDeadlineSeconds: SIGTERM at 61.5 s, grace 30 s$' simulate "$scratch/deadline.yaml"
says 0 '^past activeDeadlineSeconds \(60 s\) at 60.5 s: DeadlineExceeded  \[S-345\]$' simulate "$scratch/deadline.yaml"
says 0 '^       61.5 s  web: SIGTERM \(deadline\)  \[S-345\]$' simulate "$scratch/deadline.yaml"
says 0 '^its Job makes another pod, up to backoffLimit times$' simulate --k8s 1.20 "$scratch/deadline.yaml" # kubectl says no Error there
says 0 '^change  web: ' simulate --starts-in 50s "$scratch/deadline.yaml"
says 0 '^change  pod: raise activeDeadlineSeconds \(60 s\): a start takes 90 s$' simulate --starts-in 90s "$scratch/deadline.yaml"
says 0 '^change  web: ' simulate --starts-in 90s "$scratch/deadline.yaml" # its probe would kill it, too
says 0 '^# Job/import: raise activeDeadlineSeconds$' simulate --patch --starts-in 90s "$scratch/deadline.yaml"
grep -q '^ *startupProbe:$' "$scratch/out" || { echo 'commands: simulate --patch: a start that outlasts the pod needs a startupProbe, too' >&2; failed=1; }
sed 's/path: .*port: 80}/&, failureThreshold: 30/; s/containers: \[\(.*\)]/containers: [\1, {name: slow, image: i:1, livenessProbe: {httpGet: {port: 80}, failureThreshold: 30}}]/' \
    "$scratch/deadline.yaml" >"$scratch/deadlines.yaml"
says 0 '^change  pod: raise activeDeadlineSeconds \(60 s\): a start takes 90 s$' simulate --starts-in web=90s --starts-in slow=70s "$scratch/deadlines.yaml"
says 0 '^change  pod: raise activeDeadlineSeconds \(60 s\): a start takes 90 s$' simulate --starts-in web=70s --starts-in slow=90s "$scratch/deadlines.yaml"
grep -q '^change  [ws]' "$scratch/out" && { echo 'commands: simulate: a probe that spares the start needs no change' >&2; failed=1; }
says 0 '^import/web on Kubernetes 1.36; active for 60 s at most  \[S-345\]$' budget "$scratch/deadline.yaml"
says 0 '^  hangs .*SIGTERM after 21 to 32 s$' budget "$scratch/deadline.yaml" # by its probes: no deadline cuts the plays
says 0 '"activeDeadline":60000,' budget --json "$scratch/deadline.yaml"
says 0 '^ +[0-9].*  nginx: preStop$' simulate "$scratch/sleep.yaml" --hangs-at 60s --for 5m
says 0 '^  hangs .*never killed' budget --k8s 1.19 "$tutorial"
says 0 '"start":\{"earliest":14001,' budget --json "$tutorial"
says 0 '^lakefs +lakefs +20-30 s +21-32 s +no startup$' budget conformance/answers
says 0 '^25 workloads, 25 containers with probes; --all tells each' budget conformance/answers
says 0 '^  start   may take as long as it likes' budget --all conformance/answers
says 0 '^lakefs +lakefs +1[0-9] x from 30 s +never$' simulate --starts-in 35s conformance/answers
says 0 '^25 pods; --pod NAME tells one of them' simulate conformance/answers
says 0 '^lakefs on Kubernetes 1.36, ' simulate --all conformance/answers
says 2 'no .yaml, .yml or .json file' budget "$scratch/empty"
says 0 '^  with it a hang is killed after 70 to 81 s \(now 15 to 26 s\)$' lint conformance/examples/unwise.yaml # as budget has both
says 0 '^  hangs   .*SIGTERM after 15 to 26 s' budget conformance/examples/unwise.yaml
printf 'kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec:\n  containers:\n  - {name: w, image: i, ports: [{containerPort: 80}], livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 20}}\n' >"$scratch/unready.yaml"
says 0 '^    change, which also avoids liveness-equals-readiness:$' lint "$scratch/unready.yaml"
sed 's/initialDelaySeconds: 20/initialDelaySeconds: 20, periodSeconds: 3/' "$scratch/unready.yaml" >"$scratch/unready-twice.yaml"
says 0 '^  one change for these 2 of container w, which also avoids$' lint "$scratch/unready-twice.yaml"
sed 's/initialDelaySeconds: 20/timeoutSeconds: 2/' "$scratch/unready.yaml" >"$scratch/unready-defaults.yaml"
says 0 '^    a start of up to 20 s is safe, up to 30 s at risk, a slower one killed each$' lint --k8s 1.36 "$scratch/unready-defaults.yaml"
# Of one start lint and budget have one figure, rounded in one way.
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 30, periodSeconds: 30, timeoutSeconds: 10, failureThreshold: 1}}]}\n' >"$scratch/rounded.yaml"
says 0 '^  start   safe to 29 s, at risk to 60 s; ' budget "$scratch/rounded.yaml"
says 0 'a start of up to 29 s is safe, up to 60 s at risk, ' lint "$scratch/rounded.yaml"
mkdir -p "$scratch/some"
cp "$web" "$scratch/some/a.yaml"
printf 'kind: [\n' >"$scratch/some/b.yaml"
says 2 '^1 pod: 0 errors, [0-9]+ pieces? of advice; 1 file not read$' lint "$scratch/some"
says 2 '; 1 file not read$' lint "$web" no-such-file.yaml
sed 's/exec:/grpc: {port: 80}/; /command:/d' "$tutorial" >"$scratch/some/grpc.yaml"
says 2 'livenessProbe.grpc": it exists from Kubernetes 1.23 on' budget --k8s 1.19 "$scratch/some/grpc.yaml"
says 0 '^P-039  INITIAL_DELAY$' explain initialDelaySeconds
for asked in 'why is my pod not ready' ready; do says 0 '^P-163  READY_FROM_RESULT$' explain "$asked"; done
says 0 '^  source    pkg/kubelet/prober/worker.go doProbe, at v1\.' explain P-046
says 0 '^  P-018 ' explain initialDelaySeconds
says 0 '^P-157  READINESS_IN_TERMINATION$' explain 'readiness during termination'
says 2 'no rule speaks of it' explain xyzzy
# A sentence: what is in every rule counts little, half of its words are too few; what no rule answers another command does.
says 0 '^S-130  PROBE_FAILURE_KILLS$' explain 'why is my pod killed?'
says 0 '^P-066  EVENT_PROBE_FAILED$' explain 'readiness probe failed'
says 0 '^P-105  HTTP_STATUS_CODE$' explain 'statuscode: 503'
says 0 '^S-242  BACK_OFF_DOUBLES$' explain 'Back-off restarting failed container'
says 0 '^S-263  EVENT_PULLED$' explain 'image pull'
says 0 '^how long$' explain 'how long may my start take'
says 0 '^rolling update$' explain 'rolling update'
for asked in 'my pod is slow' 'ingress controller' 'a container update of colours'; do
    says 2 'no rule speaks of it; what ended a pod says .probetest why., .* .budget., ' explain "$asked"
done
says 0 '^  outcome   engine' explain O-16
says 0 '^  minors    1.28[+]; played' explain o-72
says 2 'no rule speaks of it' explain O-999
for word in '' ' '; do says 2 "^probetest explain: '$word' is no word: .probetest rules. lists all rules$" explain "$word"; done
says 2 "no case is called ' '" list ' '
says 0 '^P-110  timeoutSeconds spans ' list timeoutSeconds
says 0 '^[1-9][0-9]* cases' list timeoutSeconds
"$command" list timeoutSeconds >"$scratch/out"
if sed -n 1p "$scratch/out" | grep -qv '^P-110  ' || grep '^  ' "$scratch/out" | grep -qvi 'timeout\|takes\|late\|long'; then
    echo 'commands: list timeoutSeconds: cases that do not speak of a timeout' >&2
    failed=1
fi
for one in 1.99 1.30-1.34 1.30,1.31 ''; do says 2 "^probetest budget: --k8s: '$one' is no version from 1.15 to" budget --k8s "$one" "$web"; done
for one in budget lint simulate why; do
    says 2 "^probetest $one: -, standard input, is given twice" $one - "$web" -
    says 2 "^probetest $one: the name of a file is empty" $one "$web" ''
done
says 2 'there is no option --format=json; did you mean --json' budget --format=json "$web"
says 0 '^{"file":' lint --json "$web"
says 2 '^liveness-exec/liveness: the file holds no status' why conformance/examples
says 2 'wanted a file' budget
says 2 'no-such-pod' budget --pod no-such-pod "$web"
says 2 'there is no option -k; pipe: `kubectl kustomize DIR \| probetest budget -`' budget -k overlays/prod
for reads in budget lint; do
    says 2 ':2:1: kind is not set: this is a script; `probetest simulate --script` takes it' $reads conformance/examples/graceful.script.yaml
done
printf 'apiVersion: v1\nkind: pod\n' >"$scratch/kind.yaml"
says 2 ':2:7: no pod and no pod template in it, but kind "pod"; did you mean Pod[?]$' lint "$scratch/kind.yaml"
printf 'resources: [a.yaml]\n' >"$scratch/kustomization.yaml"
says 2 ':1:1: kind is not set: this is a kustomization; pipe `kubectl kustomize DIR . probetest COMMAND -`' lint "$scratch/kustomization.yaml"
printf '{{- if .Values.probes }}\nkind: Pod\n{{- end }}\n' >"$scratch/template.yaml"
says 2 ':1:1: this is a template; pipe `helm template DIR . probetest COMMAND -`' why "$scratch/template.yaml"
says 0 '^web/nginx: the file holds no status' why "$web"
says 2 'no-such-pod' simulate --pod no-such-pod "$tutorial"
cat >"$scratch/two.yaml" <<'END'
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: one}
  spec: {containers: [{name: a, image: i, readinessProbe: {httpGet: {port: 80}, failureThreshold: 1}}]}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: two}
  spec:
    replicas: 2
    selector: {matchLabels: {a: b}}
    template:
      metadata: {labels: {a: b}}
      spec:
        initContainers:
        - {name: first, image: i}
        - {name: beside, image: i, restartPolicy: Always, startupProbe: {exec: {command: ["true"]}}}
        containers:
        - {name: c, image: i, livenessProbe: {tcpSocket: {port: 80}, timeoutSeconds: 20, periodSeconds: 5, terminationGracePeriodSeconds: 1}}
        - {name: d, image: i, livenessProbe: {grpc: {port: 81}, initialDelaySeconds: 600}, readinessProbe: {grpc: {port: 81}, successThreshold: 3}}
END
says 0 '^one on Kubernetes' simulate --for 1m "$scratch/two.yaml"
says 0 '^# Pod/one: nothing to change$' simulate --patch --starts-in 90s "$scratch/two.yaml"
says 0 '^# Deployment/two$' simulate --patch --starts-in 90s "$scratch/two.yaml"
says 0 '^---$' simulate --patch --starts-in 90s "$scratch/two.yaml"
says 0 '^one on Kubernetes 1.15, ' simulate --pod one --k8s 1.15 --for 1m "$scratch/two.yaml"
says 2 '^\(on Kubernetes 1.15\)$' simulate --k8s all "$scratch/two.yaml"
says 0 'beside' simulate --pod two --for 1m "$scratch/two.yaml"
says 0 'P-[0-9]+|S-[0-9]+' lint "$scratch/two.yaml"
says 0 'advice: a command that takes' lint "$web" "$tutorial"
unwise=conformance/examples/unwise.yaml
says 0 '^2 pods: 0 errors, 8 pieces of advice, 1 ignored$' lint "$web" "$unwise"
says 1 '\[one-failure-kills\]$' lint --strict "$unwise"
says 1 'slow-start-killed' lint --strict "$web"
says 0 '"rule":"one-failure-kills".*"fix":"spec:.n  template:.n    spec:.n      containers:.n      - name: shop' lint --format json "$unwise"
says 0 '"suppressions":\[\{"kind":"inSource"\}\]' lint -f sarif "$unwise"
says 2 '"executionSuccessful":false' lint -f sarif "$script"
says 2 '"executionSuccessful":false' lint -f sarif "$web" no-such-file.yaml
says 2 '"executionSuccessful":false' lint -f sarif no-such-file.yaml "$web"
says 0 "^::warning file=$unwise,line=18,col=13,title=one-failure-kills::" lint -f github "$unwise"
says 2 "^::error file=$script,line=2,col=1,title=cannot be read::kind is not set" lint -f github "$script"
mkdir -p "$scratch/folder/deep"
cp "$web" "$scratch/folder/deep/"
printf 'apiVersion: v1\nkind: Service\nmetadata: {name: s}\n' >"$scratch/folder/service.yaml"
says 0 '^1 pod: 0 errors, 1 piece of advice$' lint "$scratch/folder"
says 2 '1 of 1 files have no pod|no pod and no pod template' lint "$scratch/folder/service.yaml"
mkdir -p "$scratch/chart/charts"
printf 'replicas: 2\n' >"$scratch/chart/values.yaml"
printf -- '---\n# Source: a/crd.yaml\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n---\n# Source: a/none.yaml\n---\n---\n# Source: a/b.yaml\n' |
    cat - "$web" | gzip >"$scratch/chart/charts/made.yaml.gz"
for reads in lint budget simulate; do # a folder with what is no object, and a chart's output, packed
    says 0 'nginx' $reads "$scratch/chart"
done
says 2 "none of 2 files has a pod 'no'" simulate --pod no "$scratch/chart"
says 2 ':1:1: kind is not set$' lint "$scratch/chart/values.yaml"
printf 'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: s}\nspec: {template: {spec: {containers: [{image: i}]}}}\n' >"$scratch/knative.yaml"
says 2 'kind "Service" of Knative, whose proxy does the probing; ask about a pod of it' lint "$scratch/knative.yaml" # its names and ports are others
yes -- --- | head -9 | while read -r line; do cat "$unwise" && echo "$line"; done >"$scratch/nine.yaml"
says 0 '/nine.yaml:14: Deployment/shop, container shop:$' lint "$scratch/nine.yaml"
says 0 '^    9  one-failure-kills          a single failed attempt kills the container$' lint "$scratch/nine.yaml"
says 0 '^9 pods: 0 errors, 63 pieces of advice, 9 ignored; --all tells each' lint "$scratch/nine.yaml"
says 0 '^  one change for these 5 of container shop:' lint --all "$scratch/nine.yaml"
printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: bare}\nspec: {containers: [{name: a, image: b}]}\n' | cat "$web" - >"$scratch/bare.yaml"
says 0 '^bare on Kubernetes' simulate --hangs-at 5m "$scratch/bare.yaml" # no probe: no obstacle for the others
for world in --starts-in --hangs-at --answers-in --down-for; do
    says 0 '^nothing probes it: Kubernetes does not see whether it answers$' simulate $world 2m "$scratch/bare.yaml"
    says 0 '^# Pod/bare: nothing probes it$' simulate --patch $world 2m "$scratch/bare.yaml"
done
says 0 '^# Pod/bare$' simulate --patch --starts-in 2m --stops-in 45s --deleted-at 5m --pod bare "$scratch/bare.yaml"
says 2 '^probetest lint: 2 of 2 files have no pod' lint "$scratch/folder/service.yaml" "$scratch/folder/service.yaml"
says 2 'none of text, json' lint --format xml "$unwise"
says 0 '^one-failure-kills .advice.  P-046' lint --rules
says 2 'takes no file' lint --rules "$unwise"
says 2 'unknown field .*terminationGracePeriodSeconds' lint --k8s v1.15 "$scratch/two.yaml"
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: P}\nspec: {containers: [{name: c, livenessProbe: {periodSeconds: -1, httpGet: {port: x_}}}]}\n' >"$scratch/refused.yaml"
says 1 'periodSeconds: Invalid value' lint "$scratch/refused.yaml"
says 1 'periodSeconds: Invalid value' lint "$scratch/refused.yaml" "$web"
says 2 '^1 pod: [1-9][0-9]* errors.*; 1 file not read$' lint "$scratch/refused.yaml" nowhere.yaml
says 2 '^1 pod: [1-9][0-9]* errors.*; 1 file not read$' lint nowhere.yaml "$scratch/refused.yaml"
says 2 'No such file' lint nowhere.yaml
hook='apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, lifecycle: {preStop: {exec: {command: [sh, -c, "sleep 60 %s stop"]}}}}]}\n'
printf "$hook" '&&' >"$scratch/hook.yaml"
says 0 '\[prestop-over-grace\]$' lint "$scratch/hook.yaml"
printf "$hook" '&' >"$scratch/hook.yaml"
says 0 '^1 pod: 0 errors, 0 pieces of advice$' lint "$scratch/hook.yaml"
says 2 'no file|file' lint

# Histories.
golden=conformance/why/golden
says 0 '^ledger-0/app: killed by the kernel, out of memory$' why "$golden/oom.yaml"
says 0 '"cause":"startup","certainty":"sure","restarts":2' why --json "$golden/startup-too-slow.yaml"
says 0 '^proxy-2/app: killed by its liveness probe$' why --k8s v1.29.3+k3s1 --pod proxy-2 --container app "$golden/oom.yaml" "$golden/graceful-zero.yaml"
sed '/^---$/,$d' "$golden/liveness-timeout.yaml" >"$scratch/pod.yaml"
sed '1,/^---$/d' "$golden/liveness-timeout.yaml" >"$scratch/events.yaml"
says 0 '^api-7c4f9-8qz2t/app: killed by its liveness probe \(unsure\)$' why "$scratch/pod.yaml"
says 0 '^api-7c4f9-8qz2t/app: killed by its liveness probe$' why "$scratch/events.yaml" "$scratch/pod.yaml"
says 2 'no pod in [^ ]*/events.yaml, only events' why "$scratch/events.yaml"
says 2 'no pod in [^ ]*/events.yaml or the other files, only events' why "$scratch/events.yaml" "$scratch/events.yaml"
says 2 'no pod in [^ ]*/events.yaml or the other files, but kind "Deployment"' why "$scratch/events.yaml" "$unwise"
cat "$scratch/pod.yaml" "$scratch/events.yaml" >"$scratch/joined.yaml"
says 0 '^api-7c4f9-8qz2t/app: killed by its liveness probe$' why "$scratch/joined.yaml"
head -40 "$scratch/pod.yaml" >"$scratch/cut.yaml"
echo '  "' >>"$scratch/cut.yaml"
says 2 '^[^ ]*cut.yaml:[0-9]+:[0-9]+: ' why "$scratch/cut.yaml"
says 2 '^api-7c4f9-8qz2t/app: killed by its liveness probe \(unsure\)' why "$scratch/cut.yaml" nowhere.yaml "$scratch/pod.yaml"
printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"j"},"spec":{"containers":[{"name":"c","image":"i"}]}}\n{"apiVersion":"v1","kind":"EventList","items":[]}\n' >"$scratch/pod.json"
says 0 '^j/c: the file holds no status: what happened is not told$' why "$scratch/pod.json"
calm="$golden/no-history.yaml"
says 0 '^5 of 6 containers: nothing has ended them$' why "$calm" "$calm" "$calm" "$calm" "$calm" "$golden/oom.yaml"
says 0 '^5 of 5 containers: nothing has ended them$' why "$calm" "$calm" "$calm" "$calm" "$calm"
[ "$(wc -l <"$scratch/out")" = 1 ] || { echo 'commands: why: one line where nothing has happened' >&2; failed=1; }
# Of few each is told, and of many where they are asked for, or a program reads it.
for few in '' '--container app' '--pod calm-0' --json; do
    five=$calm
    [ -n "$few" ] || five=
    says 0 'calm-0' why $few "$calm" "$calm" "$calm" $five "$golden/oom.yaml"
    [ "$(grep -c '^calm-0/app: nothing has ended it$\|"pod":"calm-0"' "$scratch/out")" -ge 3 ] || { echo "commands: why $few: not each" >&2; failed=1; }
done
says 0 '^dbg/proxy: killed by its startup probe$' why "$golden/sidecar-startup.yaml"
[ "$(grep -c '^dbg/' "$scratch/out")" = "$("$command" why --pod dbg "$golden/sidecar-startup.yaml" | grep -c '^dbg/')" ] ||
    { echo 'commands: why --pod: a debugger is told' >&2; failed=1; }
says 2 'but kind "Deployment"; .kubectl get pod' why "$unwise"
says 2 'it has no kind' why "$script"
says 2 'no such pod in it$' why --pod none "$golden/oom.yaml"
says 2 'no such container in it$' why --container none "$golden/oom.yaml"
says 2 'no such container in it$' why --pod ledger-0 --container none "$golden/oom.yaml"
for one in x z; do printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: %s}\nspec: {containers: [{name: c, image: i, livenessProbe: {exec: {command: [x]}}}]}\n---\n' $one; done >"$scratch/names.yaml"
for one in x z; do
    says 0 "^$one/a/c: the file holds no status" why --pod $one/a "$scratch/names.yaml"
    says 0 "^$one/a/c on Kubernetes 1.36$" budget --pod $one/a "$scratch/names.yaml"
    says 0 "^$one/a on Kubernetes 1.36, " simulate --pod $one/a "$scratch/names.yaml"
    says 0 "^    Pod/$one/a, container c" lint "$scratch/names.yaml"
done
says 2 "has no pod 'w/a'" budget --pod w/a "$scratch/names.yaml"
says 2 'No such file' why nowhere.yaml
says 2 'kubectl get pod NAME -o yaml' why

# Probes, fired at this machine: what it runs, a port where nobody listens, nobody's name.
cat >"$scratch/attempts.yaml" <<'END'
apiVersion: v1
kind: Pod
metadata: {name: attempts}
spec:
  containers:
  - name: run
    image: i
    ports: [{name: web, containerPort: 1}]
    livenessProbe: {exec: {command: [/bin/echo, fine]}, periodSeconds: 1, timeoutSeconds: 300}
    readinessProbe: {exec: {command: [/bin/sh, -c, "echo no; exit 3"]}, periodSeconds: 1, timeoutSeconds: 300}
  - name: nobody
    image: i
    livenessProbe: {httpGet: {port: 1, host: 127.0.0.1, httpHeaders: [{name: X-A, value: b}]}, periodSeconds: 1, failureThreshold: 1}
    readinessProbe: {tcpSocket: {port: 1}, periodSeconds: 1}
    startupProbe: {grpc: {port: 1}, periodSeconds: 1, failureThreshold: 1}
END
says 1 'connection refused' probe "$scratch/attempts.yaml"
says 0 'success.*fine' probe --container run --type liveness "$scratch/attempts.yaml"
says 1 '"output":"no' probe --json --container run --type readiness "$scratch/attempts.yaml"
says 1 'refused' probe --container nobody --pod-ip 127.0.0.2 --k8s v1.24.17+k3s1 "$scratch/attempts.yaml"
says_soon 1 'Killing' probe --watch "$scratch/attempts.yaml"
says_soon 1 '"reason":"Killing"' probe --watch --json --container nobody "$scratch/attempts.yaml"

# Folders of cases that are hostile: what is no case file is reported in one line, whatever it is and wherever it leads.
strange="$scratch/Fälle mit Leerzeichen"
mkdir -p "$strange/port"
cp conformance/cases/port/ports.yaml "$strange/port/"
says 0 'passed, 0 failed' run --cases "$strange"
ln -s /etc/passwd "$strange/port/outside.yaml"
says 3 'outside.yaml:' run --cases "$strange"
rm "$strange/port/outside.yaml"
ln -s . "$strange/port/loop"
says 0 'passed, 0 failed' run --cases "$strange"
ln -s nowhere "$strange/port/gone.yaml"
says 3 'gone.yaml' run --cases "$strange"
rm "$strange/port/gone.yaml"
mkfifo "$strange/port/pipe.yaml"
says 3 'pipe.yaml' run --cases "$strange"
rm "$strange/port/pipe.yaml"
mkdir "$strange/port/folder.yaml"
says 3 'folder.yaml: .*Is a directory' run --cases "$strange"
rmdir "$strange/port/folder.yaml"
head -c 9000000 /dev/zero | tr '\0' '#' >"$strange/port/large.yaml"
says 3 'large.yaml' run --cases "$strange"
head -c 100000 /dev/zero | tr '\0' '{' >"$strange/script"
says 2 'script:1:' simulate --script "$strange/script" "$web"
says 2 'script|larger' simulate --script /dev/zero "$web"
says 2 'Is a directory' simulate --script "$strange" "$web"

# Nothing is lost: a file that may not grow or a full disk is reported, an interrupt leaves a report, a pipe without a writer is refused.
limited() {
    (ulimit -f 8 && exec "$command" "$@")
}
count=$((count + 1))
limited run --quiet --report "$scratch/large.jsonl" thresholds >"$scratch/out" 2>"$scratch/err"
got=$?
if [ $got != 2 ] || ! grep -q 'large.jsonl: File too large' "$scratch/err"; then
    echo "commands: a file that may not grow: exit $got" >&2
    head -3 "$scratch/err" >&2
    failed=1
fi
ln -s /dev/full "$scratch/full.jsonl"
ln -s /dev/full "$scratch/full.md"
for full in '' "--report=$scratch/full.jsonl" "--report=$scratch/full.md" "--report=$scratch/full.jsonl --report=$scratch/whole.jsonl" \
    "--report=$scratch/whole.jsonl --report=$scratch/full.jsonl"; do
    count=$((count + 1))
    to=/dev/full
    [ -z "$full" ] || to=$scratch/out
    "$command" run --quiet $full port-number.one >"$to" 2>"$scratch/err"
    got=$?
    if [ $got != 2 ] || ! grep -q 'No space left on device' "$scratch/err"; then
        echo "commands: a full disk, $full: exit $got" >&2
        failed=1
    fi
done
mkfifo "$scratch/pipe"
says 2 'pipe: nobody writes to this pipe' lint "$scratch/pipe"
cat "$web" >"$scratch/pipe" &
says 0 '1 pod' lint "$scratch/pipe"
for moment in 0 0.05 0.2 0.8; do
    count=$((count + 1))
    setsid "$command" run --quiet --k8s all --report "$scratch/half.jsonl" '^[a-e]' >"$scratch/out" 2>"$scratch/err" &
    # This shell's child catches SIGINT, too, until it has become the program.
    until grep -q '^Name:.*probetest$' "/proc/$!/status" 2>/dev/null && grep -q 'SigCgt:.*[2367abef]$' "/proc/$!/status" 2>/dev/null ||
        ! kill -0 $! 2>/dev/null; do sleep 0.01; done
    sleep $moment
    kill -INT $! 2>/dev/null
    wait $!
    got=$?
    if [ $got -gt 1 ] || ! "$command" verify-report "$scratch/half.jsonl" >"$scratch/out"; then
        echo "commands: interrupted after $moment s: exit $got" >&2
        failed=1
    fi
done

# What others wrote is shown, not obeyed: file names, commands, output of probes, an adapter's messages and stderr.
esc=$(printf '\033]0;OWNED\007\033[31m')
shown='\\u001b]0;OWNED\\u0007\\u001b\[31m'
evil="$scratch/$esc.yaml"
cat >"$evil" <<'END'
apiVersion: v1
kind: Pod
metadata: {name: evil}
spec:
  containers:
  - name: run
    image: i
    command: ["printf", "\e]0;OWNED\a\e[31m"]
    livenessProbe: {exec: {command: [printf, '\033]0;OWNED\007\033[31m']}, timeoutSeconds: 300, periodSeconds: 1}
    readinessProbe: {exec: {command: [sh, -c, 'printf "\033]0;OWNED\007\033[31m<script>"; exit 1']}, timeoutSeconds: 300, periodSeconds: 1}
END
says 2 "$shown" lint "$evil" "$scratch/$esc.none"
says 2 "$shown.none" simulate "$scratch/$esc.none"
sed 's/printf, .\\033.*m.\]/printf, "\\e]0;OWNED\\a\\e[31m"]/' "$evil" >"$evil.2"
says 0 "$shown" simulate --all --for 1m "$evil.2"
says 0 "$shown" simulate --worst-case --for 1m "$evil.2"
says 1 "$shown<script>" probe "$evil"
says_soon 1 "$shown" probe --watch "$evil"
says 2 "$shown" run "$esc"
says 2 "$shown" list "$esc"
says 2 "$shown" "$esc"
says 2 "$shown" run --report "$scratch/none/$esc" thresholds
hello='read -r l; printf "\033]0;OWNED\007\033[31m" >&2; echo "{\"id\":1,\"ok\":{\"protocol\":1,\"name\":\"\\u001b]0;OWNED\\u0007\\u001b[31m\",\"layers\":[\"port\"]}}"; read -r l;'
refuses="$hello"' printf "{\"id\":2,\"error\":{\"code\":\"internal\",\"message\":\"\\\\u001b]0;OWNED\\\\u0007\\\\u001b[31m|<script>@all\"}}\n"; read -r l'
says 1 "$shown" run --report "$scratch/evil.jsonl" --report "$scratch/evil.md" --report "$scratch/evil.tap" port-number.one -- sh -c "$refuses"
says 1 "$shown" run port-number.one -- sh -c "$hello exit 3"
says 4 "$shown" run port-number.one -- sh -c 'printf "\033]0;OWNED\007\033[31m" >&2; exit 3'
says 1 "$shown" doctor -- sh -c "$hello"
says 0 'u001b.*\\\|\\<script\\>&#64;all$' report "$scratch/evil.jsonl"
for one in evil.md evil.tap; do
    cp "$scratch/$one" "$scratch/out"
    harmless "$one"
done
[ $failed = 0 ] && echo "commands: $count, each with its exit code and its words"
exit $failed
