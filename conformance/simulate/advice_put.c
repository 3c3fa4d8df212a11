/* advice_put.c: changes as YAML to paste, and as a strategic merge patch. */
#include "conformance/simulate/advice.h"
#include "conformance/text/human.h"

#include <string.h>

static const char *const fields[] = {"livenessProbe", "readinessProbe", "startupProbe"};

static void put_port(struct cf_out *out, const struct kp_int_or_string *port)
{
    if (port->kind == KP_INTSTR_STRING)
        cf_out_put_json(out, port->string);
    else
        cf_out_put_int(out, port->number);
}

void cf_advice_put_handler(struct cf_out *out, const struct kp_handler *handler)
{
    if (handler->exec) {
        cf_out_put_string(out, "exec: {command: [");
        for (size_t i = 0; i < handler->exec->command.count; i++) {
            cf_out_put_string(out, i > 0 ? ", " : "");
            cf_out_put_json(out, handler->exec->command.items[i]);
        }
        cf_out_put_string(out, "]}");
    } else if (handler->sleep) {
        cf_out_printf(out, "sleep: {seconds: %lld}", (long long)handler->sleep->seconds);
    } else if (handler->http_get) {
        const struct kp_http_get_action *get = handler->http_get;

        cf_out_put_string(out, "httpGet: {path: ");
        cf_out_put_json(out, get->path);
        cf_out_put_string(out, ", port: ");
        put_port(out, &get->port);
        if (get->host.len > 0) {
            cf_out_put_string(out, ", host: ");
            cf_out_put_json(out, get->host);
        }
        if (!kp_text_equal(get->scheme, KP_TEXT("HTTP"))) {
            cf_out_put_string(out, ", scheme: ");
            cf_out_put(out, get->scheme);
        }
        for (size_t i = 0; i < get->header_count; i++) {
            cf_out_put_string(out, i == 0 ? ", httpHeaders: [{name: " : ", {name: ");
            cf_out_put_json(out, get->headers[i].name);
            cf_out_put_string(out, ", value: ");
            cf_out_put_json(out, get->headers[i].value);
            cf_out_put_string(out, i + 1 == get->header_count ? "}]" : "}");
        }
        cf_out_put_char(out, '}');
    } else if (handler->tcp_socket) {
        cf_out_put_string(out, "tcpSocket: {port: ");
        put_port(out, &handler->tcp_socket->port);
        if (handler->tcp_socket->host.len > 0) {
            cf_out_put_string(out, ", host: ");
            cf_out_put_json(out, handler->tcp_socket->host);
        }
        cf_out_put_char(out, '}');
    } else if (handler->grpc) {
        cf_out_printf(out, "grpc: {port: %d", (int)handler->grpc->port);
        if (handler->grpc->has_service && handler->grpc->service.len > 0) {
            cf_out_put_string(out, ", service: ");
            cf_out_put_json(out, handler->grpc->service);
        }
        cf_out_put_char(out, '}');
    }
}

/* In the place of the hook that there is: of a union only one member may stand. */
static void put_hook(struct cf_out *out, const struct kp_handler *before,
                     const struct kp_handler *hook)
{
    cf_out_put_string(out, "lifecycle: {preStop: {");
    if (before && before->exec && !hook->exec)
        cf_out_put_string(out, "exec: null, ");
    if (before && before->sleep && !hook->sleep)
        cf_out_put_string(out, "sleep: null, ");
    cf_advice_put_handler(out, hook);
    cf_out_put_string(out, "}}");
}

/* A comment behind what was written of a line, or below it where there is no room. */
static void put_comment(struct cf_out *out, int indent, struct kp_text words)
{
    struct kp_text line = cf_out_text(out);

    while (memchr(line.bytes, '\n', line.len))
        line = kp_text_from(
            line, (size_t)((const char *)memchr(line.bytes, '\n', line.len) + 1 - line.bytes));
    if (cf_columns_of(line) + 4 + cf_columns_of(words) > CF_COLUMNS)
        cf_out_printf(out, "\n%*s# %.*s", indent, "", KP_ARG(words));
    else
        cf_out_printf(out, "  # %.*s", KP_ARG(words));
}

