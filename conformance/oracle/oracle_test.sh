#!/bin/sh
# oracle_test.sh PROBETEST: the oracle's tools and bad input.  Needs neither Go nor modules; where an
# adapter is built its watchdog is tried too.
set -u
here=$(cd "$(dirname "$0")" && pwd)
probetest=${1:?usage: oracle_test.sh PROBETEST}
python=${PYTHON:-python3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 143' INT TERM
failed=0
tried=0

# expect CODE TEXT COMMAND...: the exit code, and what stands in the output; never a traceback.
expect() {
    code=$1 text=$2
    shift 2
    "$@" >"$tmp/out" 2>&1
    got=$?
    tried=$((tried + 1))
    if [ "$got" != "$code" ] || ! grep -q -e "$text" "$tmp/out" || grep -q Traceback "$tmp/out"; then
        failed=$((failed + 1))
        echo "oracle: wanted exit $code and \"$text\", got $got from: $*"
        head -n 5 "$tmp/out" | sed 's/^/    /'
    fi
}

# retold FROM TO SCRIPT: a recording with one thing changed; SCRIPT sees the list `cases`.
retold() {
    $python - "$here" "$1" "$2" "$3" <<'PY'
import json, lzma, sys
sys.path.insert(0, sys.argv[1])
import record
lines = lzma.open(sys.argv[2], "rt", encoding="utf-8").read().split("\n")[:-1]
head, cases = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]
exec(sys.argv[4])
body = [record.dump(case) for case in cases]
head["hash"] = record.digest(body)
lzma.open(sys.argv[3], "wt", encoding="utf-8").write("\n".join([record.dump(head)] + body) + "\n")
PY
}

expect 2 "1.99 is not among the releases" "$here/build.sh" 1.99
expect 2 "1.99 is not among the releases" "$here/build_handlers.sh" 1.99
# What is no minor but a folder, or a pattern, is a minor that there is not; and no folder of that name is made.
for foreign in /etc ../../.. "$tmp" . '#' 1.3.; do
    for build in build.sh build_handlers.sh build_kubectl.sh build_whole.sh; do
        expect 2 "^oracle: Kubernetes $foreign is not among the releases" "$here/$build" "$foreign"
        cp "$tmp/out" "$tmp/said"
        expect 0 '^1$' grep -c "" "$tmp/said"
    done
done
expect 0 none sh -c 'test -e "build/oracle/#" || echo none'
mkdir "$tmp/bin"
for tool in sh dirname grep sed cat awk; do ln -s "$(command -v $tool)" "$tmp/bin/$tool"; done
expect 4 "no Go toolchain" env PATH="$tmp/bin" "$here/build.sh" 1.36
expect 4 "no Go toolchain" env PATH="$tmp/bin" "$here/build_handlers.sh" 1.36
expect 0 "the recordings stand in for the kubelet of" env GOPROXY=off GOMODCACHE="$tmp/modules" GOCACHE="$tmp/cache" "$here/ci.sh"
expect 3 "no recordings" $python "$here/verify.py" "$tmp" -- "$probetest" serve

expect 3 "no recordings in .* of 1.99" $python "$here/verify.py" --k8s 1.36,1.99 "$here/recordings" -- "$probetest" serve
for none in 0 -1; do
    expect 2 "--n $none: wanted 1 or more" $python "$here/documents.py" --layer port --k8s 1.36 --n "$none" true true
    expect 2 "--n $none: wanted 1 or more" $python "$here/../adapters/kubelet/whole/differential.py" --n "$none" -- true
done
scenarios=$(ls "$here"/recordings/scenarios-*.jsonl.xz | tail -n 1)
expect 4 "no scenario nobody" $python "$here/../adapters/kubelet/whole/recordings.py" compare --only nobody "$scenarios" -- "$probetest" serve

