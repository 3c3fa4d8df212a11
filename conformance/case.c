#include "conformance/case.h"

#include "conformance/case_question.h"
#include "conformance/case_read.h"
#include "conformance/yaml.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a case may have -------------------------------------------------------------------- */

static const struct key_row {
    const char *name;
    char of;
} key_rows[] = {
#define KEY(name, of, what) {#name, of[0]},
#include "conformance/case_keys.def"
#undef KEY
};

enum { KEYS = sizeof key_rows / sizeof *key_rows };

static const char *const layer_names[CF_LAYERS] = {"port", "check", "probe",
                                                   "pod",  "actions", "fire"};

const char *cf_layer_name(enum cf_layer layer)
{
    return layer_names[layer];
}

static const char *const kind_names[] = {"play", "story", "question"};

static bool is_for(char of, enum cf_kind kind)
{
    switch (of) {
    case 'A':
        return true;
    case 'S':
        return kind != CF_TABLED;
    case 'P':
        return kind == CF_PLAY;
    case 'T':
        return kind == CF_STORY;
    default:
        return kind == CF_TABLED;
    }
}

static void check_keys(struct cf_reading *reading, const struct cf_case *item)
{
    for (const struct cf_node *one = item->node->first; one; one = one->next) {
        size_t k = 0;

        while (k < KEYS && !kp_text_equal(one->key, kp_text_of(key_rows[k].name)))
            k++;
        if (k == KEYS)
            cf_fault_at(reading, one->key_at, "unknown key '%.*s'", (int)one->key.len,
                        one->key.bytes);
        else if (!is_for(key_rows[k].of, item->kind))
            cf_fault_at(reading, one->key_at, "key '%.*s' has no meaning in a %s of layer %s",
                        (int)one->key.len, one->key.bytes, kind_names[item->kind],
                        layer_names[item->layer]);
    }
}

/* ---- what every case has --------------------------------------------------------------------- */

static bool is_id(struct kp_text id)
{
    for (size_t i = 0; i < id.len; i++) {
        char c = id.bytes[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (!word && ((c != '-' && c != '.') || i == 0 || i + 1 == id.len))
            return false;
    }
    return id.len > 0 && id.len <= 80;
}

static void read_layer(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *node = cf_node_find(item->node, "layer");
    struct kp_text name = cf_read_text(reading, node);
    int layer = 0;

    item->kind = cf_node_find(item->node, "saw") ? CF_PLAY : CF_STORY;
    item->layer = CF_LAYER_PROBE;
    if (!node && item->kind == CF_PLAY)
        return;
    while (layer < CF_LAYERS && !kp_text_equal(name, kp_text_of(layer_names[layer])))
        layer++;
    if (layer == CF_LAYERS) {
        cf_fault_at(reading, node ? node->at : item->at,
                    "layer: wanted port, check, probe, pod, actions or fire");
        return;
    }
    item->layer = (enum cf_layer)layer;
    if (item->layer != CF_LAYER_PROBE && item->layer != CF_LAYER_POD)
        item->kind = CF_TABLED;
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
                        (int)ids.items[i].len, ids.items[i].bytes);
        else
            item->rule_count++;
    }
    item->rules = rules;
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
    for (const struct cf_node *one = map->first; gates && one; one = one->next)
        gates[item->gate_count++] = (struct cf_gate){one->key, cf_read_truth(reading, one)};
    item->gates = gates;
}

static void read_versions(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *until = cf_node_find(item->node, "until");

    item->since = cf_read_version(reading, cf_node_find(item->node, "since"), false,
                                  KP_MINOR_MIN * 1000);
    item->until = cf_read_version(reading, until, true, KP_MINOR_MAX * 1000 + 999);
    if (item->since > item->until)
        cf_fault_at(reading, until ? until->at : item->at, "until comes before since");
}

