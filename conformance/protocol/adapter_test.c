#include "conformance/protocol/adapter.h"

#include "fakes/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Adapters as one line of shell each; `say` answers the next request with that text, in which ID
 * stands for its id. */
#define SAY                                                                                        \
    "id() { read -r line || exit 0; line=${line#*:}; id=${line%%,*}; };"                           \
    "say() { id; printf '{\"id\":%s,%s}\\n' \"$id\" \"$1\"; };"                                    \
    "hello() { say '\"ok\":{\"protocol\":1,\"name\":\"x\",\"layers\":[\"probe\"]}'; };"            \
    "turn() { say \"\\\"ok\\\":{\\\"at\\\":$1,\\\"effects\\\":[$2]}\"; };"                         \
    "effect='{\"e\":\"ready\",\"container\":\"app\",\"value\":true}';"

static const struct kp_container containers[] = {{.name = {"app", 3}, .kind = KP_REGULAR}};
static const struct kp_pod pod = {.containers = containers, .regular_count = 1};
/* Patient, for machines under load, but where waiting is what is tested. */
static const struct cf_adapter_limits patient = {
    .patience_ms = 100, .rounds_max = 20, .effects_max = 1000};
static const struct cf_adapter_limits hasty = {.reply_ms = 1000, .patience_ms = 100};
static const struct cf_hello greeting = {.protocol = 1, .k8s = {"1.36", 4}};

static void count_effect(void *ctx, const struct kp_effect *effect)
{
    *(int *)ctx += effect->kind == KP_EFFECT_READY;
}

static int64_t speed; /* of the case; 0: its time is virtual */

/* Hello, open, three advances to 1 s, 2 s, 2 s, close. */
static enum cf_adapter_error play(struct cf_adapter *adapter, int *effects)
{
    const struct kp_pod *pods[] = {&pod};
    const struct fake_open open = {.pods = pods, .pod_count = 1, .speed = speed};
    struct fake_impl impl = cf_adapter_impl(adapter);
    struct kp_sink sink = {count_effect, effects};
    int64_t at_ns;

    cf_adapter_begin(adapter);
    if (cf_adapter_hello(adapter, &greeting) && impl.open(impl.ctx, &open, sink, &at_ns) &&
        impl.advance(impl.ctx, KP_NS_PER_S, NULL, 0, sink, &at_ns) &&
        impl.advance(impl.ctx, 2 * KP_NS_PER_S, NULL, 0, sink, &at_ns))
        impl.advance(impl.ctx, 2 * KP_NS_PER_S, NULL, 0, sink, &at_ns);
    impl.close(impl.ctx);
    return cf_adapter_error(adapter);
}

static struct cf_adapter *make(char *script, char **argv, const struct cf_adapter_limits *limits)
{
    static char shell[] = "sh";
    static char flag[] = "-c";

    argv[0] = shell;
    argv[1] = flag;
    argv[2] = script;
    argv[3] = NULL;
    return cf_adapter_new(argv, limits);
}

/* Is it how the text begins, or, from a colon on, how it ends? */
static bool fits(struct kp_text text, const char *why)
{
    size_t len = strlen(why);

    return text.len >= len &&
           memcmp(why[0] == ':' ? text.bytes + text.len - len : text.bytes, why, len) == 0;
}

static enum cf_adapter_error error_of(const char *behaviour, const char *why,
                                      const struct cf_adapter_limits *limits)
{
    char script[4096];
    char *argv[4];
    struct cf_adapter *adapter;
    enum cf_adapter_error error;
    int effects = 0;

    snprintf(script, sizeof script, "%s%s", SAY, behaviour);
    adapter = make(script, argv, limits);
    error = play(adapter, &effects);
    if (!CHECK(fits(cf_adapter_why(adapter), why)))
        printf("    %s\n    got   %.*s\n    want  %s\n", behaviour, KP_ARG(cf_adapter_why(adapter)),
               why);
    cf_adapter_free(adapter);
    return error;
}

