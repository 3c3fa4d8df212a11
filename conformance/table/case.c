#include "conformance/table/case.h"

#include "conformance/protocol/wire.h"
#include "conformance/table/case_question.h"
#include "conformance/table/case_read.h"

#include "conformance/table/case_fire.h"
#include "conformance/text/guess.h"

#include <stdio.h>
#include <string.h>

/* ---- what a case may have -------------------------------------------------------------------- */

static const struct key_row {
    const char *name;
    const char *of;
} key_rows[] = {
#define KEY(name, of, what) {#name, of},
#include "conformance/table/case_keys.def"
#undef KEY
};

enum { KEYS = sizeof key_rows / sizeof *key_rows };

static const char *const kind_names[] = {"a play", "a scenario", "a question", "an attempt"};

/* of: the letters of case_keys.def. */
static bool is_for(const char *of, enum cf_kind kind)
{
    static const char *const letters[] = {"ASP", "AST", "AQ", "AF"};

    return strpbrk(of, letters[kind]) != NULL;
}

static void fault_unknown(struct cf_reading *reading, const struct cf_node *one)
{
    struct cf_guess guess = cf_guess_begin(one->key);

    for (size_t k = 0; k < KEYS; k++)
        cf_guess_try(&guess, key_rows[k].name);
    cf_fault_at(reading, one->key_at, "unknown key '%.*s'%s%s%s", KP_ARG(one->key),
                guess.meant ? "; did you mean " : "", guess.meant ? guess.meant : "",
                guess.meant ? "?" : "");
}

static void check_keys(struct cf_reading *reading, const struct cf_case *item)
{
    for (const struct cf_node *one = item->node->first; one; one = one->next) {
        size_t k = 0;

        while (k < KEYS && !kp_text_equal(one->key, kp_text_of(key_rows[k].name)))
            k++;
        if (one->kind == CF_NULL)
            cf_fault_at(reading, one->key_at, "key '%.*s' has no value", KP_ARG(one->key));
        else if (k == KEYS)
            fault_unknown(reading, one);
        else if (!is_for(key_rows[k].of, item->kind))
            cf_fault_at(reading, one->key_at, "key '%.*s' has no meaning in %s of layer %s",
                        KP_ARG(one->key), kind_names[item->kind], cf_layer_name(item->layer));
    }
}

/* ---- what every case has --------------------------------------------------------------------- */

static bool is_id(struct kp_text id)
{
    for (size_t i = 0; i < id.len; i++) {
        char c = id.bytes[i];
        bool word = (c >= 'a' && c <= 'z') || kp_is_digit(c);

        if (!word && ((c != '-' && c != '.') || i == 0 || i + 1 == id.len))
            return false;
    }
    return id.len > 0 && id.len <= 80;
}

static void fault_at_layer(struct cf_reading *reading, struct cf_place at)
{
    struct cf_out names = {0};

    for (int layer = 0; layer < CF_LAYERS; layer++)
        cf_out_printf(&names, "%s%s",
                      layer == 0              ? ""
                      : layer + 1 < CF_LAYERS ? ", "
                                              : " or ",
                      cf_layer_name((enum cf_layer)layer));
    cf_fault_at(reading, at, "layer: wanted %.*s", KP_ARG(names));
    cf_out_deinit(&names);
}

static void read_layer(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *node = cf_node_find(item->node, "layer");
    struct kp_text name = cf_read_text(reading, node);
    int layer = node ? cf_find_word(&cf_layer_words, name) : CF_LAYER_PROBE;

    item->kind = cf_node_find(item->node, "saw") ? CF_PLAY : CF_SCENARIO;
    item->layer = CF_LAYER_PROBE;
    if (layer < 0) {
        fault_at_layer(reading, node->at);
        return;
    }
    item->layer = (enum cf_layer)layer;
    if (item->layer != CF_LAYER_PROBE && item->layer != CF_LAYER_POD)
        item->kind = item->layer == CF_LAYER_FIRE ? CF_ATTEMPT : CF_QUESTION;
    if (item->layer != CF_LAYER_PROBE && item->kind == CF_PLAY)
        cf_fault_at(reading, node->at, "layer: a play (saw, told) is of layer probe");
}

