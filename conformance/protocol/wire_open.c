/* wire_open.c: hello and open (protocol.md, sections 1 and 4). */
#include "conformance/protocol/wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PPB INT64_C(1000000000)

/* ---- hello -------------------------------------------------------------------------------- */

void cf_put_hello(struct cf_out *out, const struct cf_hello *hello)
{
    cf_json_int(out, "protocol", hello->protocol);
    cf_json_text(out, "k8s", hello->k8s);
    cf_json_open(out, "gates", '{');
    for (size_t i = 0; i < hello->gate_count; i++) {
        cf_json_comma(out);
        cf_out_put_json(out, hello->gates[i].name);
        cf_out_put_string(out, hello->gates[i].on ? ":true" : ":false");
    }
    cf_out_put_char(out, '}');
    cf_json_key(out, "seed");
    cf_out_printf(out, "%llu", (unsigned long long)hello->seed);
}

static bool read_gates(struct cf_reader *reader, const struct cf_node *request,
                       struct cf_hello *hello)
{
    const struct cf_node *map;
    struct cf_gate_setting *gates;

    if (!cf_member_node(reader, request, "gates", CF_MAP, &map))
        return false;
    if (map == NULL)
        return true;
    gates = cf_arena_array(reader->arena, map->count, sizeof *gates);
    if (gates == NULL && map->count > 0)
        return cf_reader_fail(reader, "out of memory");
    hello->gates = gates;
    for (const struct cf_node *gate = map->first; gate; gate = gate->next) {
        if (gate->kind != CF_BOOL)
            return cf_reader_fail(reader, "gate %.*s must be true or false", KP_ARG(gate->key));
        gates[hello->gate_count++] = (struct cf_gate_setting){gate->key, gate->truth};
    }
    return true;
}

/* 0 .. 2^64-1; anything else that is an integer is taken modulo that. */
static bool read_seed(struct cf_reader *reader, const struct cf_node *request, uint64_t *seed)
{
    const struct cf_node *node;
    int64_t number;

    if (!cf_member_node(reader, request, "seed", CF_NUMBER, &node))
        return false;
    if (node == NULL)
        return true;
    if (cf_number_int(node, &number)) {
        *seed = (uint64_t)number;
        return true;
    }
    return kp_text_number(node->text, UINT64_MAX, seed) ||
           cf_reader_fail(reader, "`seed` must be an integer of 64 bits");
}

bool cf_read_hello(struct cf_reader *reader, const struct cf_node *request, struct cf_hello *hello)
{
    *hello = (struct cf_hello){.protocol = CF_PROTOCOL_VERSION};
    return cf_member_int(reader, request, "protocol", INT32_MIN, INT32_MAX, &hello->protocol) &&
           cf_member_text(reader, request, "k8s", &hello->k8s) &&
           read_gates(reader, request, hello) && read_seed(reader, request, &hello->seed);
}

static void put_words(struct cf_out *out, const char *name, const bool *set,
                      const struct cf_words *words)
{
    cf_json_open(out, name, '[');
    for (size_t i = 0; i < words->count; i++)
        if (set[i]) {
            cf_json_comma(out);
            cf_out_put_json(out, kp_text_of(words->list[i]));
        }
    cf_out_put_char(out, ']');
}

enum { OBSERVABLE = CF_EFFECT_KINDS + CF_FIRE_PARTS };

static void put_observes(struct cf_out *out, const struct cf_hello_ok *ok)
{
    bool set[OBSERVABLE];

    memcpy(set, ok->observes, sizeof ok->observes);
    memcpy(set + CF_EFFECT_KINDS, ok->observes_part, sizeof ok->observes_part);
    put_words(out, "observes", set, &cf_observable_words);
}

static void put_initial(struct cf_out *out, const struct cf_hello_ok *ok)
{
    bool begun = false;

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        if (ok->initial[type] == CF_NO_WORD)
            continue;
        if (!begun) {
            cf_json_open(out, "initial", '{');
        }
        begun = true;
        cf_json_string(out, cf_word(&cf_probe_type_words, type),
                       cf_word(&cf_result_words, ok->initial[type]));
    }
    if (begun)
        cf_out_put_char(out, '}');
}

/* All layers have the same tier, or none. */
static bool is_one_tier(const struct cf_hello_ok *ok)
{
    for (int layer = 1; layer < CF_LAYERS; layer++)
        if (ok->tiers[layer] != ok->tiers[0])
            return false;
    return true;
}

