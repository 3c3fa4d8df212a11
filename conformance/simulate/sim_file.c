#include "conformance/simulate/sim_file.h"

#include "conformance/table/case_read.h"
#include "conformance/text/yaml.h"

#include <string.h>

static void check_keys(struct cf_reading *reading, const struct cf_node *map)
{
    static const char *const keys[] = {"answers", "world", "events"};

    for (const struct cf_node *one = map->first; one; one = one->next) {
        size_t k = 0;

        while (k < 3 && !kp_text_equal(one->key, kp_text_of(keys[k])))
            k++;
        if (k == 3)
            cf_fault_at(reading, one->key_at,
                        "unknown key '%.*s': a script has answers, world and events",
                        KP_ARG(one->key));
    }
}

static void check_answers(struct cf_reading *reading, const struct cf_case *item)
{
    const struct cf_node *map = cf_node_find(item->node, "answers");
    size_t i = 0;

    for (const struct cf_node *one = map->first; one; one = one->next)
        cf_case_check_call(reading, item, one->key, one->key_at, &item->script.answers[i++]);
}

/* What the file leaves out of a container's behaviour stays as it was assumed. */
static void complete(struct fake_behaviour *said, const struct fake_script *assumed)
{
    for (size_t i = 0; i < assumed->behaviour_count; i++) {
        const struct fake_behaviour *other = &assumed->behaviours[i];

        if (other->pod != said->pod || !kp_text_equal(other->container, said->container))
            continue;
        if (said->start_count == 0 && said->pull_ns == 0) {
            said->starts = other->starts;
            said->start_count = other->start_count;
        }
        if (said->exit_count == 0) {
            said->exits = other->exits;
            said->exit_count = other->exit_count;
        }
        if (said->stop_count == 0) {
            said->stops = other->stops;
            said->stop_count = other->stop_count;
        }
    }
}

/* Two lists behind one another: the later entry wins. */
static const void *joined(struct cf_arena *arena, const void *first, size_t first_count,
                          const void *second, size_t second_count, size_t size)
{
    char *both = cf_arena_array(arena, first_count + second_count + 1, size);

    if (!both)
        return NULL;
    if (first_count > 0)
        memcpy(both, first, first_count * size);
    if (second_count > 0)
        memcpy(both + first_count * size, second, second_count * size);
    return both;
}

static enum kp_err lay_over(struct cf_arena *arena, const struct fake_script *said,
                            struct fake_script *script)
{
    struct fake_behaviour *behaviours =
        cf_arena_array(arena, said->behaviour_count + 1, sizeof *behaviours);

    if (!behaviours)
        return KP_ENOMEM;
    for (size_t i = 0; i < said->behaviour_count; i++) {
        behaviours[i] = said->behaviours[i];
        complete(&behaviours[i], script);
    }
    script->behaviours = joined(arena, script->behaviours, script->behaviour_count, behaviours,
                                said->behaviour_count, sizeof *behaviours);
    script->behaviour_count += said->behaviour_count;
    script->answers = joined(arena, script->answers, script->answers_count, said->answers,
                             said->answers_count, sizeof *said->answers);
    script->answers_count += said->answers_count;
    if (said->sandboxes_count > 0) {
        script->sandboxes = said->sandboxes;
        script->sandboxes_count = said->sandboxes_count;
    }
    if (said->script_event_count > 0) {
        script->script_events = said->script_events;
        script->script_event_count = said->script_event_count;
    }
    return arena->failed ? KP_ENOMEM : KP_OK;
}

static enum kp_err read_over(struct cf_reading *reading, const struct cf_node *map,
                             const struct cf_node *pod, struct fake_script *script)
{
    struct cf_case item = {.layer = CF_LAYER_POD,
                           .kind = CF_SCENARIO,
                           .pods = &pod,
                           .pod_count = 1,
                           .file = reading->file,
                           .node = map};

    check_keys(reading, map);
    cf_case_read_answers(reading, &item);
    cf_case_read_world(reading, &item);
    cf_case_read_events(reading, &item);
    if (reading->suite->fault_count == 0 && item.script.answers)
        check_answers(reading, &item);
    if (reading->arena->failed)
        return KP_ENOMEM;
    return reading->suite->fault_count > 0 ? KP_EINPUT
                                           : lay_over(reading->arena, &item.script, script);
}

enum kp_err cf_sim_file_read(struct cf_suite *suite, const char *name, struct kp_text bytes,
                             const struct cf_node *pod, struct fake_script *script)
{
    struct cf_reading reading;
    const struct cf_node *map = cf_suite_document(suite, &reading, name, bytes);

    if (!map)
        return suite->arena.failed ? KP_ENOMEM : KP_EINPUT;
    return read_over(&reading, map, pod, script);
}

enum kp_err cf_sim_answers_read(struct cf_suite *suite, const char *name, struct kp_text lines,
                                const struct cf_node *pod, struct fake_script *script)
{
    struct cf_reading reading;
    const struct cf_node *answers = cf_suite_document(suite, &reading, name, lines);
    struct cf_node *map;

    if (!answers)
        return suite->arena.failed ? KP_ENOMEM : KP_EINPUT;
    map = cf_node_new(&suite->arena, CF_MAP, answers->at);
    cf_node_put(map, KP_TEXT("answers"), cf_node_copy(&suite->arena, answers));
    return suite->arena.failed ? KP_ENOMEM : read_over(&reading, map, pod, script);
}