static void an_honest_adapter_is_heard(void)
{
    char script[] = SAY "hello; turn 0 \"$effect,$effect\"; turn 1000; turn 1500 \"$effect\"; turn "
                        "2000; say '\"ok\":{}'; read -r line";
    struct cf_adapter *adapter;
    char *argv[4];
    int effects = 0;

    adapter = make(script, argv, &patient);
    CHECK_INT(play(adapter, &effects), CF_ERROR_NONE);
    CHECK_INT(effects, 3);
    CHECK_TEXT(cf_adapter_about(adapter)->name, KP_TEXT("x"));
    CHECK_TEXT(cf_adapter_last_request(adapter), KP_TEXT("{\"id\":6,\"op\":\"close\"}\n"));
    cf_adapter_free(adapter);
}

static const struct {
    enum cf_adapter_error error;
    const char *behaviour;
    const char *why;
} broken_guards[] = {
    {CF_ERROR_UNUSABLE, "exit 0", "it exited with code 0 instead of answering `hello`"},
    {CF_ERROR_UNUSABLE, "id; echo '{\"id\":1,\"ok\":{}}'", "its reply to `hello`: `protocol`"},
    {CF_ERROR_REFUSED, "say '\"error\":{\"code\":\"unsupported\",\"message\":\"1.36? no\"}'",
     "it answered `hello` with the error unsupported: 1.36? no"},
    {CF_ERROR_CRASH, "hello; exit 3", "it exited with code 3 instead of answering `open`"},
    {CF_ERROR_CRASH, "hello; id; kill -SEGV $$", "it was killed by signal 11"},
    {CF_ERROR_CRASH, "hello; id; exec 1>&-; sleep 9",
     "it closed its stdout instead of answering `open`"},
    {CF_ERROR_TIMEOUT, "hello; trap '' TERM; sleep 9", "it did not answer `open` within 1000 ms"},
    {CF_ERROR_TIMEOUT, "hello; id; printf '{\"id\":'; sleep 9",
     "it did not answer `open` within 1000 ms: 6 bytes came, but no newline"},
    {CF_ERROR_CRASH, "hello; id; printf '{\"id\":'; exit 3",
     "it exited with code 3 after 6 bytes of its reply to `open`"},
    {CF_ERROR_PROTOCOL, "hello; id; echo hi",
     "its reply to `open`: column 1: invalid character 'h' looking for beginning of value: "
     "\"hi\"; stdout is for replies alone, one JSON object a line"},
    {CF_ERROR_PROTOCOL, "hello; id; echo 'Loading the model of the year 1.36, please wait'",
     "its reply to `open`: column 1: invalid character 'L' looking for beginning of value: "
     "\"Loading the model of the year 1.36, plea\"..."},
    {CF_ERROR_PROTOCOL, "hello; id; echo '[]'", "its reply to `open`: it is no JSON object"},
    {CF_ERROR_PROTOCOL, "hello; id; printf '{\"id\":\"\\377\"}\\n'", "its reply to `open`: byte 8"},
    {CF_ERROR_PROTOCOL, "hello; id; id=7; echo '{\"id\":7,\"ok\":{}}'",
     "its reply to `open`: `id` is 7, and 2 in the request"},
    {CF_ERROR_PROTOCOL, "hello; id; echo '{\"id\":\"2\",\"ok\":{}}'",
     "its reply to `open`: `id` is \"2\", and 2 in the request"},
    {CF_ERROR_PROTOCOL, "hello; id; echo '{\"ok\":{}}'", "its reply to `open`: `id` is missing"},
    {CF_ERROR_PROTOCOL, "hello; say '\"ok\":{},\"error\":{}'", "its reply to `open`: besides `id`"},
    {CF_ERROR_PROTOCOL, "hello; say '\"ok\":7'",
     "its reply to `open`: `ok` and `error` must be objects"},
    {CF_ERROR_PROTOCOL, "hello; say '\"error\":{\"code\":\"tired\"}'",
     "its reply to `open`: `code` of `error` must be unsupported, bad-request or internal, not "
     "\"tired\""},
    {CF_ERROR_REFUSED, "hello; say '\"error\":{\"code\":\"internal\",\"message\":\"!\"}'",
     "it answered `open` with the error internal: !"},
    {CF_ERROR_PROTOCOL, "hello; say '\"ok\":{\"at\":0,\"effects\":[],\"mood\":1}'",
     "its reply to `open`: `ok` has exactly"},
    {CF_ERROR_PROTOCOL, "hello; turn 0; turn 1000; turn 999 \"$effect\"",
     "its reply to `advance`: time goes back: `at` is 999, the last one 1000"},
    {CF_ERROR_PROTOCOL, "hello; turn 0; turn 1001",
     "its reply to `advance`: `at` is 1001, `to` 1000"},
    {CF_ERROR_PROTOCOL, "hello; turn 0; turn 500",
     "its reply to `advance`: it stopped without effects: `at` is 500, `to` 1000"},
    {CF_ERROR_PROTOCOL, "hello; turn 0 '{\"e\":\"boom\"}'",
     "its reply to `open`: effects[0]: `e` cannot be \"boom\", but probe, result, started, "},
    {CF_ERROR_PROTOCOL,
     "hello; turn 0 "
     "'{\"e\":\"hook\",\"n\":7,\"container\":\"app\",\"cid\":\"c\",\"type\":\"preStop\"}'; "
     "turn 1000 "
     "'{\"e\":\"probe\",\"n\":7,\"container\":\"app\",\"cid\":\"c\",\"type\":\"liveness\","
     "\"attempt\":1}'",
     "its reply to `advance`: effects[0]: `n` is 7, which this case has had"},
    {CF_ERROR_PROTOCOL, "hello; turn 0; turn 1000; turn 2000; turn 2000; say '\"ok\":{\"a\":1}'",
     "its reply to `close`: `ok` must be empty"},
    {CF_ERROR_PROTOCOL,
     "hello; turn 0; turn 1000; id; id=4; r='{\"id\":4,\"ok\":{\"at\":2000,"
     "\"effects\":[]}}'; printf '%s\\n%s\\n' \"$r\" \"$r\"; sleep 1",
     "it said something before `advance` was asked: \"{\\\"id\\\":4,"},
    {CF_ERROR_LIVELOCK,
     "hello; turn 0; e=$effect; for i in 1 2 3 4 5 6 7 8; do e=$e,$e; done; "
     "turn 1000 $e,$e,$e,$e",
     "1024 effects in 1 replies at 1000 ms, and no end"},
    {CF_ERROR_PROTOCOL, "hello; id; head -c 1100000 /dev/zero | tr '\\0' x; echo",
     "its reply to `open`: the line is longer than 1 MiB"},
    {CF_ERROR_TIMEOUT, "hello; cat /dev/zero >&2", "it did not answer `open` within 1000 ms"},
};