static void put_tier(struct cf_out *out, const struct cf_hello_ok *ok)
{
    if (is_one_tier(ok)) {
        if (ok->tiers[0] != CF_NO_WORD)
            cf_json_string(out, "tier", cf_tier_name((enum cf_tier)ok->tiers[0]));
        return;
    }
    cf_json_open(out, "tier", '{');
    for (int layer = 0; layer < CF_LAYERS; layer++)
        if (ok->tiers[layer] != CF_NO_WORD)
            cf_json_string(out, cf_layer_name((enum cf_layer)layer),
                           cf_tier_name((enum cf_tier)ok->tiers[layer]));
    cf_out_put_char(out, '}');
}

void cf_put_tiers(struct cf_out *out, const struct cf_hello_ok *ok)
{
    const char *between = "tier ";

    for (int layer = 0; layer < CF_LAYERS; layer++) {
        if (ok->tiers[layer] == CF_NO_WORD)
            continue;
        cf_out_printf(out, "%s%s", between, cf_tier_name((enum cf_tier)ok->tiers[layer]));
        if (is_one_tier(ok))
            return;
        cf_out_printf(out, " of %s", cf_layer_name((enum cf_layer)layer));
        between = ", ";
    }
}

void cf_put_hello_ok(struct cf_out *out, const struct cf_hello_ok *ok)
{
    cf_out_put_char(out, '{');
    cf_json_int(out, "protocol", ok->protocol);
    cf_json_text(out, "name", ok->name);
    cf_json_text(out, "version", ok->version);
    cf_json_text(out, "language", ok->language);
    cf_json_text(out, "url", ok->url);
    cf_json_texts(out, "k8s", ok->k8s);
    put_words(out, "layers", ok->layers, &cf_layer_words);
    cf_json_texts(out, "features", ok->features);
    if (ok->lacks.count > 0)
        cf_json_texts(out, "lacks", ok->lacks);
    put_observes(out, ok);
    put_tier(out, ok);
    put_initial(out, ok);
    cf_json_string(out, "clock", ok->real_clock ? "real" : "virtual");
    if (ok->speed > 1)
        cf_json_int(out, "speed", ok->speed);
    cf_out_put_char(out, '}');
}

static bool read_texts(struct cf_reader *reader, const struct cf_node *map, const char *name,
                       struct kp_text_list *out)
{
    const struct cf_node *list;
    struct kp_text *items;

    if (!cf_member_node(reader, map, name, CF_LIST, &list))
        return false;
    if (list == NULL)
        return true;
    items = cf_arena_array(reader->arena, list->count, sizeof *items);
    for (const struct cf_node *item = list->first; item; item = item->next) {
        if (item->kind != CF_STRING)
            return cf_reader_fail(reader, "`%s` must be a list of strings", name);
        items[out->count++] = item->text;
    }
    out->items = items;
    return true;
}

/* A word that the protocol has not is refused: what is misspelt would silently not be judged. */
static bool read_words(struct cf_reader *reader, const struct cf_node *map, const char *name,
                       const struct cf_words *words, bool *set)
{
    struct kp_text_list list = {0};

    if (!read_texts(reader, map, name, &list))
        return false;
    for (size_t i = 0; i < list.count; i++) {
        int found = cf_find_word(words, list.items[i]);

        if (found == CF_NO_WORD)
            return cf_reader_no_word(reader, name, list.items[i], words);
        set[found] = true;
    }
    return true;
}

/* "1.36", "1.36.4"; one that there is not may come one day. */
static bool is_version(struct kp_text text)
{
    size_t dots = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool digit = kp_is_digit(text.bytes[i]);

        if (!digit && (text.bytes[i] != '.' || i == 0 || text.bytes[i - 1] == '.'))
            return false;
        dots += !digit;
    }
    return (dots == 1 || dots == 2) && text.bytes[text.len - 1] != '.';
}

static bool read_versions(struct cf_reader *reader, const struct cf_node *map,
                          struct kp_text_list *out)
{
    if (!read_texts(reader, map, "k8s", out))
        return false;
    for (size_t i = 0; i < out->count; i++)
        if (!is_version(out->items[i]))
            return cf_reader_fail(reader, "`k8s` lists \"%.*s\", which is no version such as 1.36",
                                  KP_ARG(out->items[i]));
    return true;
}