static void read_rules(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *node = cf_node_find(item->node, "rules");
    struct kp_text_list ids = cf_read_texts(reading, node);
    enum kp_rule *rules = cf_arena_array(reading->arena, ids.count + 1, sizeof *rules);

    if (ids.count == 0)
        cf_fault_at(reading, node ? node->at : item->at, "rules: a case shows at least one rule");
    for (size_t i = 0; rules && i < ids.count; i++) {
        rules[item->rule_count] = kp_rule_find(ids.items[i]);
        if (rules[item->rule_count] == KP_RULE_NONE)
            cf_fault_at(reading, cf_node_at(node, i)->at, "rules: there is no rule '%.*s'",
                        KP_ARG(ids.items[i]));
        else
            item->rule_count++;
    }
    item->rules = rules;
}

/* Every version that the case speaks of must know the gate and take that value. */
static void check_gate(struct cf_reading *reading, const struct cf_case *item,
                       const struct cf_node *node, bool on)
{
    for (int minor = item->since / 1000; minor <= item->until / 1000; minor++) {
        struct kp_profile profile;
        enum kp_err err;
        char version[16];

        snprintf(version, sizeof version, "1.%d", minor);
        if (kp_profile_init(&profile, kp_text_of(version)) != KP_OK)
            return;
        err = kp_profile_set_gate(&profile, node->key, on);
        if (err == KP_OK)
            continue;
        cf_fault_at(reading, node->key_at, "gates: %s %s %.*s: since and until must fit it",
                    version, err == KP_EUNKNOWN ? "has no gate" : "does not let go of",
                    KP_ARG(node->key));
        return;
    }
}

static void read_gates(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *map = cf_node_find(item->node, "gates");
    struct cf_gate *gates;

    if (!map)
        return;
    if (map->kind != CF_MAP) {
        cf_fault_at(reading, map->at, "gates: wanted a map such as {ExecProbeTimeout: false}");
        return;
    }
    gates = cf_arena_array(reading->arena, map->count + 1, sizeof *gates);
    for (const struct cf_node *one = map->first; gates && one; one = one->next) {
        gates[item->gate_count] = (struct cf_gate){one->key, cf_read_truth(reading, one)};
        check_gate(reading, item, one, gates[item->gate_count++].on);
    }
    item->gates = gates;
}

/* What a patch leaves out of its minor: all before it, or, `until`, all behind it. */
static struct cf_span rest_of_minor(int version, bool until)
{
    int minor = version / 1000 * 1000;

    return until ? (struct cf_span){version + 1, minor + 999}
                 : (struct cf_span){minor, version - 1};
}

static void fault_at_list(struct cf_reading *reading, const struct cf_node *list,
                          const struct cf_node *at)
{
    cf_fault_at(reading, at->at,
                "%.*s: a list is of 1 to %d patches, of one minor behind the other: "
                "[\"1.22.11\", \"1.23.8\"]",
                KP_ARG(list->key), CF_VERSION_LIST_MAX);
}

/*
 * since: ["1.22.11", "1.23.8", "1.24.2"]: what came with 1.24.2 and went back into two minors,
 * whose first patches lack it.  until: ["1.22.10", "1.23.7", "1.24.1"]: those that lack it.
 *
 * Returns:  since: the first of them, until: the last; what lies between becomes holes.
 */
