#include "conformance/judge/doctor.h"

#include "conformance/protocol/adapter.h"
#include "conformance/text/cli.h"
#include "conformance/text/say.h"
#include "conformance/text/versions.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES 240 /* of a line that went over the pipe */

struct visit {
    struct cf_adapter *adapter;
    char *const *argv;
    const char *k8s;
    int steps;
    bool has_result; /* it has told one */
    int faults;
};

/* A pod with a readiness probe: what the step of layer probe plays. */
static const char pod_json[] =
    "\"pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u1\","
    "\"creationTimestamp\":\"2024-01-01T00:00:00Z\"},\"spec\":{\"restartPolicy\":\"Always\","
    "\"terminationGracePeriodSeconds\":30,\"containers\":[{\"name\":\"web\",\"image\":\"web\","
    "\"readinessProbe\":{\"tcpSocket\":{\"port\":80},\"initialDelaySeconds\":3,"
    "\"periodSeconds\":10,\"timeoutSeconds\":1,\"successThreshold\":1,\"failureThreshold\":3}}]}}";

/* ---- telling ------------------------------------------------------------------------------ */

static void tell_line(const char *who, struct kp_text line)
{
    size_t shown = line.len > SHOWN_BYTES ? SHOWN_BYTES : line.len;

    while (shown > 0 && line.bytes[shown - 1] == '\n')
        shown--;
    cf_say(stdout, "      %s  %.*s%s\n", who, (int)shown, shown > 0 ? line.bytes : "",
           line.len > SHOWN_BYTES ? "..." : "");
}

static void tell_exchange(const struct visit *visit)
{
    if (cf_adapter_last_request(visit->adapter).len > 0)
        tell_line("sent", cf_adapter_last_request(visit->adapter));
    if (cf_adapter_last_reply(visit->adapter).len > 0)
        tell_line("came", cf_adapter_last_reply(visit->adapter));
}

static void say_log(struct kp_text log)
{
    cf_say(stdout, "      its stderr ends: ");
    cf_say_text(stdout, log);
    if (log.bytes[log.len - 1] != '\n')
        puts("");
}

static void tell_log(struct kp_text log)
{
    if (log.len > 0)
        say_log(log);
}

/* One finding.  advice: what the protocol wants, shown where it is not so.  Returns: ok. */
static bool step(struct visit *visit, bool ok, const char *what, const char *advice)
{
    cf_say(stdout, "%2d  %-6s %s\n", ++visit->steps, ok ? "ok" : "WRONG", what);
    tell_exchange(visit);
    if (ok)
        return true;
    visit->faults++;
    if (cf_adapter_error(visit->adapter) != CF_ERROR_FINE)
        cf_say(stdout, "      why   %.*s\n", (int)cf_adapter_why(visit->adapter).len,
               cf_adapter_why(visit->adapter).bytes);
    tell_log(cf_adapter_log(visit->adapter));
    fputs("      wants ", stdout);
    puts(advice);
    return false;
}

static void skip(struct visit *visit, const char *what)
{
    cf_say(stdout, "%2d  -      %s\n", ++visit->steps, what);
}

/* ---- the steps ---------------------------------------------------------------------------- */

static void begin(struct visit *visit)
{
    struct cf_hello hello = {
        .protocol = CF_PROTOCOL_VERSION, .k8s = kp_text_of(visit->k8s), .seed = 1};

    cf_adapter_begin(visit->adapter);
    cf_adapter_hello(visit->adapter, &hello);
}

