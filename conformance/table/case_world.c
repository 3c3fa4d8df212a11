/* case_world.c: `world`, and what happens when: `events`. */
#include "conformance/table/case_read.h"

#include <string.h>

/* ---- containers and sandboxes ---------------------------------------------------------------- */

/* The entries of a list, or of one text alone; each is split into words. */
struct entries {
    struct cf_reading *reading;
    const struct cf_node *next;
    size_t count;
};

static struct entries entries_of(struct cf_reading *reading, const struct cf_node *node)
{
    struct entries entries = {reading, node, node != NULL};

    if (node && node->kind == CF_LIST) {
        entries.next = node->first;
        entries.count = node->count;
    }
    return entries;
}

static bool next_entry(struct entries *entries, struct cf_line *line)
{
    while (entries->next) {
        const struct cf_node *node = entries->next;
        struct kp_text text = cf_read_text(entries->reading, node);

        entries->next = entries->count > 1 ? node->next : NULL;
        if (text.len > 0 && cf_line_split(entries->reading, text, node->at, line) &&
            line->count > 0)
            return true;
    }
    return false;
}

/* "after 5s" from word k on; nothing else may follow. */
static int64_t read_after(struct cf_reading *reading, const struct cf_line *line, size_t k)
{
    if (k == line->count)
        return 0;
    if (cf_line_is(line, k, "after") && line->count == k + 2)
        return cf_line_duration(reading, line, k + 1);
    cf_fault_at(reading, line->places[k], "wanted 'after DURATION', found '%.*s'",
                KP_ARG(line->words[k].text));
    return 0;
}

/* ok [after D] | fail [REASON] ["text"] [after D] */
static struct fake_done read_done(struct cf_reading *reading, const struct cf_line *line,
                                  bool reasons)
{
    struct fake_done done = {.fails = cf_line_is(line, 0, "fail")};
    size_t k = 1;

    if (!done.fails && !cf_line_is(line, 0, "ok"))
        cf_fault_at(reading, line->at, "wanted 'ok [after D]' or 'fail %s\"text\" [after D]'",
                    reasons ? "REASON " : "");
    if (done.fails && reasons) {
        done.reason = cf_line_word(line, k++);
        if (!kp_text_equal(done.reason, KP_TEXT("CreateContainerError")) &&
            !kp_text_equal(done.reason, KP_TEXT("RunContainerError")))
            cf_fault_at(reading, line->at,
                        "fail: wanted CreateContainerError or RunContainerError, found '%.*s'",
                        KP_ARG(done.reason));
    }
    if (done.fails && k < line->count && line->words[k].quoted)
        done.message = cf_line_word(line, k++);
    if (k > line->count)
        k = line->count;
    done.takes_ns = read_after(reading, line, k);
    return done;
}

static const struct fake_done *read_dones(struct cf_reading *reading, const struct cf_node *node,
                                          bool reasons, size_t *count)
{
    struct entries entries = entries_of(reading, node);
    struct fake_done *list = cf_arena_array(reading->arena, entries.count + 1, sizeof *list);
    struct cf_line line;

    while (list && next_entry(&entries, &line))
        list[(*count)++] = read_done(reading, &line, reasons);
    return list;
}

/* never | CODE [REASON] after D */
static const struct fake_exit *read_exits(struct cf_reading *reading, const struct cf_node *node,
                                          size_t *count)
{
    struct entries entries = entries_of(reading, node);
    struct fake_exit *list = cf_arena_array(reading->arena, entries.count + 1, sizeof *list);
    struct cf_line line;

    while (list && next_entry(&entries, &line)) {
        struct fake_exit *exit = &list[(*count)++];
        int64_t code;
        size_t k = 1;

        exit->never = cf_line_is(&line, 0, "never");
        if (exit->never)
            continue;
        if (!cf_line_int(reading, &line, 0, &code))
            continue;
        exit->code = (int32_t)code;
        if (line.count > 1 && !cf_line_is(&line, 1, "after"))
            exit->reason = cf_line_word(&line, k++);
        exit->after_ns = read_after(reading, &line, k);
    }
    return list;
}