static bool read_known(struct cf_reader *reader, const struct cf_node *map, const char *name,
                       const struct cf_words *known, struct kp_text_list *out)
{
    if (!read_texts(reader, map, name, out))
        return false;
    for (size_t i = 0; i < out->count; i++)
        if (cf_find_word(known, out->items[i]) == CF_NO_WORD)
            return cf_reader_no_word(reader, name, out->items[i], known);
    return true;
}

/* All of it where `observes` is absent. */
static bool read_observes(struct cf_reader *reader, const struct cf_node *ok,
                          struct cf_hello_ok *out)
{
    bool set[OBSERVABLE] = {false};

    out->says_observes = cf_node_find(ok, "observes") != NULL;
    if (!read_words(reader, ok, "observes", &cf_observable_words, set))
        return false;
    for (int i = 0; i < OBSERVABLE && !out->says_observes; i++)
        set[i] = true;
    memcpy(out->observes, set, sizeof out->observes);
    memcpy(out->observes_part, set + CF_EFFECT_KINDS, sizeof out->observes_part);
    return true;
}

static bool read_initial(struct cf_reader *reader, const struct cf_node *ok,
                         struct cf_hello_ok *out)
{
    const struct cf_node *map;

    if (!cf_member_node(reader, ok, "initial", CF_MAP, &map))
        return false;
    for (const struct cf_node *one = map ? map->first : NULL; one; one = one->next) {
        int type = cf_find_word(&cf_probe_type_words, one->key);
        int value = one->kind == CF_STRING ? cf_find_word(&cf_result_words, one->text) : CF_NO_WORD;

        if (type == CF_NO_WORD || value == CF_NO_WORD)
            return cf_reader_fail(reader, "`initial` gives each of liveness, readiness, startup "
                                          "one of success, failure, unknown");
        out->initial[type] = value;
    }
    return true;
}

/* One word, or a word for each layer that it names. */
static bool read_tier(struct cf_reader *reader, const struct cf_node *ok, struct cf_hello_ok *out)
{
    const struct cf_node *map = cf_node_find(ok, "tier");
    int all = CF_NO_WORD;

    if (map && map->kind != CF_MAP && map->kind != CF_STRING)
        return cf_reader_fail(reader, "`tier` must be a string, or a map of them by layer");
    if (map && map->kind != CF_MAP &&
        !cf_member_word(reader, ok, "tier", &cf_tier_words, false, &all))
        return false;
    for (int layer = 0; layer < CF_LAYERS; layer++)
        out->tiers[layer] = all;
    for (const struct cf_node *one = map && map->kind == CF_MAP ? map->first : NULL; one;
         one = one->next) {
        int layer = cf_find_word(&cf_layer_words, one->key);

        if (layer == CF_NO_WORD)
            return cf_reader_no_word(reader, "tier", one->key, &cf_layer_words);
        out->tiers[layer] =
            one->kind == CF_STRING ? cf_find_word(&cf_tier_words, one->text) : CF_NO_WORD;
        if (out->tiers[layer] == CF_NO_WORD)
            return cf_reader_no_word(reader, "tier", one->text, &cf_tier_words);
    }
    return true;
}

static const char hello_members[] = " protocol name version language url k8s layers features "
                                    "lacks observes tier initial clock speed ";

static bool check_hello_members(struct cf_reader *reader, const struct cf_node *ok)
{
    for (const struct cf_node *member = ok->first; member; member = member->next) {
        char padded[24] = {' '};

        if (member->key.len == 0 || member->key.len > sizeof padded - 3)
            return cf_reader_fail(reader, "the reply to hello has an unknown field");
        memcpy(padded + 1, member->key.bytes, member->key.len);
        padded[member->key.len + 1] = ' ';
        if (!strstr(hello_members, padded))
            return cf_reader_fail(reader, "the reply to hello has no field \"%.*s\"",
                                  KP_ARG(member->key));
    }
    return true;
}

static bool read_clock(struct cf_reader *reader, const struct cf_node *ok, struct cf_hello_ok *out)
{
    struct kp_text clock = KP_TEXT("virtual");

    if (!cf_member_text(reader, ok, "clock", &clock) ||
        !cf_member_int(reader, ok, "speed", 1, CF_SPEED_MAX, &out->speed))
        return false;
    out->real_clock = kp_text_equal(clock, KP_TEXT("real"));
    if (!out->real_clock && !kp_text_equal(clock, KP_TEXT("virtual")))
        return cf_reader_fail(reader, "`clock` must be \"virtual\" or \"real\"");
    return out->real_clock || out->speed == 1 ||
           cf_reader_fail(reader, "`speed` is of a real clock alone");
}