static void tell_about(const struct cf_hello_ok *about)
{
    cf_say(stdout, "      it is %.*s %.*s; layers:", (int)about->name.len, about->name.bytes,
           (int)about->version.len, about->version.len ? about->version.bytes : "");
    for (int layer = 0; layer < CF_LAYERS; layer++)
        if (about->layers[layer])
            cf_say(stdout, " %s", cf_layer_name((enum cf_layer)layer));
    cf_say(stdout, "; %zu features; reports", about->features.count);
    for (int kind = 0; kind < CF_EFFECT_KINDS; kind++)
        if (about->observes[kind])
            cf_say(stdout, " %s", cf_word(&cf_effect_words, kind));
    if (about->tier != CF_NO_WORD)
        cf_say(stdout, "; tier %s", cf_tier_name((enum cf_tier)about->tier));
    for (size_t i = 0; i < about->lacks.count; i++)
        cf_say(stdout, "%s%.*s", i > 0 ? ", " : "; lacks ", (int)about->lacks.items[i].len,
               about->lacks.items[i].bytes);
    if (about->real_clock)
        cf_say(stdout, "; real clock, up to %lld times as fast", (long long)about->speed);
    puts("");
}

static bool check_hello(struct visit *visit)
{
    begin(visit);
    if (!step(visit, cf_adapter_error(visit->adapter) == CF_ERROR_FINE, "hello is answered",
              "{\"id\":1,\"ok\":{\"protocol\":1,\"name\":\"...\",\"version\":\"...\","
              "\"k8s\":[\"1.36\"],\n            \"layers\":[\"probe\"],\"features\":[],"
              "\"observes\":[\"probe\",\"result\",\"ready\"],\"clock\":\"virtual\"}}\n"
              "            in one line, flushed, within 10 s; --k8s asks for another version"))
        return false;
    tell_about(cf_adapter_about(visit->adapter));
    return true;
}

/* The adapter goes on after a bad request, and answers it with an error object. */
static void check_unknown_op(struct visit *visit)
{
    cf_adapter_ask(visit->adapter, "dance", KP_TEXT("\"mood\":[]"));
    step(visit, cf_adapter_error(visit->adapter) == CF_ERROR_REFUSED,
         "an op that it does not know is refused",
         "{\"id\":2,\"error\":{\"code\":\"unsupported\",\"message\":\"...\"}}, and life goes on");
    begin(visit);
}

static void check_port(struct visit *visit)
{
    struct cf_arena arena;
    struct cf_reader reader = {.arena = &arena};
    const struct cf_node *ok;
    const struct cf_node *port;
    int64_t number = 0;

    if (!cf_adapter_about(visit->adapter)->layers[CF_LAYER_PORT]) {
        skip(visit, "layer port is not claimed");
        return;
    }
    cf_arena_init(&arena, cf_libc_mem());
    ok = cf_adapter_ask(visit->adapter, "port",
                        KP_TEXT("\"port\":\"http\",\"ports\":[{\"name\":\"http\","
                                "\"containerPort\":8080,\"protocol\":\"TCP\"}]"));
    port = ok ? cf_node_find(ok, "port") : NULL;
    step(visit,
         ok && cf_check_answer(&reader, CF_LAYER_PORT, ok) && port &&
             cf_number_int(port, &number) && number == 8080,
         "a named port is resolved",
         "\"ok\":{\"port\":8080}; {\"invalid\":\"text\"} where there is none");
    if (reader.why.len > 0)
        cf_say(stdout, "      why   %.*s\n", (int)reader.why.len, reader.why.bytes);
    cf_arena_deinit(&arena);
}

static const struct cf_node *ask(struct visit *visit, const char *op, const char *members)
{
    return cf_adapter_ask(visit->adapter, op, kp_text_of(members));
}

/* The shape of a reply to open and advance: `at`, and a list of objects with a known `e`. */
static bool is_turn(const struct cf_node *ok, int64_t *at_ms)
{
    const struct cf_node *at = ok ? cf_node_find(ok, "at") : NULL;
    const struct cf_node *effects = ok ? cf_node_find(ok, "effects") : NULL;

    if (!at || !cf_number_int(at, at_ms) || !effects || effects->kind != CF_LIST || ok->count != 2)
        return false;
    for (const struct cf_node *effect = effects->first; effect; effect = effect->next) {
        const struct cf_node *kind = cf_node_find(effect, "e");

        if (!kind || kind->kind != CF_STRING ||
            cf_find_word(&cf_effect_words, kind->text) == CF_NO_WORD)
            return false;
    }
    return true;
}