/* ignores | CODE [after D] | fail "text" [after D] */
static const struct fake_stop *read_stops(struct cf_reading *reading, const struct cf_node *node,
                                          size_t *count)
{
    struct entries entries = entries_of(reading, node);
    struct fake_stop *list = cf_arena_array(reading->arena, entries.count + 1, sizeof *list);
    struct cf_line line;

    while (list && next_entry(&entries, &line)) {
        struct fake_stop *stop = &list[(*count)++];
        int64_t code;

        if (cf_line_is(&line, 0, "ignores")) {
            stop->kind = FAKE_STOP_IGNORES;
        } else if (cf_line_is(&line, 0, "fail")) {
            struct fake_done done = read_done(reading, &line, false);

            *stop = (struct fake_stop){
                .kind = FAKE_STOP_FAILS, .message = done.message, .takes_ns = done.takes_ns};
        } else if (cf_line_int(reading, &line, 0, &code)) {
            stop->code = (int32_t)code;
            stop->takes_ns = read_after(reading, &line, 1);
        }
    }
    return list;
}

static void refuse_others(struct cf_reading *reading, const struct cf_node *map,
                          const char *const *known)
{
    for (const struct cf_node *one = map->first; one; one = one->next) {
        size_t k = 0;

        while (known[k] && !kp_text_equal(one->key, kp_text_of(known[k])))
            k++;
        if (!known[k])
            cf_fault_at(reading, one->key_at, "unknown key '%.*s': wanted %s, %s%s%s",
                        KP_ARG(one->key), known[0], known[1], known[2] ? ", " : "",
                        known[2] ? "exits or pull" : "");
    }
}

static void read_container(struct cf_reading *reading, const struct cf_node *map,
                           struct fake_behaviour *behaviour)
{
    static const char *const known[] = {"starts", "stops", "exits", "pull", NULL};

    refuse_others(reading, map, known);
    behaviour->starts =
        read_dones(reading, cf_node_find(map, "starts"), true, &behaviour->start_count);
    behaviour->exits = read_exits(reading, cf_node_find(map, "exits"), &behaviour->exit_count);
    behaviour->stops = read_stops(reading, cf_node_find(map, "stops"), &behaviour->stop_count);
    behaviour->pull_ns = cf_read_duration(reading, cf_node_find(map, "pull"), 0);
}

static void read_sandboxes(struct cf_reading *reading, const struct cf_node *map,
                           struct fake_sandboxes *sandboxes)
{
    static const char *const known[] = {"creates", "stops", NULL};

    refuse_others(reading, map, known);
    sandboxes->creates =
        read_dones(reading, cf_node_find(map, "creates"), false, &sandboxes->create_count);
    sandboxes->stops =
        read_dones(reading, cf_node_find(map, "stops"), false, &sandboxes->stop_count);
}

void cf_case_read_world(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *map = cf_node_find(item->node, "world");
    struct fake_behaviour *behaviours;
    struct fake_sandboxes *sandboxes;

    if (!map)
        return;
    if (map->kind != CF_MAP || item->layer != CF_LAYER_POD) {
        cf_fault_at(reading, map->at,
                    map->kind == CF_MAP ? "world: only layer pod asks a world to start and stop"
                                        : "world: wanted a map of containers and `pod`");
        return;
    }
    behaviours = cf_arena_array(reading->arena, map->count + 1, sizeof *behaviours);
    sandboxes = cf_arena_array(reading->arena, map->count + 1, sizeof *sandboxes);
    for (const struct cf_node *one = map->first; behaviours && sandboxes && one; one = one->next) {
        struct cf_line line = {.at = one->key_at, .count = 1};
        uint32_t pod;
        int container;

        line.words[0].text = one->key;
        line.places[0] = one->key_at;
        if (!cf_case_subject(reading, item, &line, 0, &pod, &container))
            continue;
        if (one->kind != CF_MAP) {
            cf_fault_at(reading, one->at, "wanted a map");
        } else if (container < 0) {
            sandboxes[item->script.sandboxes_count].pod = pod;
            read_sandboxes(reading, one, &sandboxes[item->script.sandboxes_count++]);
        } else {
            struct fake_behaviour *behaviour = &behaviours[item->script.behaviour_count++];

            behaviour->pod = pod;
            behaviour->container = cf_case_container_name(item, pod, container);
            read_container(reading, one, behaviour);
        }
    }
    item->script.behaviours = behaviours;
    item->script.sandboxes = sandboxes;
}
