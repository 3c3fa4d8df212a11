/*
 * doctor.c: `probetest doctor -- ADAPTER`: looks at an adapter step by step and teaches: what was
 * sent, what came, what the protocol wanted.
 */
#include "conformance/judge/run.h"
#include "conformance/pod/pod_decode.h"
#include "conformance/protocol/adapter.h"
#include "conformance/protocol/stored_pod.h"
#include "conformance/text/cli.h"
#include "conformance/text/print.h"
#include "conformance/text/versions.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES 240 /* of a line that went over the pipe */

struct visit {
    struct cf_adapter *adapter;
    char *const *argv;
    const char *k8s;
    bool k8s_said; /* on the command line; else the newest that it plays is looked at */
    struct cf_versions minors;
    struct kp_profile profile;
    struct cf_arena arena;
    int steps;
    int faults;
    struct cf_out printed; /* the request that was printed last */
    /* of the pod that is played */
    const struct kp_pod *pod;
    enum kp_probe_type type;
    int64_t now_ns;
    bool has_result; /* it has reported one */
    bool has_probe;
    uint32_t n; /* of its first probe */
    bool has_start;
    bool has_sandbox;
    struct kp_event sandbox; /* the acknowledgement that is due */
};

/* ---- printing ----------------------------------------------------------------------------- */

static void print_line(const char *who, struct kp_text line)
{
    size_t shown = line.len > SHOWN_BYTES ? SHOWN_BYTES : line.len;

    while (shown > 0 && line.bytes[shown - 1] == '\n')
        shown--;
    cf_print(stdout, "      %s  %.*s%s\n", who, (int)shown, shown > 0 ? line.bytes : "",
             line.len > SHOWN_BYTES ? "..." : "");
}

/* The last one, unless it is there already: several steps may look at it. */
static void print_exchange(struct visit *visit)
{
    struct kp_text request = cf_adapter_last_request(visit->adapter);

    if (kp_text_equal(request, cf_out_text(&visit->printed)))
        return;
    cf_out_clear(&visit->printed);
    cf_out_put(&visit->printed, request);
    if (cf_adapter_last_request(visit->adapter).len > 0)
        print_line("sent", cf_adapter_last_request(visit->adapter));
    if (cf_adapter_last_reply(visit->adapter).len > 0)
        print_line("came", cf_adapter_last_reply(visit->adapter));
}

static void print_log(struct kp_text log)
{
    if (log.len == 0)
        return;
    cf_print(stdout, "      its stderr ends: ");
    cf_print_text(stdout, log);
    if (log.bytes[log.len - 1] != '\n')
        puts("");
}

/* One finding.  advice: what the protocol wants, shown where it is not so.  Returns: ok. */
static bool step(struct visit *visit, bool ok, const char *what, const char *advice)
{
    cf_print(stdout, "%2d  %-6s %s\n", ++visit->steps, ok ? "ok" : "WRONG", what);
    print_exchange(visit);
    if (ok)
        return true;
    visit->faults++;
    if (cf_adapter_error(visit->adapter) != CF_ERROR_NONE)
        cf_print(stdout, "      why   %.*s\n", KP_ARG(cf_adapter_why(visit->adapter)));
    print_log(cf_adapter_log(visit->adapter));
    fputs("      wants ", stdout);
    puts(advice);
    return false;
}

static void skip(struct visit *visit, const char *what)
{
    cf_print(stdout, "%2d  -      %s\n", ++visit->steps, what);
}

/* ---- the steps ---------------------------------------------------------------------------- */

static void begin(struct visit *visit)
{
    struct cf_hello hello = {
        .protocol = CF_PROTOCOL_VERSION, .k8s = kp_text_of(visit->k8s), .seed = 1};

    cf_adapter_begin(visit->adapter);
    cf_adapter_hello(visit->adapter, &hello);
}

static bool is_fine(const struct visit *visit)
{
    return cf_adapter_error(visit->adapter) == CF_ERROR_NONE;
}

/* The next thing is looked at whatever became of the one before. */
static void begin_again(struct visit *visit)
{
    if (!is_fine(visit))
        begin(visit);
}