static void read_common(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *id = cf_node_find(item->node, "id");
    const struct cf_node *level = cf_node_find(item->node, "level");

    item->id = cf_read_text(reading, id);
    if (!is_id(item->id))
        cf_fault_at(reading, id ? id->at : item->at,
                    "id: wanted small letters, digits, hyphens and dots, at most 80");
    if (cf_suite_find(reading->suite, item->id))
        cf_fault_at(reading, id->at, "id: '%.*s' is taken", (int)item->id.len, item->id.bytes);
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

static bool has_feature(const struct kp_text_list *list, struct kp_text name)
{
    for (size_t i = 0; i < list->count; i++)
        if (kp_text_equal(list->items[i], name))
            return true;
    return false;
}

static void add_feature(struct kp_text_list *list, struct kp_text *items, const char *name)
{
    if (!has_feature(list, kp_text_of(name)))
        items[list->count++] = kp_text_of(name);
}

static const char *feature_of(const struct kp_event *event)
{
    switch (event->kind) {
    case KP_EVENT_KUBELET_RESTART:
        return "kubelet-restart";
    case KP_EVENT_DELETE:
    case KP_EVENT_REMOVE:
        return "termination";
    case KP_EVENT_STOP:
    case KP_EVENT_ADDPOD:
        return "manager";
    case KP_EVENT_CLEANUP:
        return event->u.keep ? "manager" : "termination";
    case KP_EVENT_CLOCK:
        return "clock";
    case KP_EVENT_NOSTATUS:
        return "nostatus";
    case KP_EVENT_PHASE:
        return "phase";
    default:
        return NULL;
    }
}

/* What of the protocol an adapter may lack: read off what the case does. */
static void read_features(struct cf_reading *reading, struct cf_case *item)
{
    enum { OF_ITSELF = 16 };
    struct kp_text_list said = cf_read_texts(reading, cf_node_find(item->node, "features"));
    struct kp_text *items =
        cf_arena_array(reading->arena, said.count + OF_ITSELF, sizeof *items);
    struct kp_text_list list = {items, said.count};

    if (!items)
        return;
    for (size_t i = 0; i < said.count; i++)
        items[i] = said.items[i];
    if (item->gate_count > 0)
        add_feature(&list, items, "gates");
    if (item->jitter != FAKE_JITTER_NONE)
        add_feature(&list, items, "jitter");
    for (size_t i = 0; i < item->script.happening_count; i++) {
        const char *name = feature_of(&item->script.happenings[i].event);

        if (name)
            add_feature(&list, items, name);
    }
    for (size_t i = 0; i < item->pod_count; i++) {
        const struct cf_node *inits =
            cf_node_find(cf_node_find(item->pods[i], "spec"), "initContainers");

        for (const struct cf_node *one = inits ? inits->first : NULL; one; one = one->next)
            add_feature(&list, items,
                        cf_node_find(one, "restartPolicy") ? "sidecars" : "init-containers");
    }
    item->features = list;
}

/* ---- plays and stories ----------------------------------------------------------------------- */

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
        if (!cf_case_read_asked(reading, item, one->key, one->key_at, &whom))
            continue;
        if (whom.container.len == 0 || whom.asked > FAKE_ASKED_STARTUP) {
            cf_fault_at(reading, one->key_at, "jitter: wanted a worker such as web/liveness");
            continue;
        }
        row->container = whom.container;
        row->type = (enum kp_probe_type)whom.asked;
        item->jitter_row_count++;
    }
    item->jitter_rows = rows;
}