newest=$(ls "$here"/recordings/1.*.jsonl.xz | sort -V | tail -n 1)
mkdir "$tmp/good" "$tmp/cut" "$tmp/edited" "$tmp/wrong"
retold "$newest" "$tmp/good/1.36.jsonl.xz" 'cases[:] = [c for c in cases if c.get("trace")][:100]'
expect 0 "are the engine's too" $python "$here/verify.py" "$tmp/good" -- "$probetest" serve
head -c 2000 "$newest" >"$tmp/cut/1.36.jsonl.xz"
expect 3 "1.36.jsonl.xz" $python "$here/verify.py" "$tmp/cut" -- "$probetest" serve
xz=$tmp/edited/1.36.jsonl.xz
$python -c 'import lzma, sys; t = lzma.open(sys.argv[1], "rt").read(); lzma.open(sys.argv[2], "wt").write(t.replace("success", "failure", 1))' "$newest" "$xz"
expect 3 "the hash does not fit" $python "$here/verify.py" "$tmp/edited" -- "$probetest" serve

# A kubelet that had probed a millisecond later must be noticed.
retold "$tmp/good/1.36.jsonl.xz" "$tmp/wrong/1.36.jsonl.xz" 'cases[0]["trace"][0][0] += 1'
expect 1 "the kubelet:" $python "$here/verify.py" "$tmp/wrong" -- "$probetest" serve

# Who refuses gates and dies of two pods is recorded for the rest, each answer with its own case.
mkdir "$tmp/cases"
for topic in deletion e2e grace-period runtime-outage phase several-pods restart-all-containers restart-rules container-start container-states sync-loop termination-by-release worker-ends; do
    cp "$here/../cases/pod/$topic.yaml" "$tmp/cases/"
done
cat >"$tmp/frail.py" <<'PY'
import json, subprocess, sys
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin.buffer:
    request = json.loads(line)
    if request["op"] == "hello" and request.get("gates"):
        print(json.dumps({"id": request["id"], "error": {"code": "unsupported", "message": "no gates"}}), flush=True)
        continue
    if request["op"] == "open" and len(request.get("pods", [])) == 2:
        sys.exit(1)
    engine.stdin.write(line)
    engine.stdin.flush()
    reply = engine.stdout.readline()
    if request["op"] == "hello":
        reply = json.loads(reply)
        reply["ok"]["layers"] = ["pod"]
        reply = json.dumps(reply).encode() + b"\n"
    sys.stdout.buffer.write(reply)
    sys.stdout.buffer.flush()
PY
expect 1 "recorded:" env PROBETEST_CASES="$tmp/cases" $python "$here/record.py" 1.36 "$tmp/frail.jsonl.xz" "$tmp/result.jsonl" "$probetest" -- \
    $python "$tmp/frail.py" "$probetest" serve
mkdir "$tmp/frail"
cp "$tmp/frail.jsonl.xz" "$tmp/frail/1.36.jsonl.xz"
expect 0 "are the engine's too" $python "$here/verify.py" "$tmp/frail" -- "$probetest" serve

# A selection changes the recording of its cases alone: one that was damaged is mended, and nothing else is new or gone.
mkdir "$tmp/part"
$python - "$here" "$tmp/frail.jsonl.xz" >"$tmp/which" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import record
cases = record.read_recording(sys.argv[2])[1]
print(next(name for name, case in cases.items() if case["trace"]), len(cases))
PY
read -r one all <"$tmp/which"
retold "$tmp/frail.jsonl.xz" "$tmp/part/1.36.jsonl.xz" "next(c for c in cases if c['case'] == '$one')['trace'][0][0] += 1"
expect 0 "changed: $one" $python "$here/record.py" 1.36 "$tmp/part/1.36.jsonl.xz" "$tmp/result.jsonl" "$probetest" "^$one\$" -- \
    "$probetest" serve
expect 0 "recordings: $all answers" $python "$here/verify.py" "$tmp/part" -- "$probetest" serve

pod='{"metadata":{"name":"p","namespace":"d","uid":"u"},"spec":{"containers":[{"name":"a","livenessProbe":{"periodSeconds":1,"exec":{"command":["x"]}}}]}}'
# A world without end: ticks for two centuries.  The adapter's own watchdog has to notice.
adapter=$(ls -t build/oracle/1.*/kubelet-adapter 2>/dev/null | head -n 1)
if [ -n "$adapter" ]; then
    minor=$(basename "$(dirname "$adapter")")
    printf '%s\n' "{\"id\":1,\"op\":\"hello\",\"protocol\":1,\"k8s\":\"$minor\"}" \
        "{\"id\":2,\"op\":\"open\",\"layer\":\"probe\",\"uptime\":120500,\"pod\":$pod}" \
        '{"id":3,"op":"advance","to":6000000000000}' >"$tmp/endless"
    expect 4 "the bubble does not advance" sh -c "$adapter <$tmp/endless"
    printf '%s\n' '{"id":1,"op":"hello","protocol":1,"k8s":"1.14"}' >"$tmp/old"
    expect 0 "this binary is v$minor" sh -c "$adapter <$tmp/old"
    printf '%s\n' "{\"id\":1,\"op\":\"hello\",\"protocol\":1,\"k8s\":\"$minor\"}" \
        "{\"id\":2,\"op\":\"open\",\"layer\":\"pod\",\"uptime\":120500,\"pod\":$pod}" >"$tmp/pod"
    expect 0 '"unsupported"' sh -c "$adapter <$tmp/pod"