/* The first effect of a kind, or NULL. */
static const struct cf_node *find_effect(const struct cf_node *ok, enum kp_effect_kind kind)
{
    const struct cf_node *effect = cf_node_find(ok, "effects")->first;

    while (effect && cf_find_word(&cf_effect_words, cf_node_find(effect, "e")->text) != (int)kind)
        effect = effect->next;
    return effect;
}

/* The `n` of the first probe among the effects, or -1. */
static int64_t find_probe(const struct cf_node *ok)
{
    const struct cf_node *probe = find_effect(ok, KP_EFFECT_PROBE);
    const struct cf_node *n = probe ? cf_node_find(probe, "n") : NULL;
    int64_t number;

    return n && cf_number_int(n, &number) ? number : -1;
}

static const char turn_advice[] =
    "\"ok\":{\"at\":MS,\"effects\":[{\"e\":\"probe\",\"n\":1,\"container\":\"web\","
    "\"cid\":\"c1\",\"type\":\"readiness\",\"attempt\":1}]}";

/* Goes on until a probe begins; `at` must come to rest at `to`.  -1: none did, or it is wrong. */
static int64_t await_probe(struct visit *visit, int64_t *at_ms)
{
    for (int round = 0; round < 20 && *at_ms < 30000; round++) {
        const struct cf_node *ok = ask(visit, "advance", "\"to\":30000,\"events\":[]");
        int64_t before_ms = *at_ms;
        int64_t n;

        if (!is_turn(ok, at_ms) || *at_ms < before_ms || *at_ms > 30000)
            return -1;
        visit->has_result |= find_effect(ok, KP_EFFECT_RESULT) != NULL;
        n = find_probe(ok);
        if (n >= 0)
            return n;
    }
    return -1;
}

static void play_answer(struct visit *visit, int64_t n, int64_t at_ms)
{
    char members[160];
    int64_t then_ms;

    snprintf(members, sizeof members,
             "\"to\":%lld,\"events\":[{\"e\":\"answer\",\"n\":%lld,\"result\":\"success\"}]",
             (long long)at_ms, (long long)n);
    if (!step(visit, is_turn(ask(visit, "advance", members), &then_ms) && then_ms == at_ms,
              "the answer is taken at the same instant",
              "\"at\" as before, and what follows from the answer: a result, ready"))
        return;
    snprintf(members, sizeof members, "\"to\":%lld,\"events\":[{\"e\":\"from-the-future\"}]",
             (long long)at_ms);
    step(visit, is_turn(ask(visit, "advance", members), &then_ms),
         "an event of an unknown kind is ignored", turn_advice);
}

/* Who does not tell it, and does not say that it is another, is judged as if it had none. */
static void check_first_value(struct visit *visit)
{
    const struct cf_hello_ok *about = cf_adapter_about(visit->adapter);

    if (about->observes[KP_EFFECT_RESULT] && about->initial[KP_READINESS] == CF_NO_WORD)
        step(visit, visit->has_result, "what its result is before the first answer is told",
             "with that probe or before it {\"e\":\"result\",\"container\":\"web\",\"cid\":\"c1\","
             "\"type\":\"readiness\",\"value\":\"failure\"} (of liveness success, of startup "
             "unknown); or in hello \"initial\":{\"readiness\":\"unknown\"}");
}

