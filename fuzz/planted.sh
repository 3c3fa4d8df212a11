#!/bin/sh
# planted.sh CC LIBS...: bugs of each kind, each planted in a copy of one file; a part of what CI runs (make check, make san QUICK=1)
# must be red with it, and say what is wrong.  The rest of the program is that of build/asan.
# planted.sh --patterns: nothing is built; does each bug still have its place?
set -u
cc=$1
shift
libs=$*
scratch=build/planted
built=build/asan
archives="$built/libconformance.a $built/libfakes.a $built/libkubeprobe-handlers.a $built/libkubeprobe.a"
tests="$(find core fakes conformance -name '*_test.c' | sort | sed "s|.*|$built/&|; s|c\$|o|") $built/unit_list.o $built/fakes/unit.o"
planted=0
missed=0
rm -rf "$scratch"
mkdir -p "$scratch"

# plant KIND-NAME FILE SED-EXPRESSION WITH: builds $scratch/NAME from FILE with the bug: the command, the unit tests or a fuzz target.
plant() {
    name=$1
    planted=$((planted + 1))
    sed "$3" "$2" >"$scratch/$name.c"
    if cmp -s "$2" "$scratch/$name.c"; then
        echo "planted: $name: the expression changes nothing in $2" >&2
        missed=$((missed + 1))
        return
    fi
    [ "$cc" != --patterns ] || return
    case $4 in
    command) with="$built/conformance/command/main.o" ;;
    unit) with=$(echo "$tests" | tr ' ' '\n' | grep -v "$2") ;;
    *) with="$built/fuzz/$4.o $built/fuzz/replay.o $built/libshared.a" ;;
    esac
    # shellcheck disable=SC2086
    "$cc" -std=c11 -O1 -g -w -fno-lto -fsanitize=address,undefined -fno-sanitize-recover=all -I. -iquote "$(dirname "$2")" -I$built \
        -D_POSIX_C_SOURCE=200809L -o "$scratch/$name" "$scratch/$name.c" $with $archives $libs -lcunit ||
        { echo "planted: $name: does not build" >&2; exit 1; }
}

# caught LAYER WORDS COMMAND...: it must fail and say so.
caught() {
    [ -x "$scratch/$name" ] || return
    layer=$1 words=$2
    shift 2
    UNDER_VALGRIND=1 timeout 900 "$@" >"$scratch/$name.out" 2>&1
    code=$?
    if [ $code != 0 ] && grep -qE "$words" "$scratch/$name.out"; then
        echo "$name: caught by $layer: $(grep -m1 -E "$words" "$scratch/$name.out" | sed 's/^ *//' | cut -c1-90)"
    else
        echo "$name: not caught by $layer (exit $code)" >&2
        tail -3 "$scratch/$name.out" >&2
        missed=$((missed + 1))
    fi
}

it() {
    printf '%s' "$scratch/$name"
}

