#!/bin/sh
# broken_test.sh CC: break the engine in one place at a time; each time a named case must turn red.
#
# A row: what is broken, the file, a sed expression that breaks it, a case that must fail.  An expression that changes
# nothing, an engine that does not build, and a case that stays green each fail the test.
set -u
cc=$1
scratch=build/broken
failed=0
mkdir -p "$scratch"

try() {
    what=$1 file=$2 expression=$3 case=$4
    sed "$expression" "$file" >"$scratch/broken.c"
    if cmp -s "$file" "$scratch/broken.c"; then
        echo "broken: $what: the expression changes nothing in $file" >&2
        failed=1
        return
    fi
    if ! "$cc" -std=c11 -O1 -w -I. -I"$(dirname "$file")" -D_POSIX_C_SOURCE=200809L -o "$scratch/probetest" \
        "$scratch/broken.c" build/plain/conformance/main.o \
        build/plain/libconformance.a build/plain/libfakes.a build/plain/libkubeprobe.a -lyaml -lm; then
        echo "broken: $what: does not build" >&2
        failed=1
        return
    fi
    "$scratch/probetest" run "$case" --k8s 1.36 >"$scratch/out" 2>&1
    code=$?
    if [ $code = 1 ]; then
        echo "broken: $what: $case is red"
    else
        echo "broken: $what: $case is not red (exit $code)" >&2
        failed=1
    fi
}

w=core/worker.c
k=core/kill_container.c
b=core/backoff.c
try 'a threshold that asks for one more' $w 's/result_run < threshold/result_run <= threshold/' liveness-threshold.one
try 'no hold after a kill' $w 's/w->on_hold = true;/w->on_hold = false;/' liveness-threshold.then-rests
try 'the guards for hold and for a dead container in the other order' $w \
    's/if (w->on_hold)/if (w->on_hold \&\& w->view.state == KP_STATE_RUNNING)/' not-running.startup-holds
try 'an initial delay that ends late' $w 's/age_ns < delay_ns/age_ns <= delay_ns/' initial-delay.exactly
try 'a count that a new container resets' $w 's/^    w->on_hold = false;/&\n    w->result_run = 0;/' \
    count-survives-new-container.liveness
try "the pod's grace in place of the probe's" $k 's/return probe->grace_s;/return pod->grace_s;/' grace-of-liveness.of-the-probe
try 'no least grace' $k 's/MINIMUM_GRACE_S 2/MINIMUM_GRACE_S 1/' grace-of-liveness.one-becomes-two
try 'a first back-off of half the length' $b 's/initial_ns = 10/initial_ns = 5/' init-fails.always
exit $failed