static void print_about(const struct cf_hello_ok *about)
{
    struct cf_out tiers = {0};

    cf_print(stdout, "      it is %.*s %.*s; layers:", KP_ARG(about->name), (int)about->version.len,
             about->version.len ? about->version.bytes : "");
    for (int layer = 0; layer < CF_LAYERS; layer++)
        if (about->layers[layer])
            cf_print(stdout, " %s", cf_layer_name((enum cf_layer)layer));
    cf_print(stdout, "; %zu features; reports", about->features.count);
    for (int kind = 0; kind < CF_EFFECT_KINDS; kind++)
        if (about->observes[kind])
            cf_print(stdout, " %s", cf_word(&cf_effect_words, kind));
    cf_put_tiers(&tiers, about);
    cf_print(stdout, "%s%.*s", tiers.len > 0 ? "; " : "", KP_ARG(cf_out_text(&tiers)));
    cf_out_deinit(&tiers);
    for (size_t i = 0; i < about->lacks.count; i++)
        cf_print(stdout, "%s%.*s", i > 0 ? ", " : "; lacks ", KP_ARG(about->lacks.items[i]));
    if (about->real_clock)
        cf_print(stdout, "; real clock, up to %lld times as fast", (long long)about->speed);
    puts("");
}

static bool plays_version(const struct visit *visit)
{
    const struct cf_hello_ok *about = cf_adapter_about(visit->adapter);

    return is_fine(visit) &&
           (about->k8s.count == 0 || cf_version_listed(&about->k8s, &visit->profile));
}

static void greet(struct visit *visit, const char *k8s)
{
    visit->k8s = k8s;
    if (kp_profile_init(&visit->profile, kp_text_of(k8s)) == KP_OK)
        begin(visit);
}

/* The newest minor that it plays; that which it was greeted with if there is none. */
static void find_version(struct visit *visit)
{
    const char *first = visit->k8s;
    struct cf_versions *minors = &visit->minors;

    if (!cf_versions_read(minors, "all", NULL))
        return;
    for (size_t i = minors->count; i > 0 && !plays_version(visit); i--)
        if (is_fine(visit) || cf_adapter_declined(visit->adapter))
            greet(visit, minors->list[i - 1].name);
    if (!plays_version(visit))
        greet(visit, first);
}

static bool check_hello(struct visit *visit)
{
    const char *wanted = visit->k8s;
    bool greeted;

    begin(visit);
    if (!visit->k8s_said)
        find_version(visit);
    greeted = step(visit, is_fine(visit), "hello is answered",
                   "{\"id\":1,\"ok\":{\"protocol\":1,\"name\":\"...\",\"version\":\"...\","
                   "\"k8s\":[\"1.36\"],\n            \"layers\":[\"probe\"],\"features\":[],"
                   "\"observes\":[\"probe\",\"result\",\"ready\"],\"clock\":\"virtual\"}}\n"
                   "            in one line, flushed, within 10 s");
    if (greeted)
        print_about(cf_adapter_about(visit->adapter));
    else if (cf_adapter_declined(visit->adapter))
        find_version(visit);
    if (strcmp(visit->k8s, wanted) != 0)
        cf_print(stdout, "      it does not play %s; it does %s: --k8s %s\n", wanted, visit->k8s,
                 visit->k8s);
    return greeted;
}

/* The adapter goes on after a bad request, and answers it with an error object. */
static void check_unknown_op(struct visit *visit)
{
    cf_adapter_ask(visit->adapter, "no-such-op", KP_TEXT_NONE);
    step(visit, cf_adapter_error(visit->adapter) == CF_ERROR_REFUSED,
         "an op that it does not know is refused",
         "{\"id\":2,\"error\":{\"code\":\"unsupported\",\"message\":\"...\"}}, and life goes on");
    begin(visit);
}

static const struct cf_node *ask(struct visit *visit, const char *op, const char *members)
{
    return cf_adapter_ask(visit->adapter, op, kp_text_of(members));
}

static void check_port(struct visit *visit)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_reader reader = {.arena = &arena};
    const struct cf_node *ok;
    const struct cf_node *port;
    int64_t number = 0;

    if (!cf_adapter_about(visit->adapter)->layers[CF_LAYER_PORT]) {
        skip(visit, "layer port is not claimed");
        return;
    }
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
        cf_print(stdout, "      why   %.*s\n", KP_ARG(reader.why));
    cf_arena_deinit(&arena);
}

/* ---- a pod that is played ------------------------------------------------------------------- */