static void read_scenario(struct cf_reading *reading, struct cf_case *item)
{
    /* Odd by half a second, so that relists and sync ticks fall on x.5 and tie with nothing. */
    const int64_t uptime_ns = 120500 * KP_NS_PER_MS;

    cf_case_read_pods(reading, item);
    if (reading->failed)
        return;
    item->uptime_ns = cf_read_duration(reading, cf_node_find(item->node, "uptime"), uptime_ns);
    item->wall_ns = cf_read_duration(reading, cf_node_find(item->node, "wall"), 0);
    item->sync_frequency_ns = cf_read_duration(
        reading, cf_node_find(item->node, "syncFrequency"), 60 * KP_NS_PER_S);
    item->requeue_ppb = cf_read_ppb(reading, cf_node_find(item->node, "requeueJitter"));
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

/* ---- families -------------------------------------------------------------------------------- */

/* What `over` says goes before what `under` says; maps are joined, all else is replaced. */
static struct cf_node *join(struct cf_arena *arena, const struct cf_node *under,
                            const struct cf_node *over)
{
    struct cf_node *joined = cf_node_copy(arena, under);

    if (!joined)
        return NULL;
    joined->at = over->at;
    for (const struct cf_node *one = over->first; one; one = one->next) {
        const struct cf_node *below = NULL;
        struct cf_node *member;

        for (const struct cf_node *other = joined->first; other; other = other->next)
            if (kp_text_equal(other->key, one->key))
                below = other;
        member = below && below->kind == CF_MAP && one->kind == CF_MAP
                     ? join(arena, below, one)
                     : cf_node_copy(arena, one);
        cf_node_set(joined, one->key, member);
        if (member)
            member->key_at = one->key_at;
    }
    return joined;
}

static struct cf_case *add_case(struct cf_suite *suite)
{
    if (suite->case_count == suite->case_room) {
        size_t room = suite->case_room > 0 ? 2 * suite->case_room : 64;
        struct cf_case *cases = cf_arena_array(&suite->arena, room, sizeof *cases);

        if (!cases)
            return NULL;
        if (suite->case_count > 0)
            memcpy(cases, suite->cases, suite->case_count * sizeof *cases);
        suite->cases = cases;
        suite->case_room = room;
    }
    memset(&suite->cases[suite->case_count], 0, sizeof *suite->cases);
    return &suite->cases[suite->case_count++];
}

/* A case that has a fault is counted, so that its id is taken, and cannot be run. */
static void read_case(struct cf_reading *reading, struct kp_text topic, const struct cf_node *node)
{
    struct cf_case item = {.topic = topic, .file = reading->file, .at = node->at, .node = node};
    struct cf_case *added;

    reading->failed = false;
    read_layer(reading, &item);
    check_keys(reading, &item);
    read_common(reading, &item);
    if (item.kind == CF_TABLED)
        cf_case_read_question(reading, &item);
    else
        read_scenario(reading, &item);
    read_features(reading, &item);
    added = add_case(reading->suite);
    if (added)
        *added = item;
}

/* A row's id stands behind the family's. */
static void name_row(struct cf_reading *reading, struct cf_node *joined, const struct cf_node *base,
                     const struct cf_node *row)
{
    struct kp_text family = cf_read_text(reading, cf_node_find(base, "id"));
    const struct cf_node *own = cf_node_find(row, "id");
    struct kp_text id = cf_read_text(reading, own);
    struct cf_node *name;

    if (!own) {
        cf_fault_at(reading, row->at, "rows: each row needs an id of its own");
        return;
    }
    name = cf_node_string(reading->arena,
                          cf_arena_format(reading->arena, "%.*s.%.*s", (int)family.len,
                                          family.bytes, (int)id.len, id.bytes));
    if (name)
        name->at = own->at;
    cf_node_set(joined, KP_TEXT("id"), name);
}

static void read_family(struct cf_reading *reading, struct kp_text topic,
                        const struct cf_node *node)
{
    const struct cf_node *rows = cf_node_find(node, "rows");
    struct cf_node *base;

    if (!rows) {
        read_case(reading, topic, node);
        return;
    }
    if (rows->kind != CF_LIST || rows->count == 0) {
        cf_fault_at(reading, rows->at, "rows: wanted a list");
        return;
    }
    base = cf_node_copy(reading->arena, node);
    if (!base)
        return;
    cf_node_remove(base, KP_TEXT("rows"));
    for (const struct cf_node *row = rows->first; row; row = row->next) {
        struct cf_node *joined;

        if (row->kind != CF_MAP) {
            cf_fault_at(reading, row->at, "rows: each row is a map");
            continue;
        }
        joined = join(reading->arena, base, row);
        if (!joined)
            return;
        name_row(reading, joined, base, row);
        read_case(reading, topic, joined);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void read_cases(struct cf_reading *reading, struct kp_text topic,
                       const struct cf_node *document)
{
    const struct cf_node *defaults = cf_node_find(document, "defaults");
    const struct cf_node *cases = cf_node_find(document, "cases");

    for (const struct cf_node *one = document->first; one; one = one->next)
        if (!kp_text_equal(one->key, KP_TEXT("about")) &&
            !kp_text_equal(one->key, KP_TEXT("defaults")) &&
            !kp_text_equal(one->key, KP_TEXT("cases")))
            cf_fault_at(reading, one->key_at,
                        "unknown key '%.*s': a file has about, defaults and cases",
                        (int)one->key.len, one->key.bytes);
    if (cf_read_text(reading, cf_node_find(document, "about")).len == 0)
        cf_fault_at(reading, document->at, "about: a file says in a sentence what it is about");
    if (defaults && defaults->kind != CF_MAP)
        cf_fault_at(reading, defaults->at, "defaults: wanted a map");
    if (!cases || cases->kind != CF_LIST) {
        cf_fault_at(reading, cases ? cases->at : document->at, "cases: wanted a list");
        return;
    }
    for (const struct cf_node *one = cases->first; one; one = one->next) {
        const struct cf_node *node = one;

        if (one->kind != CF_MAP) {
            cf_fault_at(reading, one->at, "a case is a map");
            continue;
        }
        if (defaults && defaults->kind == CF_MAP)
            node = join(reading->arena, defaults, one);
        if (node)
            read_family(reading, topic, node);
    }
}

static bool split_file(struct cf_reading *reading, struct kp_text text)
{
    size_t count = 1;
    struct kp_text *lines;

    for (size_t i = 0; i < text.len; i++)
        count += text.bytes[i] == '\n';
    lines = cf_arena_array(reading->arena, count, sizeof *lines);
    if (!lines)
        return false;
    while (text.len > 0) {
        const char *newline = memchr(text.bytes, '\n', text.len);
        size_t len = newline ? (size_t)(newline - text.bytes) : text.len;

        lines[reading->file_line_count++] = (struct kp_text){text.bytes, len};
        len += newline != NULL;
        text = (struct kp_text){text.bytes + len, text.len - len};
    }
    reading->file_lines = lines;
    return true;
}

/* The file's name without its folder and its .yaml. */
static struct kp_text topic_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    struct kp_text topic = kp_text_of(slash ? slash + 1 : file);

    if (topic.len > 5 && memcmp(topic.bytes + topic.len - 5, ".yaml", 5) == 0)
        topic.len -= 5;
    return topic;
}

enum kp_err cf_suite_add(struct cf_suite *suite, const char *name, struct kp_text text)
{
    const struct cf_yaml_options options = {.plain = true};
    struct cf_reading reading = {.suite = suite, .arena = &suite->arena};
    size_t before = suite->fault_count;
    struct cf_node *stream = NULL;
    struct cf_fault fault = {0};
    enum kp_err err;

    reading.file = cf_arena_text(&suite->arena, kp_text_of(name)).bytes;
    text = cf_arena_text(&suite->arena, text);
    if (suite->arena.failed || !split_file(&reading, text))
        return KP_ENOMEM;
    err = cf_yaml_parse(&suite->arena, text, options, &stream, &fault);
    if (err == KP_ENOMEM)
        return err;
    if (err != KP_OK)
        cf_fault_at(&reading, fault.at, "%.*s", (int)fault.message.len, fault.message.bytes);
    else if (stream->count != 1 || stream->first->kind != CF_MAP)
        cf_fault_at(&reading, stream->count > 1 ? cf_node_at(stream, 1)->at : stream->at,
                    "wanted one document with about and cases (is a play's --- not in quotes?)");
    else
        read_cases(&reading, topic_of(reading.file), stream->first);
    if (suite->arena.failed)
        return KP_ENOMEM;
    return suite->fault_count == before ? KP_OK : KP_EINPUT;
}

/* NULL: it cannot be read; otherwise to be freed. */
static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0)
        bytes = malloc((size_t)size + 1);
    if (bytes)
        *len = fread(bytes, 1, (size_t)size, file);
    fclose(file);
    return bytes;
}