static bool check_protocol(struct cf_reader *reader, const struct cf_node *ok, int64_t protocol)
{
    if (protocol == CF_PROTOCOL_VERSION)
        return true;
    if (!cf_node_find(ok, "protocol"))
        return cf_reader_fail(reader, "`protocol` is missing");
    return cf_reader_fail(reader, "it speaks protocol %lld, and this probetest %d",
                          (long long)protocol, CF_PROTOCOL_VERSION);
}

bool cf_read_hello_ok(struct cf_reader *reader, const struct cf_node *ok, struct cf_hello_ok *out)
{
    *out = (struct cf_hello_ok){.protocol = -1, .speed = 1};
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        out->initial[type] = CF_NO_WORD;
    if (!cf_member_int(reader, ok, "protocol", INT32_MIN, INT32_MAX, &out->protocol) ||
        !check_protocol(reader, ok, out->protocol) || !check_hello_members(reader, ok) ||
        !cf_member_text(reader, ok, "name", &out->name) ||
        !cf_member_text(reader, ok, "version", &out->version) ||
        !cf_member_text(reader, ok, "language", &out->language) ||
        !cf_member_text(reader, ok, "url", &out->url) || !read_versions(reader, ok, &out->k8s) ||
        !read_words(reader, ok, "layers", &cf_layer_words, out->layers) ||
        !read_known(reader, ok, "features", &cf_feature_words, &out->features) ||
        !read_known(reader, ok, "lacks", &cf_lack_words, &out->lacks) ||
        !read_observes(reader, ok, out) || !read_tier(reader, ok, out) ||
        !read_initial(reader, ok, out) || !read_clock(reader, ok, out))
        return false;
    if (out->name.len == 0)
        return cf_reader_fail(reader, "`name` is missing");
    return cf_node_find(ok, "layers") != NULL || cf_reader_fail(reader, "`layers` is missing");
}

/* ---- open --------------------------------------------------------------------------------- */

/* Billionths as a decimal fraction: 250000000 is 0.25. */
static void put_fraction(struct cf_out *out, int64_t ppb)
{
    int64_t whole = ppb / PPB;
    int64_t part = ppb % PPB;
    int digits = 9;

    cf_out_put_int(out, whole);
    if (part == 0)
        return;
    for (; part % 10 == 0; part /= 10)
        digits--;
    cf_out_printf(out, ".%0*lld", digits, (long long)part);
}

static void put_jitter(struct cf_out *out, const struct fake_open *open)
{
    cf_json_key(out, "jitter");
    if (open->jitter != FAKE_JITTER_MAP) {
        cf_out_put_string(out, open->jitter == FAKE_JITTER_FREE ? "\"free\"" : "\"none\"");
        return;
    }
    cf_out_put_char(out, '{');
    for (size_t i = 0; i < open->jitter_row_count; i++) {
        const struct fake_jitter_row *row = &open->jitter_rows[i];
        struct cf_out key = {0};

        cf_out_put(&key, row->container);
        cf_out_put_char(&key, '/');
        cf_out_put_string(&key, cf_word(&cf_probe_type_words, row->type));
        cf_json_comma(out);
        cf_out_put_json(out, cf_out_text(&key));
        cf_out_put_char(out, ':');
        put_fraction(out, row->delay_ppb);
        cf_out_deinit(&key);
    }
    cf_out_put_char(out, '}');
}

void cf_put_open(struct cf_out *out, const struct fake_open *open)
{
    cf_json_string(out, "layer", open->layer == FAKE_LAYER_PROBE ? "probe" : "pod");
    cf_json_int(out, "uptime", open->uptime_ns / KP_NS_PER_MS);
    cf_json_int(out, "wall", open->wall_ns / KP_NS_PER_MS);
    put_jitter(out, open);
    cf_json_key(out, "requeueJitter");
    put_fraction(out, open->requeue_ppb);
    cf_json_int(out, "syncFrequency", open->sync_frequency_ns / KP_NS_PER_MS);
    if (open->speed > 0)
        cf_json_int(out, "speed", open->speed);
}