/* With the probe that it has; none: every type is lacked. */
static bool make_pod(struct visit *visit)
{
    static const char *const members[KP_PROBE_TYPES] = {
        [KP_LIVENESS] = "liveness", [KP_READINESS] = "readiness", [KP_STARTUP] = "startup"};
    static const enum kp_probe_type by_choice[] = {KP_READINESS, KP_LIVENESS, KP_STARTUP};
    const struct cf_hello_ok *about = cf_adapter_about(visit->adapter);
    const struct kp_profile as_given = cf_as_stored(&visit->profile);
    struct cf_reader reader = {.arena = &visit->arena};
    struct cf_pod pod = {0};
    struct cf_node *tree;
    size_t i = 0;

    while (i < KP_PROBE_TYPES && cf_listed(&about->lacks, kp_text_of(members[by_choice[i]])))
        i++;
    if (i == KP_PROBE_TYPES)
        return false;
    visit->type = by_choice[i];
    tree = cf_read_line(
        &reader,
        cf_arena_format(
            &visit->arena,
            "{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u1\","
            "\"creationTimestamp\":\"2024-01-01T00:00:00Z\"},\"spec\":{\"restartPolicy\":"
            "\"Always\",\"terminationGracePeriodSeconds\":30,\"containers\":[{\"name\":"
            "\"web\",\"image\":\"web\",\"%sProbe\":{\"tcpSocket\":{\"port\":80},"
            "\"initialDelaySeconds\":%d,\"periodSeconds\":10,\"timeoutSeconds\":1,"
            "\"successThreshold\":1,\"failureThreshold\":3}}]}}",
            members[visit->type], cf_listed(&about->lacks, KP_TEXT("initial-delay")) ? 0 : 3));
    if (!tree || cf_pod_decode(&visit->arena, &as_given, tree, &pod) != KP_OK)
        return false;
    visit->pod = pod.pod;
    return pod.pod != NULL;
}

/* What it emits; of an instance it may speak once that runs. */
static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct visit *visit = ctx;
    bool of_instance = effect->kind == KP_EFFECT_PROBE || effect->kind == KP_EFFECT_RESULT;

    if (of_instance && !kp_text_equal(effect->cid, KP_TEXT("c1"))) {
        cf_adapter_break(visit->adapter, CF_ERROR_PROTOCOL,
                         KP_TEXT("an effect of an instance that does not run: its `cid` is c1"));
        return;
    }
    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        if (!visit->has_probe)
            visit->n = effect->u.probe.n;
        visit->has_probe = true;
        break;
    case KP_EFFECT_RESULT:
        visit->has_result = true;
        break;
    case KP_EFFECT_START:
        visit->has_start = true;
        break;
    case KP_EFFECT_SANDBOX:
        visit->has_sandbox = true;
        visit->sandbox = (struct kp_event){.kind = KP_EVENT_SANDBOX, .container = -1};
        visit->sandbox.u.sandbox.what = effect->u.sandbox.what;
        visit->sandbox.u.sandbox.attempt = effect->u.sandbox.attempt;
        break;
    default:
        break;
    }
}

static bool open_pod(struct visit *visit, enum cf_layer layer)
{
    struct fake_impl impl = cf_adapter_impl(visit->adapter);
    const struct cf_hello_ok *about = cf_adapter_about(visit->adapter);
    const struct fake_open open = {
        .layer = layer == CF_LAYER_POD ? FAKE_LAYER_POD : FAKE_LAYER_PROBE,
        .profile = &visit->profile,
        .pods = &visit->pod,
        .pod_count = 1,
        .uptime_ns = 120500 * KP_NS_PER_MS,
        .sync_frequency_ns = 60 * KP_NS_PER_S,
        .speed = about->real_clock ? about->speed : 0,
    };

    visit->has_result = visit->has_probe = visit->has_start = visit->has_sandbox = false;
    visit->now_ns = 0;
    return impl.open(impl.ctx, &open, (struct kp_sink){on_effect, visit}, &visit->now_ns) &&
           is_fine(visit);
}

static bool advance(struct visit *visit, int64_t to_ns, const struct kp_event *event)
{
    struct fake_impl impl = cf_adapter_impl(visit->adapter);

    return impl.advance(impl.ctx, to_ns, event, event ? 1 : 0, (struct kp_sink){on_effect, visit},
                        &visit->now_ns) &&
           is_fine(visit);
}

/* Goes on until it has happened, acknowledging what is requested of the sandbox. */
static bool await(struct visit *visit, int64_t to_ns, const bool *happened)
{
    while (!*happened && (visit->now_ns < to_ns || visit->has_sandbox)) {
        const struct kp_event sandbox = visit->sandbox;
        bool acknowledges = visit->has_sandbox;

        visit->has_sandbox = false;
        if (!advance(visit, acknowledges ? visit->now_ns : to_ns, acknowledges ? &sandbox : NULL))
            return false;
    }
    return *happened;
}