/* What it costs to tolerate an outage, a slow answer, or one failure: a hang looks like one. */
static bool costs(const struct cf_change *change)
{
    return change->late_ns != KP_NEVER && change->late_before_ns != KP_NEVER &&
           change->late_ns != change->late_before_ns;
}

static void put_cost(struct cf_out *out, const struct cf_change *change)
{
    cf_out_printf(out, "but what hangs %s up to ",
                  change->type == KP_READINESS ? "stays in the Service for" : "is killed after");
    cf_put_duration(out, change->late_ns, true);
    cf_out_put_string(out, ", not ");
    cf_put_duration(out, change->late_before_ns, true);
}

static void put_least(struct cf_out *out, const struct cf_change *change)
{
    cf_out_printf(out, "minimum %d", (int)change->least_value);
    if (change->least_ns > 0) {
        cf_out_put_string(out, " (");
        cf_put_duration(out, change->least_ns, false);
        cf_out_put_char(out, ')');
    }
    cf_out_put_string(out, ", a quarter to spare");
}

enum note { NOTE_LEAST, NOTE_OWN, NOTE_COST, NOTE_PERIOD, NOTES };

/* What is to be known of a field; nothing: it has no such note. */
static void put_words(struct cf_out *out, const struct cf_change *change, enum note note)
{
    if (note == NOTE_LEAST && change->word == CF_DOWN_FOR) {
        cf_out_put_string(out, "minimum for an outage of ");
        cf_put_duration(out, change->wanted_ns, true);
    } else if (note == NOTE_LEAST && change->least_value > 0) {
        put_least(out, change);
    } else if (note == NOTE_OWN && change->note) {
        cf_out_put_string(out, change->note);
    } else if (note == NOTE_COST && change->word == CF_STARTS_IN && change->type == KP_LIVENESS &&
               costs(change)) {
        put_cost(out, change); /* it stands in no head */
    } else if (note == NOTE_PERIOD && change->word == CF_ANSWERS_IN &&
               change->value > change->period_s) {
        cf_out_printf(out, "may be above periodSeconds %d: probes do not overlap",
                      (int)change->period_s);
    }
}

static void put_notes(struct cf_out *out, const struct cf_change *change, int indent)
{
    for (int note = 0; note < NOTES; note++) {
        struct cf_out words = {0};

        put_words(&words, change, (enum note)note);
        if (words.len > 0)
            put_comment(out, indent, cf_out_text(&words));
        cf_out_deinit(&words);
    }
}

/* The probe's lines, or the hook's, from a column on. */
static void put_change(struct cf_out *out, const struct kp_pod *pod, const struct cf_change *change,
                       int indent)
{
    /* A grace is the pod's: it has no container. */
    const struct kp_container *container =
        change->kind == CF_CHANGE_GRACE ? NULL : &pod->containers[change->container];

    cf_out_printf(out, "%*s", indent, "");
    if (change->kind == CF_CHANGE_PRE_STOP) {
        put_hook(out, container->pre_stop, change->hook);
    } else if (change->kind == CF_CHANGE_GRACE) {
        cf_out_printf(out, "%s: %d", change->field, (int)change->value);
    } else if (change->kind == CF_CHANGE_FIELD) {
        cf_out_printf(out, "%s: {%s: %d}", fields[change->type], change->field, (int)change->value);
    } else {
        cf_out_printf(out, "%s:\n%*s", fields[change->type], indent + 2, "");
        cf_advice_put_handler(out, &container->probes[KP_LIVENESS]->handler);
        cf_out_put_char(out, '\n');
        if (change->period_s != 10) /* what the API server has by default, and 1 s for an answer */
            cf_out_printf(out, "%*speriodSeconds: %d\n", indent + 2, "", (int)change->period_s);
        if (change->timeout_s != 1)
            cf_out_printf(out, "%*stimeoutSeconds: %d\n", indent + 2, "", (int)change->timeout_s);
        cf_out_printf(out, "%*s%s: %d", indent + 2, "", change->field, (int)change->value);
    }
    put_notes(out, change, indent + (change->kind == CF_CHANGE_PROBE ? 2 : 0));
}

/* What a start may take, and without it; in fewer words where the line, from `begin` on, has no
 * room. */