fi

# The same of the whole kubelet, of one in each kind of virtual time (to 1.20 and from 1.21 on): what it cannot play, a
# world without end, two at once, and one that is killed; nothing is left behind, and nothing outside its folder touched.
newest() { ls -t "$@" 2>/dev/null | head -n 1; }
for whole in $(newest build/oracle/1.1[89]/kubelet-whole build/oracle/1.20/kubelet-whole) \
    $(newest build/oracle/1.2[1-9]/kubelet-whole build/oracle/1.3*/kubelet-whole); do
    minor=$(basename "$(dirname "$whole")")
    export TMPDIR="$tmp/own"
    mkdir -p "$TMPDIR"
    printf '%s\n' "{\"id\":1,\"op\":\"hello\",\"protocol\":1,\"k8s\":\"$minor\"}" \
        "{\"id\":2,\"op\":\"open\",\"layer\":\"pod\",\"uptime\":120500,\"pod\":$pod}" >"$tmp/opened"
    { cat "$tmp/opened"; echo '{"id":3,"op":"advance","to":0,"events":[{"e":"clock","by":5}]}'; } >"$tmp/stepped"
    expect 0 '"unsupported".*cannot be stepped' sh -c "$whole <$tmp/stepped"
    { cat "$tmp/opened"; echo '{"id":3,"op":"advance","to":6000000000000}'; } >"$tmp/endless"
    expect 0 '"internal".*the clock stands still' env PROBETEST_PATIENCE=2s sh -c "$whole <$tmp/endless"
    "$whole" <"$tmp/opened" >"$tmp/first" &
    first=$!
    "$whole" <"$tmp/opened" >"$tmp/second"
    wait "$first"
    expect 0 'identical' diff -s "$tmp/first" "$tmp/second"
    mkfifo "$tmp/asks-$minor"
    "$whole" <"$tmp/asks-$minor" >"$tmp/heard" &
    parent=$!
    exec 9>"$tmp/asks-$minor"
    cat "$tmp/opened" >&9
    for _ in 1 2 3 4 5 6 7 8 9; do [ "$(wc -l <"$tmp/heard")" = 2 ] || sleep 1; done
    kill -KILL "$parent"
    wait "$parent" 2>/dev/null
    for _ in 1 2 3 4 5 6 7 8 9; do [ -z "$(ls "$TMPDIR")" ] || sleep 1; done
    exec 9>&-
    expect 0 '^0$' sh -c "ls '$TMPDIR' | wc -l"
    [ -z "$(command -v strace)" ] || expect 0 "nothing outside its own folder" $python "$here/alone.py" "$minor" "$whole"
done
if [ -n "$(command -v strace)" ]; then
    printf '#!/bin/sh\n: >"%s/foreign"\nread -r line </etc/hosts\ntest -d /opt\nexec "%s" serve\n' "$tmp" "$probetest" >"$tmp/not-alone"
    chmod +x "$tmp/not-alone"
    expect 1 "^written: $tmp/foreign" $python "$here/alone.py" 1.36 "$tmp/not-alone"
    cp "$tmp/out" "$tmp/said"
    expect 0 "^read: /etc/hosts" cat "$tmp/said"
    expect 0 "^read: /opt" cat "$tmp/said"
fi
expect 4 "no strace" env PATH="$tmp/bin" "$($python -c 'import sys; print(sys.executable)')" "$here/alone.py" 1.36 true
expect 2 "alone.py MINOR ADAPTER" $python "$here/alone.py" 1.36

echo "oracle tools: $tried tries, $failed failed"
[ "$failed" = 0 ]