static bool play_start(struct visit *visit, enum cf_layer layer)
{
    const struct kp_event running = {.kind = KP_EVENT_RUNNING, .cid = KP_TEXT("c1")};
    const bool never = false;

    if (layer == CF_LAYER_PROBE) {
        await(visit, 2300 * KP_NS_PER_MS, &never);
        if (!step(visit, is_fine(visit), "time advances where nothing happens",
                  "\"ok\":{\"at\":2300,\"effects\":[]}"))
            return false;
    } else if (!step(visit, await(visit, 10 * KP_NS_PER_S, &visit->has_start),
                     "it asks that the container is started",
                     "{\"e\":\"start\",\"container\":\"web\",\"restart\":0} at 0, or once "
                     "the `sandbox` that it asked for is acknowledged")) {
        return false;
    }
    return step(visit, advance(visit, visit->now_ns, &running), "its container runs",
                "\"ok\":{\"at\":MS,\"effects\":[...]}: what follows from it, or []");
}

static void play_answer(struct visit *visit)
{
    const struct kp_event answer = {
        .kind = KP_EVENT_ANSWER, .container = -1, .u.answer = {visit->n, KP_ANSWER_SUCCESS, 0}};
    char members[100];

    if (!step(visit, advance(visit, visit->now_ns, &answer),
              "the answer is taken at the same instant",
              "\"at\" as before, and what follows from the answer: a result, ready"))
        return;
    snprintf(members, sizeof members, "\"to\":%lld,\"events\":[{\"e\":\"from-the-future\"}]",
             (long long)(visit->now_ns / KP_NS_PER_MS));
    step(visit, ask(visit, "advance", members) != NULL, "an event of an unknown kind is ignored",
         "\"ok\":{\"at\":MS,\"effects\":[...]}");
}

/* Who does not report it, and does not say that it is another, is judged as if it had none. */
static void check_first_value(struct visit *visit)
{
    static const char *const firsts[KP_PROBE_TYPES] = {
        [KP_LIVENESS] = "success", [KP_READINESS] = "failure", [KP_STARTUP] = "unknown"};
    const struct cf_hello_ok *about = cf_adapter_about(visit->adapter);
    const char *type = cf_word(&cf_probe_type_words, visit->type);
    char advice[240];

    if (!about->observes[KP_EFFECT_RESULT] || about->initial[visit->type] != CF_NO_WORD)
        return;
    snprintf(advice, sizeof advice,
             "with that probe or before it {\"e\":\"result\",\"container\":\"web\",\"cid\":"
             "\"c1\",\"type\":\"%s\",\"value\":\"%s\"}, or in hello "
             "\"initial\":{\"%s\":\"unknown\"}",
             type, firsts[visit->type], type);
    step(visit, visit->has_result, "what its result is before the first answer is told", advice);
}

static void check_pod(struct visit *visit, enum cf_layer layer)
{
    char what[80];
    char advice[200];

    if (!cf_adapter_about(visit->adapter)->layers[layer]) {
        snprintf(what, sizeof what, "layer %s is not claimed", cf_layer_name(layer));
        skip(visit, what);
        return;
    }
    if (!make_pod(visit)) {
        skip(visit, "it lacks probes of every type");
        return;
    }
    snprintf(what, sizeof what, "a pod is opened in layer %s", cf_layer_name(layer));
    if (!step(visit, open_pod(visit, layer), what,
              "\"ok\":{\"at\":0,\"effects\":[...]}: what happens at time 0, before any event") ||
        !play_start(visit, layer))
        return;
    snprintf(advice, sizeof advice,
             "\"ok\":{\"at\":MS,\"effects\":[{\"e\":\"probe\",\"n\":1,\"container\":\"web\","
             "\"cid\":\"c1\",\"type\":\"%s\",\"attempt\":1}]}",
             cf_word(&cf_probe_type_words, visit->type));
    if (!step(visit, await(visit, visit->now_ns + 30 * KP_NS_PER_S, &visit->has_probe),
              "a probe begins within half a minute", advice))
        return;
    check_first_value(visit);
    play_answer(visit);
    step(visit, ask(visit, "close", "") != NULL, "the case is closed", "\"ok\":{}");
}