static int read_list(struct cf_reading *reading, struct cf_case *item, const struct cf_node *list,
                     bool until, int otherwise)
{
    const struct cf_node *bound = until ? list->last : list->first;
    int bound_version = otherwise;
    int minor = 0;

    if (list->count == 0 || list->count > CF_VERSION_LIST_MAX)
        fault_at_list(reading, list, list);
    for (const struct cf_node *one = list->first; one && list->count <= CF_VERSION_LIST_MAX;
         one = one->next) {
        int version = cf_read_version(reading, one, list->key, until, -1);
        struct cf_span hole = rest_of_minor(version, until);

        if (version < 0)
            return otherwise;
        if (one == bound)
            bound_version = version;
        else if (hole.first <= hole.last)
            item->holes[item->hole_count++] = hole;
        if (version / 1000 <= minor || (one != bound && hole.first > hole.last))
            fault_at_list(reading, list, one);
        minor = version / 1000;
    }
    return bound_version;
}

static int read_bound(struct cf_reading *reading, struct cf_case *item, const char *key, bool until,
                      int otherwise)
{
    const struct cf_node *node = cf_node_find(item->node, key);

    if (!node)
        return otherwise;
    return node->kind == CF_LIST ? read_list(reading, item, node, until, otherwise)
                                 : cf_read_version(reading, node, node->key, until, otherwise);
}

static void read_versions(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *until = cf_node_find(item->node, "until");

    item->since = read_bound(reading, item, "since", false, KP_MINOR_MIN * 1000);
    item->until = read_bound(reading, item, "until", true, KP_MINOR_MAX * 1000 + 999);
    if (item->since > item->until)
        cf_fault_at(reading, until ? until->at : item->at, "until comes before since");
}

static void read_common(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *id = cf_node_find(item->node, "id");
    const struct cf_node *level = cf_node_find(item->node, "level");

    item->id = cf_arena_text(reading->arena, cf_read_text(reading, id)); /* with a NUL behind it */
    if (!is_id(item->id))
        cf_fault_at(reading, id ? id->at : item->at,
                    "id: wanted small letters, digits, hyphens and dots, at most 80");
    else if (cf_suite_find(reading->suite, item->id))
        cf_fault_at(reading, id->at, "id: '%.*s' is taken", KP_ARG(item->id));
    item->why = cf_read_text(reading, cf_node_find(item->node, "why"));
    if (item->why.len == 0)
        cf_fault_at(reading, item->at, "why: a case says in a sentence what it shows");
    item->source = cf_read_text(reading, cf_node_find(item->node, "source"));
    if (level) {
        item->observed = kp_text_equal(cf_read_text(reading, level), KP_TEXT("observed"));
        if (!item->observed && !kp_text_equal(level->text, KP_TEXT("must")))
            cf_fault_at(reading, level->at, "level: wanted must or observed");
    }
    read_rules(reading, item);
    read_versions(reading, item);
    read_gates(reading, item);
    item->upstream = cf_read_texts(reading, cf_node_find(item->node, "upstream"));
    item->issues = cf_read_texts(reading, cf_node_find(item->node, "issues"));
}

/* ---- features -------------------------------------------------------------------------------- */

static void add_feature(struct kp_text_list *list, struct kp_text *items, const char *name)
{
    if (!cf_listed(list, kp_text_of(name)))
        items[list->count++] = kp_text_of(name);
}

static const char *feature_of(const struct cf_case *item, const struct kp_event *event)
{
    switch (event->kind) {
    case KP_EVENT_KUBELET_RESTART:
        return "restart";
    case KP_EVENT_DELETE:
    case KP_EVENT_REMOVE: /* the whole kubelet always ends pods */
        return item->layer == CF_LAYER_PROBE ? "termination" : NULL;
    case KP_EVENT_STOP:
    case KP_EVENT_ADDPOD:
        return "manager";
    case KP_EVENT_CLEANUP:
        return event->u.keep ? "manager" : "termination";
    case KP_EVENT_CLOCK:
        return "clock";
    case KP_EVENT_PHASE:
        return "phase";
    case KP_EVENT_NOSTATUS:
        return "nostatus";
    default:
        return NULL;
    }
}