static void each_broken_guard_is_named(void)
{
    for (size_t i = 0; i < sizeof broken_guards / sizeof broken_guards[0]; i++)
        CHECK_INT(error_of(broken_guards[i].behaviour, broken_guards[i].why,
                           broken_guards[i].error == CF_ERROR_TIMEOUT ? &hasty : &patient),
                  broken_guards[i].error);
}

static void of_a_real_clock_it_is_said_what_it_may_be(void)
{
    speed = 1000;
    CHECK_INT(
        error_of("hello; turn 0; turn 1001",
                 "its reply to `advance`: `at` is 1001, `to` 1000; what happens after `to` is "
                 "for a later reply",
                 &patient),
        CF_ERROR_PROTOCOL);
    CHECK_INT(
        error_of("hello; turn 0; id; sleep 9", ": does its clock keep to the speed 1000?", &hasty),
        CF_ERROR_TIMEOUT);
    speed = 0;
}

/* Numbers are JSON's: whoever has floats alone may write them so. */
static void an_id_is_a_number_however_it_is_written(void)
{
    CHECK_INT(error_of("id; echo '{\"id\":1.0,\"ok\":{\"protocol\":1e0,\"name\":\"x\",\"layers\":"
                       "[\"probe\"]}}'; id; echo '{\"id\":0.2e1,\"error\":{\"code\":\"internal\","
                       "\"message\":\"!\"}}'",
                       "it answered `open` with the error internal: !", &patient),
              CF_ERROR_REFUSED);
    CHECK_INT(error_of("hello; id; id=2.5; echo '{\"id\":2.5,\"ok\":{}}'",
                       "its reply to `open`: `id` is 2.5, and 2 in the request", &patient),
              CF_ERROR_PROTOCOL);
}