static void check_probe(struct visit *visit)
{
    static const char running[] = "\"to\":2300,\"events\":[{\"e\":\"running\","
                                  "\"container\":\"web\",\"cid\":\"c1\",\"restarts\":0}]";
    char open[900];
    const struct cf_node *ok;
    int64_t at_ms = 0;
    int64_t n;

    if (!cf_adapter_about(visit->adapter)->layers[CF_LAYER_PROBE]) {
        skip(visit, "layer probe is not claimed");
        return;
    }
    snprintf(open, sizeof open,
             "\"layer\":\"probe\",%s,\"uptime\":120500,\"wall\":0,\"jitter\":\"none\","
             "\"requeueJitter\":0,\"syncFrequency\":60000",
             pod_json);
    if (!step(visit, is_turn(ask(visit, "open", open), &at_ms) && at_ms == 0, "a pod is opened",
              "\"ok\":{\"at\":0,\"effects\":[...]}: what happens at time 0, before any event") ||
        !step(visit, is_turn(ask(visit, "advance", "\"to\":2300,\"events\":[]"), &at_ms),
              "time advances where nothing happens", "\"ok\":{\"at\":2300,\"effects\":[]}"))
        return;
    ok = ask(visit, "advance", running);
    if (!step(visit, is_turn(ok, &at_ms), "its container runs", turn_advice))
        return;
    visit->has_result = find_effect(ok, KP_EFFECT_RESULT) != NULL;
    n = await_probe(visit, &at_ms);
    if (!step(visit, n >= 0, "a probe begins within half a minute", turn_advice))
        return;
    check_first_value(visit);
    play_answer(visit, n, at_ms);
    step(visit, ask(visit, "close", "") != NULL, "the case is closed", "\"ok\":{}");
}

/* No port is a question that every implementation answers alike, and without a server. */
static void check_fire(struct visit *visit)
{
    const struct cf_node *ok;
    const struct cf_node *result;

    if (!cf_adapter_about(visit->adapter)->layers[CF_LAYER_FIRE]) {
        skip(visit, "layer fire is not claimed");
        return;
    }
    ok = ask(visit, "fire",
             "\"probe\":{\"tcpSocket\":{\"port\":0}},\"env\":[],\"ports\":[],"
             "\"podIP\":\"127.0.0.1\",\"timeout\":1000");
    result = ok ? cf_node_find(ok, "result") : NULL;
    step(visit,
         result && kp_text_equal(result->text, KP_TEXT("unknown")) && cf_node_find(ok, "error"),
         "a probe of port 0 is an error",
         "\"ok\":{\"result\":\"unknown\",\"error\":\"invalid port number: 0\"}");
}

static void check_end(struct visit *visit)
{
    if (cf_adapter_error(visit->adapter) == CF_ERROR_FINE)
        puts("    its input is closed now: it should leave by itself");
}

/* ---- the command -------------------------------------------------------------------------- */

static int look(struct visit *visit)
{
    bool greeted = check_hello(visit);

    if (greeted) {
        check_unknown_op(visit);
        check_port(visit);
        check_probe(visit);
        check_fire(visit);
        check_end(visit);
    }
    cf_adapter_free(visit->adapter);
    cf_process_sweep();
    if (visit->faults == 0) {
        cf_say(stdout, "\nIt speaks the protocol. Whether it is right, `probetest run --k8s %s --",
               visit->k8s);
        for (char *const *word = visit->argv; *word; word++)
            cf_say(stdout, " %s", *word);
        puts("` tells.");
    } else {
        cf_say(stdout,
               "\n%d of %d steps went wrong; protocol.md has each message with an example "
               "(in the\nsource conformance/, in the Debian package /usr/share/doc/probetest/).\n",
               visit->faults, visit->steps);
    }
    return visit->faults == 0 ? CF_EXIT_OK : greeted ? CF_EXIT_FAILED : CF_EXIT_ADAPTER;
}

int cf_doctor_command(int argc, char **argv)
{
    const char *version = KP_NEWEST;
    const struct cf_option options[] = {{"k8s", .word = &version}, {0}};
    struct cf_versions one;
    struct visit visit = {0};
    int exit = cf_read_options_before("doctor", argc, argv, options, NULL);

    if (exit >= 0)
        return exit;
    if (!cf_versions_read(&one, version) || one.count != 1)
        return cf_usage("doctor", "--k8s: '%s' is no version from 1.%d to 1.%d", version,
                        KP_MINOR_MIN, KP_MINOR_MAX);
    visit.k8s = one.list[0].name;
    if (optind == argc)
        return cf_usage("doctor", "of which adapter? say -- COMMAND ARGS...");
    visit.argv = argv + optind;
    visit.adapter = cf_adapter_new(visit.argv, NULL);
    cf_process_setup();
    return look(&visit);
}