/* The real exec handler, which an adapter around the kubelet answers with, has none of them. */
static void add_answer_features(struct kp_text_list *list, struct kp_text *items,
                                const struct fake_answers *answers)
{
    for (size_t i = 0; answers && i < answers->step_count; i++)
        for (size_t k = 0; k < answers->steps[i].attempt_count; k++) {
            if (answers->steps[i].attempts[k] == KP_ANSWER_WARNING)
                add_feature(list, items, "warning");
            if (answers->steps[i].attempts[k] == KP_ANSWER_UNKNOWN)
                add_feature(list, items, "unknown");
            if (answers->steps[i].attempts[k] == KP_ANSWER_BROKEN)
                add_feature(list, items, "broken");
        }
}

/* Which handler, and does it need TLS or HTTP/2? */
static void add_fire_features(struct kp_text_list *list, struct kp_text *items,
                              const struct cf_fire *fire)
{
    const struct cf_node *http = cf_node_find(fire->probe, "httpGet");
    const struct cf_node *scheme = cf_node_find(http, "scheme");
    const struct cf_node *mode = cf_node_find(cf_node_find(fire->probe, "grpc"), "mode");

    add_feature(list, items,
                http                                     ? "http"
                : cf_node_find(fire->probe, "exec")      ? "exec"
                : cf_node_find(fire->probe, "tcpSocket") ? "tcp"
                                                         : "grpc");
    for (size_t k = 0; k < CF_FIRE_SERVERS; k++) {
        if (cf_fire_does(&fire->servers[k], CF_FIRE_TLS))
            add_feature(list, items, "tls");
        if (http && cf_fire_does(&fire->servers[k], CF_FIRE_H2))
            add_feature(list, items, "h2");
    }
    if ((scheme && kp_text_equal(scheme->text, KP_TEXT("HTTPS"))) ||
        (mode && kp_text_equal(mode->text, KP_TEXT("TLS"))))
        add_feature(list, items, "tls");
}

static void check_features(struct cf_reading *reading, const struct cf_case *item)
{
    const struct cf_node *node = cf_node_find(item->node, "features");

    for (const struct cf_node *one = node && node->kind == CF_LIST ? node->first : NULL; one;
         one = one->next)
        if (one->kind == CF_STRING && cf_find_word(&cf_feature_words, one->text) == CF_NO_WORD)
            cf_fault_at(reading, one->at, "features: the protocol has no feature '%.*s'",
                        KP_ARG(one->text));
}

/* What of the protocol an adapter may lack: read off what the case does. */
static void read_features(struct cf_reading *reading, struct cf_case *item)
{
    enum { OF_ITSELF = 16 };
    struct kp_text_list said = cf_read_texts(reading, cf_node_find(item->node, "features"));
    struct kp_text *items = cf_arena_array(reading->arena, said.count + OF_ITSELF, sizeof *items);
    struct kp_text_list list = {items, said.count};

    if (!items)
        return;
    check_features(reading, item);
    for (size_t i = 0; i < said.count; i++)
        items[i] = said.items[i];
    if (item->gate_count > 0)
        add_feature(&list, items, "gates");
    if (item->pod_count > 1)
        add_feature(&list, items, "pods");
    if (cf_node_find(item->node, "presets"))
        add_feature(&list, items, "podpreset");
    if (cf_node_find(item->node, "old"))
        add_feature(&list, items, "update");
    if (cf_node_find(item->node, "hook"))
        add_feature(&list, items, "hook-ports");
    if (item->kind == CF_ATTEMPT && !reading->failed)
        add_fire_features(&list, items, item->fire);
    if (item->jitter != FAKE_JITTER_NONE)
        add_feature(&list, items, "jitter");
    for (size_t i = 0; i < item->script.script_event_count; i++) {
        const char *name = feature_of(item, &item->script.script_events[i].event);

        if (name)
            add_feature(&list, items, name);
        add_answer_features(&list, items, item->script.script_events[i].answers);
    }
    for (size_t i = 0; i < item->script.answers_count; i++)
        add_answer_features(&list, items, &item->script.answers[i]);
    for (size_t i = 0; i < item->pod_count; i++) {
        const struct cf_node *inits =
            cf_node_find(cf_node_find(item->pods[i], "spec"), "initContainers");

        for (const struct cf_node *one = inits ? inits->first : NULL; one; one = one->next)
            if (cf_node_find(one, "restartPolicy") || item->layer == CF_LAYER_PROBE)
                add_feature(&list, items, "sidecars");
    }
    item->features = list;
}