static void put_start(struct cf_out *out, size_t begin, const struct cf_change *change)
{
    static const struct {
        const char *so;
        bool now;
    } ways[] = {{"with this YAML", true}, {"then", true}, {"with this YAML", false}};
    size_t since = out->len;

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        out->len = since;
        cf_out_printf(out, "%s a start may take up to ", ways[i].so);
        cf_put_duration(out, change->tolerates_ns, false);
        if (!ways[i].now)
            return;
        cf_out_put_string(out, " (now ");
        cf_put_duration(out, change->before_ns, false);
        cf_out_put_char(out, ')');
        if (cf_columns_of(kp_text_from(cf_out_text(out), begin)) <= CF_COLUMNS)
            return;
    }
}

/* begin: of the line. */
static void put_tolerated(struct cf_out *out, size_t begin, const struct cf_change *change)
{
    static const char *const befores[CF_WORLD_WORDS] = {
        [CF_STARTS_IN] = "a start may take",
        [CF_ANSWERS_IN] = "an answer in under",
        [CF_DOWN_FOR] = "it survives, if silent for up to",
        [CF_STOPS_IN] = "a stop of",
        [CF_TRAFFIC_FOR] = "SIGTERM comes after requests of"};
    static const char *const afters[CF_WORLD_WORDS] = {[CF_STARTS_IN] = "",
                                                       [CF_ANSWERS_IN] = " passes",
                                                       [CF_DOWN_FOR] = "",
                                                       [CF_STOPS_IN] = " is in time",
                                                       [CF_TRAFFIC_FOR] = ""};

    if (change->word == CF_HANGS_AT) {
        cf_out_put_string(out, "then it runs again within ");
        cf_put_duration(out, change->tolerates_ns, true);
        cf_out_put_string(out, " of a hang, not ");
        cf_put_exact(out, change->before_ns, true);
        return;
    }
    if (change->word == CF_STARTS_IN && change->tolerates_ns != KP_NEVER) {
        put_start(out, begin, change);
        return;
    }
    cf_out_printf(out, "with this YAML %s ",
                  change->optional ? "it stays Ready, if silent for up to" : befores[change->word]);
    if (change->tolerates_ns == KP_NEVER)
        cf_out_put_string(out, "any length");
    else
        cf_put_duration(out, change->tolerates_ns, change->word == CF_ANSWERS_IN);
    cf_out_put_string(out, afters[change->word]);
    if (costs(change) && (change->word == CF_DOWN_FOR || change->word == CF_ANSWERS_IN)) {
        cf_out_put_string(out, "\n        ");
        put_cost(out, change);
    }
}

/* Changes of one container that bear the same are printed as one. */
static bool goes_on(const struct cf_advice *advice, size_t i)
{
    return i > 0 && advice->changes[i - 1].kind != CF_CHANGE_GRACE &&
           advice->changes[i].container == advice->changes[i - 1].container &&
           advice->changes[i].word == advice->changes[i - 1].word &&
           advice->changes[i].optional == advice->changes[i - 1].optional;
}

void cf_advice_put_text(struct cf_out *out, const struct kp_pod *pod,
                        const struct cf_advice *advice)
{
    if (advice->outlasts_ns > 0) {
        cf_out_put_string(out, "change  pod: raise activeDeadlineSeconds (");
        cf_put_seconds(out, pod->deadline_s);
        cf_out_put_string(out, "): a start takes ");
        cf_put_duration(out, advice->outlasts_ns, true);
        cf_out_put_char(out, '\n');
    }
    for (size_t i = 0; i < advice->count; i++) {
        const struct cf_change *change = &advice->changes[i];
        struct kp_text name = pod->containers[change->container < 0 ? 0 : change->container].name;

        if (change->kind == CF_CHANGE_GRACE) {
            cf_out_put_string(out,
                              "change  pod: with this YAML hooks and stops fit into its grace\n");
        } else if (!goes_on(advice, i)) {
            size_t begin = out->len;

            cf_out_printf(out, "%s  %.*s: ", change->optional ? "option" : "change", KP_ARG(name));
            put_tolerated(out, begin, change);
            cf_out_put_char(out, '\n');
        }
        put_change(out, pod, change, 8);
        cf_out_put_char(out, '\n');
        if (change->shorter) {
            const struct kp_container *of = &pod->containers[change->container];

            cf_out_printf(out, "    or  %.*s: ", KP_ARG(of->name));
            put_hook(out, of->pre_stop, change->shorter);
            cf_out_put_char(out, '\n');
        }
    }
}