static void what_cannot_be_run_is_unusable(void)
{
    static char absent[] = "/nonexistent/adapter";
    static char plain_file[] = "/etc/passwd";
    char *const names[] = {absent, plain_file};

    for (size_t i = 0; i < 2; i++) {
        char *argv[] = {names[i], NULL};
        struct cf_adapter *adapter = cf_adapter_new(argv, &patient);
        char why[200];
        int effects = 0;

        CHECK_INT(play(adapter, &effects), CF_ERROR_UNUSABLE);
        snprintf(why, sizeof why, "%.*s", KP_ARG(cf_adapter_why(adapter)));
        /* Under valgrind posix_spawn is a fork in disguise, and the failure comes as an exit. */
        CHECK(strstr(why, "cannot run") != NULL || getenv("UNDER_VALGRIND") != NULL);
        cf_adapter_free(adapter);
    }
}

static void after_a_crash_the_next_case_has_a_fresh_process(void)
{
    char script[] = SAY "hello; turn 0; exit 1";
    struct cf_adapter *adapter;
    char *argv[4];
    int effects = 0;

    adapter = make(script, argv, &patient);
    for (int i = 0; i < 3; i++)
        CHECK_INT(play(adapter, &effects), CF_ERROR_CRASH);
    cf_adapter_free(adapter);
}

static void the_end_of_its_log_is_kept(void)
{
    char script[] = SAY "hello; echo 'out of coffee' >&2; exit 1";
    struct cf_adapter *adapter;
    char *argv[4];
    int effects = 0;

    adapter = make(script, argv, &patient);
    play(adapter, &effects);
    CHECK_TEXT(cf_adapter_log(adapter), KP_TEXT("out of coffee\n"));
    cf_adapter_free(adapter);
}

/* Polled: a killed process may take a moment to be gone; a zombie that init has yet to reap is
 * gone too. */
static bool runs(long pid)
{
    for (int i = 0; i < 100 && kill((pid_t)pid, 0) == 0; i++) {
        char path[64];
        char state = 'Z';
        FILE *file;

        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        file = fopen(path, "r");
        if (file == NULL || fscanf(file, "%*d %*s %c", &state) != 1 || state == 'Z') {
            if (file)
                fclose(file);
            return false;
        }
        fclose(file);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return kill((pid_t)pid, 0) == 0;
}

static void children_left_behind_are_killed(void)
{
    char script[] = SAY "sleep 60 & echo $! >&2; hello; exit 1";
    struct cf_adapter *adapter;
    char *argv[4];
    char log[64] = {0};
    long child;
    int effects = 0;

    adapter = make(script, argv, &patient);
    CHECK_INT(play(adapter, &effects), CF_ERROR_CRASH);
    memcpy(log, cf_adapter_log(adapter).bytes, cf_adapter_log(adapter).len % sizeof log);
    child = strtol(log, NULL, 10);
    CHECK(child > 1);
    CHECK(!runs(child));
    cf_adapter_free(adapter);
}

const struct unit_test adapter_test[] = {
    {"an honest adapter is heard", an_honest_adapter_is_heard},
    {"each broken guard is named", each_broken_guard_is_named},
    {"of a real clock it is said what it may be", of_a_real_clock_it_is_said_what_it_may_be},
    {"an id is a number, however it is written", an_id_is_a_number_however_it_is_written},
    {"what cannot be run is unusable", what_cannot_be_run_is_unusable},
    {"after a crash the next case has a fresh process",
     after_a_crash_the_next_case_has_a_fresh_process},
    {"the end of its log is kept", the_end_of_its_log_is_kept},
    {"children left behind are killed", children_left_behind_are_killed},
    {0},
};