/* ---- plays and scenarios -----------------------------------------------------------------------
 */

static void read_jitter(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *node = cf_node_find(item->node, "jitter");
    struct fake_jitter_row *rows;

    if (!node || (node->kind == CF_STRING && kp_text_equal(node->text, KP_TEXT("none"))))
        return;
    item->jitter = node->kind == CF_MAP ? FAKE_JITTER_MAP : FAKE_JITTER_FREE;
    if (node->kind != CF_MAP) {
        if (node->kind != CF_STRING || !kp_text_equal(node->text, KP_TEXT("free")))
            cf_fault_at(reading, node->at, "jitter: wanted none, free or a map of fractions");
        return;
    }
    rows = cf_arena_array(reading->arena, node->count + 1, sizeof *rows);
    for (const struct cf_node *one = node->first; rows && one; one = one->next) {
        struct fake_jitter_row *row = &rows[item->jitter_row_count];
        struct fake_answers whom = {0};

        row->delay_ppb = cf_read_ppb(reading, one);
        if (!cf_case_read_call(reading, item, one->key, one->key_at, &whom))
            continue;
        if (whom.container.len == 0 || whom.call > FAKE_CALL_STARTUP) {
            cf_fault_at(reading, one->key_at, "jitter: wanted a worker such as web/liveness");
            continue;
        }
        row->container = whom.container;
        row->type = (enum kp_probe_type)whom.call;
        item->jitter_row_count++;
    }
    item->jitter_rows = rows;
}

static void read_scenario(struct cf_reading *reading, struct cf_case *item)
{
    /* Odd by half a second, so that relists and sync ticks fall on x.5 and tie with nothing. */
    const int64_t uptime_ns = 120500 * KP_NS_PER_MS;

    cf_case_read_pods(reading, item);
    item->uptime_ns = cf_read_duration(reading, cf_node_find(item->node, "uptime"), uptime_ns);
    item->wall_ns = cf_read_duration(reading, cf_node_find(item->node, "wall"), 0);
    item->sync_frequency_ns =
        cf_read_duration(reading, cf_node_find(item->node, "syncFrequency"), 60 * KP_NS_PER_S);
    item->requeue_ppb = cf_read_ppb(reading, cf_node_find(item->node, "requeueJitter"));
    if (!item->pods) { /* whom the rest is about cannot be known */
        cf_read_duration(reading, cf_node_find(item->node, "for"), 0);
        return;
    }
    read_jitter(reading, item);
    if (item->kind == CF_PLAY) {
        cf_case_read_play(reading, item);
        return;
    }
    cf_case_read_answers(reading, item);
    cf_case_read_world(reading, item);
    cf_case_read_events(reading, item);
    cf_case_read_traces(reading, item);
}

void cf_case_read(struct cf_reading *reading, struct kp_text topic, const struct cf_node *node,
                  struct cf_case *out)
{
    struct cf_case item = {.topic = topic, .file = reading->file, .at = node->at, .node = node};

    reading->failed = false;
    read_layer(reading, &item);
    check_keys(reading, &item);
    read_common(reading, &item);
    if (item.kind == CF_QUESTION)
        cf_case_read_question(reading, &item);
    else if (item.kind == CF_ATTEMPT)
        cf_case_read_fire(reading, &item);
    else
        read_scenario(reading, &item);
    read_features(reading, &item);
    cf_case_read_plain(reading, &item);
    *out = item;
}

bool cf_case_applies(const struct cf_case *item, int version)
{
    for (size_t i = 0; i < item->hole_count; i++)
        if (version >= item->holes[i].first && version <= item->holes[i].last)
            return false;
    return version >= item->since && version <= item->until;
}