/* In a patch: a container's changes. */
static bool is_patched(const struct cf_change *change, int container)
{
    return !change->optional && change->kind != CF_CHANGE_GRACE && change->container == container;
}

/* All fields of one probe in one map: a key stands once. */
static void put_fields(struct cf_out *out, const struct cf_advice *advice, int container,
                       enum kp_probe_type type, int indent)
{
    const struct cf_change *of[CF_WORLD_WORDS + 1];
    size_t count = 0;

    for (size_t i = 0; i < advice->count; i++)
        if (is_patched(&advice->changes[i], container) &&
            advice->changes[i].kind == CF_CHANGE_FIELD && advice->changes[i].type == type)
            of[count++] = &advice->changes[i];
    for (size_t i = 0; i < count; i++) {
        if (i == 0)
            cf_out_printf(out, "%*s%s: {", indent, "", fields[type]);
        cf_out_printf(out, "%s%s: %d", i > 0 ? ", " : "", of[i]->field, (int)of[i]->value);
    }
    if (count > 0)
        cf_out_put_char(out, '}');
    for (size_t i = 0; i < count; i++)
        put_notes(out, of[i], indent);
    if (count > 0)
        cf_out_put_char(out, '\n');
}

static void put_container(struct cf_out *out, const struct kp_pod *pod,
                          const struct cf_advice *advice, int container, int indent)
{
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        put_fields(out, advice, container, (enum kp_probe_type)type, indent);
    for (size_t i = 0; i < advice->count; i++)
        if (is_patched(&advice->changes[i], container) &&
            advice->changes[i].kind != CF_CHANGE_FIELD) {
            put_change(out, pod, &advice->changes[i], indent);
            cf_out_put_char(out, '\n');
        }
}

/* Containers are merged by their names, init containers too. */
static void put_containers(struct cf_out *out, const struct kp_pod *pod,
                           const struct cf_advice *advice, bool init, int indent)
{
    bool begun = false;

    for (size_t k = 0; k < kp_pod_container_count(pod); k++) {
        bool any = false;

        for (size_t i = 0; i < advice->count; i++)
            any = any || is_patched(&advice->changes[i], (int)k);
        if (!any || (pod->containers[k].kind == KP_INIT) != init)
            continue;
        if (!begun)
            cf_out_printf(out, "%*s%s:\n", indent, "", init ? "initContainers" : "containers");
        begun = true;
        cf_out_printf(out, "%*s- name: ", indent, "");
        cf_out_put_json(out, pod->containers[k].name);
        cf_out_put_char(out, '\n');
        put_container(out, pod, advice, (int)k, indent + 2);
    }
}

/* As comments. */
static void put_options(struct cf_out *out, const struct kp_pod *pod,
                        const struct cf_advice *advice)
{
    for (size_t i = 0; i < advice->count; i++) {
        const struct cf_change *change = &advice->changes[i];
        struct cf_out words = {0};
        struct kp_text rest;
        struct kp_text line;

        if (!change->optional)
            continue;
        cf_out_printf(out, "# an option, not in this patch, of %.*s:\n",
                      KP_ARG(pod->containers[change->container].name));
        put_change(&words, pod, change, 4);
        rest = cf_out_text(&words);
        while (kp_text_next_line(&rest, &line))
            cf_out_printf(out, "#%.*s\n", KP_ARG(kp_text_from(line, 1)));
        cf_out_deinit(&words);
    }
}

void cf_advice_put_patch(struct cf_out *out, const struct cf_manifest_pod *manifest,
                         const struct cf_advice *advice)
{
    const struct kp_pod *pod = manifest->pod;
    int indent;

    put_options(out, pod, advice);
    if (cf_advice_is_empty(advice))
        return;
    cf_manifest_put_fixed(out, manifest->kind, manifest->holder);
    indent = cf_manifest_put_path(out, manifest->path);
    for (size_t i = 0; i < advice->count; i++) {
        if (advice->changes[i].kind != CF_CHANGE_GRACE)
            continue;
        put_change(out, pod, &advice->changes[i], indent);
        cf_out_put_char(out, '\n');
    }
    put_containers(out, pod, advice, true, indent);
    put_containers(out, pod, advice, false, indent);
}