/* A number from 0 to 1, in billionths, rounded. */
static bool read_fraction(struct cf_reader *reader, const struct cf_node *node, const char *name,
                          int64_t *ppb)
{
    char digits[64];
    double value;

    if (node->kind != CF_NUMBER || node->text.len >= sizeof digits)
        return cf_reader_fail(reader, "`%s` must be a number from 0 to 1", name);
    memcpy(digits, node->text.bytes, node->text.len);
    digits[node->text.len] = '\0';
    value = strtod(digits, NULL);
    if (!(value >= 0 && value <= 1))
        return cf_reader_fail(reader, "`%s` must be a number from 0 to 1", name);
    *ppb = (int64_t)llround(value * (double)PPB);
    return true;
}

/* "container/type" */
static bool read_jitter_key(struct cf_reader *reader, struct kp_text key,
                            struct fake_jitter_row *row)
{
    size_t slash = key.len;
    int type;

    while (slash > 0 && key.bytes[slash - 1] != '/')
        slash--;
    type = cf_find_word(&cf_probe_type_words, kp_text_from(key, slash));
    if (slash == 0 || type == CF_NO_WORD)
        return cf_reader_fail(reader, "`jitter` has the key \"%.*s\", which is no container/type",
                              KP_ARG(key));
    row->container = (struct kp_text){key.bytes, slash - 1};
    row->type = (enum kp_probe_type)type;
    return true;
}

static bool read_jitter_map(struct cf_reader *reader, const struct cf_node *map,
                            struct cf_jitter *jitter)
{
    struct fake_jitter_row *rows = cf_arena_array(reader->arena, map->count, sizeof *rows);

    jitter->mode = FAKE_JITTER_MAP;
    jitter->rows = rows;
    if (rows == NULL && map->count > 0)
        return cf_reader_fail(reader, "out of memory");
    for (const struct cf_node *item = map->first; item; item = item->next) {
        struct fake_jitter_row *row = &rows[jitter->row_count++];

        if (!read_jitter_key(reader, item->key, row) ||
            !read_fraction(reader, item, "jitter", &row->delay_ppb))
            return false;
    }
    return true;
}

bool cf_read_jitter(struct cf_reader *reader, const struct cf_node *map, struct cf_jitter *jitter)
{
    const struct cf_node *node = cf_node_find(map, "jitter");

    *jitter = (struct cf_jitter){.mode = FAKE_JITTER_NONE};
    if (node == NULL || node->kind == CF_NULL)
        return true;
    if (node->kind == CF_MAP)
        return read_jitter_map(reader, node, jitter);
    if (node->kind == CF_STRING && kp_text_equal(node->text, KP_TEXT("none")))
        return true;
    if (node->kind != CF_STRING || !kp_text_equal(node->text, KP_TEXT("free")))
        return cf_reader_fail(reader, "`jitter` must be \"none\", \"free\" or an object");
    jitter->mode = FAKE_JITTER_FREE;
    return true;
}

bool cf_read_open(struct cf_reader *reader, const struct cf_node *request, struct fake_open *open)
{
    const struct cf_node *requeue;
    struct cf_jitter jitter;
    int layer = 0;

    *open = (struct fake_open){.sync_frequency_ns = 60 * KP_NS_PER_S};
    if (!cf_member_word(reader, request, "layer", &cf_layer_words, true, &layer) ||
        !cf_member_ms(reader, request, "uptime", &open->uptime_ns) ||
        !cf_member_ms(reader, request, "wall", &open->wall_ns) ||
        !cf_member_ms(reader, request, "syncFrequency", &open->sync_frequency_ns) ||
        !cf_member_node(reader, request, "requeueJitter", CF_NUMBER, &requeue) ||
        !cf_read_jitter(reader, request, &jitter))
        return false;
    if (layer != CF_LAYER_PROBE && layer != CF_LAYER_POD)
        return cf_reader_fail(reader, "`layer` must be \"probe\" or \"pod\"");
    if (open->uptime_ns < 0 || open->sync_frequency_ns <= 0)
        return cf_reader_fail(reader, "`uptime` must not be negative, `syncFrequency` positive");
    open->layer = layer == CF_LAYER_PROBE ? FAKE_LAYER_PROBE : FAKE_LAYER_POD;
    open->jitter = jitter.mode;
    open->jitter_rows = jitter.rows;
    open->jitter_row_count = jitter.row_count;
    return requeue == NULL || read_fraction(reader, requeue, "requeueJitter", &open->requeue_ppb);
}