/* What can be judged of what it says of itself? */
static void check_claims(struct visit *visit)
{
    const struct cf_hello_ok *about = cf_adapter_about(visit->adapter);
    char what[60];
    bool any = false;

    for (int layer = 0; layer < CF_LAYERS; layer++)
        any |= about->layers[layer];
    if (!any)
        step(visit, false, "it claims a layer", "\"layers\":[\"probe\"], or others: protocol.md");
    snprintf(what, sizeof what, "it plays Kubernetes %s", visit->k8s);
    if (about->k8s.count > 0 && !cf_version_listed(&about->k8s, &visit->profile))
        step(visit, false, what, "that version in `k8s`; or ask for one of those with --k8s");
    any = !about->layers[CF_LAYER_PROBE] && !about->layers[CF_LAYER_POD];
    for (int kind = 0; kind < CF_EFFECT_KINDS; kind++)
        any |= about->observes[kind];
    if (!any)
        step(visit, false, "it reports effects",
             "those that it reports in `observes`: \"probe\", \"result\", \"started\", \"ready\"; "
             "without `observes` all count as reported");
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

/* Its input is closed: does it go? */
static void check_end(struct visit *visit)
{
    if (is_fine(visit))
        step(visit, cf_adapter_leave(visit->adapter), "it leaves when its input ends",
             "an exit once stdin is at its end, within the time of a reply");
}

/* ---- the command -------------------------------------------------------------------------- */

static int look(struct visit *visit)
{
    bool greeted = check_hello(visit);

    if (greeted) {
        check_claims(visit);
        check_unknown_op(visit);
        check_port(visit);
        begin_again(visit);
        check_pod(visit, CF_LAYER_PROBE);
        begin_again(visit);
        check_pod(visit, CF_LAYER_POD);
        begin_again(visit);
        check_fire(visit);
        check_end(visit);
    }
    cf_adapter_free(visit->adapter);
    cf_process_sweep();
    if (visit->faults == 0) {
        cf_print(stdout,
                 "\nIt speaks the protocol. Whether it is right, `probetest run --k8s %s --",
                 visit->k8s);
        for (char *const *word = visit->argv; *word; word++)
            cf_print(stdout, " %s", *word);
        puts("` tells.");
    } else {
        cf_print(
            stdout,
            "\n%d of %d steps went wrong; protocol.md has each message with an example "
            "(in the\nsource conformance/, in the Debian package /usr/share/doc/probetest/).\n",
            visit->faults, visit->steps);
    }
    return visit->faults == 0 ? CF_EXIT_OK : greeted ? CF_EXIT_FAILED : CF_EXIT_ADAPTER;
}

int cf_doctor_command(int argc, char **argv)
{
    const char *version = NULL;
    struct cf_adapter_limits limits = {.reply_ms = 5000};
    const struct cf_option options[] = {
        {"k8s", .word = &version},
        {"timeout", .number = &limits.reply_ms, .max = CF_TIMEOUT_MAX_MS},
        {0}};
    struct cf_versions one;
    struct kp_text bad = KP_TEXT_NONE;
    struct visit visit = {0};
    int exit = cf_read_options_before("doctor", argc, argv, options, NULL);

    if (exit >= 0)
        return exit;
    visit.k8s = one.list[0].name;
    visit.k8s_said = version != NULL;
    if (!cf_versions_read(&one, version ? version : KP_NEWEST, &bad) ||
        kp_profile_init(&visit.profile, kp_text_of(visit.k8s)) != KP_OK)
        return cf_usage_version("doctor", bad);
    if (one.count != 1)
        return cf_usage("doctor", "--k8s: '%s' is more than one version", version);
    if (optind == argc)
        return cf_usage("doctor", "of which adapter? say -- COMMAND ARGS...");
    for (int i = optind; i < argc && strcmp(argv[optind - 1], "--") != 0; i++)
        if (strcmp(argv[i], "--") == 0)
            return cf_usage("doctor", "'%s' stands before --: it takes no selection", argv[optind]);
    limits.hello_ms = 2 * limits.reply_ms;
    limits.patience_ms = limits.reply_ms;
    visit.argv = argv + optind;
    visit.adapter = cf_adapter_new(visit.argv, &limits);
    visit.arena = (struct cf_arena){.mem = cf_libc_mem()};
    cf_process_setup();
    exit = look(&visit);
    cf_arena_deinit(&visit.arena);
    cf_out_deinit(&visit.printed);
    return exit;
}