plant leak-of-the-manager core/prober/prober_slots.c '/uint32_t \*fresh;/,/^}/s/kp_mem_free(m->mem, m->by_n);/(void)0;/' unit
caught 'unit tests' 'live|LeakSanitizer' "$(it)" prober_manager_test
plant leak-of-an-adapter conformance/protocol/process.c 's/^    cf_out_deinit(&process->held);/    process->held = (struct cf_out){0};/' unit
caught 'unit tests, ASan' 'LeakSanitizer' "$(it)" adapter_test
plant leak-of-a-descriptor core/handlers/exec.c 's/^        kp_watch_close(&exec->out\[i\].watch);/        (void)0;/' unit
caught 'unit tests' 'proc.self.fd' "$(it)" exec_test
plant overflow-of-what-a-command-writes core/handlers/exec.c 's/grow(flight, stream, stream->len + len)/grow(flight, stream, stream->len + len - 1)/' unit
caught 'unit tests, ASan' 'heap-buffer-overflow' "$(it)" exec_test
plant overflow-of-a-message core/base/text.c 's/size_t fits = least(text.len, .*);$/size_t fits = text.len;/' unit
caught 'unit tests, ASan' 'buffer-overflow|SEGV' "$(it)"
plant overflow-of-a-time conformance/judge/verdict.c 's/snprintf(text, sizeof text,/snprintf(text, 32,/;s/char text\[32\]/char text[4]/' unit
caught 'unit tests, ASan' 'stack-buffer-overflow' "$(it)" result_test
plant overflow-of-a-printf conformance/text/out.c 's/cf_out_reserve(out, (size_t)need + 1)/cf_out_reserve(out, (size_t)need)/' unit
caught 'unit tests, ASan' 'heap-buffer-overflow' "$(it)" out_test
plant zero-byte-past-a-column conformance/pod/kubectl.c 's/column(columns->status, sizeof columns->status)/column(columns->status, sizeof columns->status + 1)/' unit
caught 'unit tests' 'columns.status|restarts' "$(it)" kubectl_test
plant use-after-free-of-output core/handlers/exec.c '/^    memcpy(stream->bytes + stream->len, bytes, len);$/i kp_mem_free(flight->scratch.mem, stream->bytes);' unit
caught 'unit tests, ASan' 'heap-use-after-free|double-free' "$(it)" exec_test
plant use-after-free-of-a-reply conformance/protocol/adapter.c '/^    cf_out_deinit(&adapter->hello);/i cf_out_put_string(\&adapter->why, "bye"), free(adapter->why.bytes);' unit
caught 'unit tests, ASan' 'use-after-free|double-free' "$(it)" adapter_test
plant double-free-of-an-out conformance/text/out.c 's/^    \*out = (struct cf_out){0};$/    out->len = 0;/' unit
caught 'unit tests, ASan' 'double-free|use-after-free' "$(it)"
plant no-limit-of-depth conformance/text/yaml.c 's/if (depth > CF_DEPTH_MAX)/if (depth > 100000000)/' command
caught 'hostile inputs' 'deep nesting: exit|stack-overflow' env PROBETEST="$(it)" conformance/input_test.sh
plant signed-overflow-of-a-number conformance/text/out.c 's/number < 0 ? 0 - (uint64_t)number :/number < 0 ? (uint64_t)-number :/' unit
caught 'unit tests, UBSan' 'negation of' "$(it)" out_test
plant no-limit-of-a-port core/api/port.c 's/if (\*value > (UINT64_MAX - digit) \/ 10)/if (0)/' unit
caught 'unit tests' 'does not hold|got|Sanitizer' "$(it)" port_test
plant shift-beyond-the-word core/handlers/health.c 's/shift < 64 \&\& cursor->at/cursor->at/; s/if (shift == 63 .*)/if (0)/' unit
caught 'unit tests, UBSan' 'shift exponent' "$(it)"
plant index-behind-the-last conformance/judge/doctor.c 's/layer < CF_LAYERS/layer <= CF_LAYERS/' command
caught 'commands, UBSan' 'out of bounds|buffer-overflow|SEGV' "$(it)" doctor -- "$built/probetest" serve
plant null-pointer-of-a-rule conformance/judge/verdict.c 's/^        if (row)$/        if (1)/' unit
caught 'unit tests, UBSan' 'null pointer|SEGV' "$(it)" result_test
plant uninitialised-memory core/base/mem.c 's/memset(.*);/(void)0;/' command
caught 'the table, ASan (which fills what malloc gives)' '[1-9][0-9]* failed|Sanitizer|Assert|runtime error' "$(it)" run --quiet liveness
plant off-by-one-of-a-threshold core/prober/worker.c 's/result_run < threshold/result_run <= threshold/' command
caught 'the table' ', [1-9][0-9]* failed' "$(it)" run --quiet thresholds
plant missing-guard-of-a-worker core/prober/worker.c 's/if (w->on_hold)$/if (0)/' world
# shellcheck disable=SC2046
caught 'kept inputs, promises' 'P-033' "$(it)" $(find fuzz/corpus/world -type f | sort)
plant ignored-error-of-a-report conformance/command/run_command.c 's/if (fflush(stream->file) != 0)/if (fflush(stream->file) != 0 \&\& 0)/' command
caught 'commands' 'commands: a full disk|may not grow' conformance/commands_test.sh "$(it)"
plant escape-that-is-obeyed conformance/text/print.c 's/code < 0x20 ||/code < 0x10 ||/' unit
caught 'unit tests' 'print_test' "$(it)" print_test
plant overflow-in-a-pool core/handlers/grpc_reply.c 's/&reply->cap, reply->len + kept)/\&reply->cap, reply->len + kept - 1)/' unit
caught 'unit tests, ASan' 'use-after-poison' "$(it)" grpc_reply_test
plant size-of-a-pointer core/handlers/tcp.c 's/kp_scratch_alloc(&flight->scratch, sizeof \*conn)/kp_scratch_alloc(\&flight->scratch, sizeof conn)/' unit
caught 'unit tests, ASan' 'use-after-poison' "$(it)" tcp_test
plant pointer-from-before-it-moved core/prober/prober_slots.c 's/^    m->jitter_timers.timers = (void \*)workers;/    if (!m->jitter_timers.timers) m->jitter_timers.timers = (void *)workers;/' unit
caught 'unit tests, ASan' 'heap-use-after-free' "$(it)" prober_run_test
plant read-behind-a-cut-rune core/base/quote.c 's/len == 0 || len > text.len ||/len == 0 ||/' unit
caught 'unit tests' 'Sanitizer|runtime error|quote_test' "$(it)" quote_test
plant signed-overflow-of-a-time conformance/text/human.c 's/if (seconds > INT64_MAX \/ NS_PER_S || seconds < 0)/if (seconds < 0)/' unit
caught 'unit tests, UBSan' 'signed integer overflow' "$(it)" human_test
plant copy-over-itself core/kubelet/runtime.c 's/^    memmove(&instances->list\[1\], /    memcpy(\&instances->list[1], /' unit
caught 'unit tests, ASan' 'memcpy-param-overlap' "$(it)" runtime_test
plant nothing-copied-from-null conformance/text/arena.c '/^struct kp_text cf_arena_text/,/^}/s/    if (text.len > 0)/    if (1)/' unit
caught 'unit tests, UBSan' 'null pointer passed' "$(it)" budget_test
plant text-on-a-stack-that-is-gone conformance/text/node.c 's/cf_arena_text(arena, kp_buf_text(&buf))/kp_buf_text(\&buf)/' unit
caught 'unit tests' 'Sanitizer|node_test' "$(it)" node_test
plant memory-where-nothing-may-stand conformance/text/arena.c 's/const size_t align = _Alignof(max_align_t);/const size_t align = 4;/' unit
caught 'unit tests, UBSan' 'misaligned' "$(it)" node_test
plant leak-of-another-library core/handlers/http_body.c 's/^        inflateEnd(body->gzip);/        (void)0;/' unit
caught 'unit tests' 'state.live|LeakSanitizer' "$(it)" http_body_test
[ "$cc" = --patterns ] || echo "planted: $planted bugs, $missed missed"
[ $missed = 0 ]