static enum kp_err load_file(struct cf_suite *suite, const char *folder, const char *name)
{
    char path[1024];
    size_t len = 0;
    char *bytes;
    enum kp_err err;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    bytes = read_file(path, &len);
    if (!bytes) {
        struct cf_reading reading = {.suite = suite, .arena = &suite->arena, .file = "cases"};

        reading.file = cf_arena_text(&suite->arena, kp_text_of(path)).bytes;
        cf_fault_at(&reading, (struct cf_place){0, 0}, "cannot be read");
        return KP_EINPUT;
    }
    err = cf_suite_add(suite, path, (struct kp_text){bytes, len});
    free(bytes);
    return err;
}

static int is_case_file(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return entry->d_name[0] != '.' && len > 5 && strcmp(entry->d_name + len - 5, ".yaml") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

enum kp_err cf_suite_load(struct cf_suite *suite, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_case_file, by_bytes);
    enum kp_err worst = KP_OK;

    if (count < 0) {
        struct cf_reading reading = {.suite = suite, .arena = &suite->arena, .file = NULL};

        reading.file = cf_arena_text(&suite->arena, kp_text_of(folder)).bytes;
        cf_fault_at(&reading, (struct cf_place){0, 0}, "no such folder of cases");
        return KP_EINPUT;
    }
    for (int i = 0; i < count; i++) {
        enum kp_err err = load_file(suite, folder, entries[i]->d_name);

        if (err != KP_OK && worst != KP_ENOMEM)
            worst = err;
        free(entries[i]);
    }
    free(entries);
    return worst;
}

/* ---- the suite ------------------------------------------------------------------------------- */

void cf_suite_init(struct cf_suite *suite, const struct kp_mem *mem)
{
    *suite = (struct cf_suite){0};
    cf_arena_init(&suite->arena, mem);
}

void cf_suite_deinit(struct cf_suite *suite)
{
    cf_arena_deinit(&suite->arena);
}

void cf_suite_complain(const struct cf_suite *suite)
{
    for (size_t i = 0; i < suite->fault_count; i++) {
        const struct cf_suite_fault *fault = &suite->faults[i];

        fprintf(stderr, "%s:%d:%d: %.*s\n", fault->file, fault->at.line, fault->at.column,
                (int)fault->message.len, fault->message.bytes);
    }
}

const struct cf_case *cf_suite_find(const struct cf_suite *suite, struct kp_text id)
{
    for (size_t i = 0; i < suite->case_count; i++)
        if (kp_text_equal(suite->cases[i].id, id))
            return &suite->cases[i];
    return NULL;
}

bool cf_case_applies(const struct cf_case *item, int minor, int patch)
{
    int version = minor * 1000 + patch;

    return version >= item->since && version <= item->until;
}
