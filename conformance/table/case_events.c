/* case_events.c: what happens when: the lines of `events`. */
#include "conformance/protocol/wire.h"
#include "conformance/table/case_read.h"

/* One line being read. */
struct eventful {
    struct cf_reading *reading;
    struct cf_case *item;
    const struct cf_line *line;
    struct fake_script_event *script_event;
    const struct cf_node **update;
};

static bool wrong(const struct eventful *e, const char *wanted)
{
    cf_fault_at(e->reading, e->line->at, "wanted '%s'", wanted);
    return false;
}

/* TIME web running [restarts N] [started TIME] */
static bool read_running(struct eventful *e)
{
    struct kp_event *event = &e->script_event->event;

    for (size_t k = 3; k < e->line->count; k += 2) {
        if (cf_line_is(e->line, k, "restarts")) {
            e->script_event->has_restarts = true;
            if (!cf_line_int(e->reading, e->line, k + 1, &event->u.running.restarts))
                return false;
        } else if (cf_line_is(e->line, k, "started")) {
            event->u.running.has_started_at = true;
            event->u.running.started_at_ns = cf_line_duration(e->reading, e->line, k + 1);
        } else {
            return wrong(e, "TIME web running [restarts N] [started TIME]");
        }
    }
    return true;
}

/* TIME web exited CODE [REASON] */
static bool read_exited(struct eventful *e)
{
    int64_t code;

    if (e->line->count < 4 || e->line->count > 5)
        return wrong(e, "TIME web exited CODE [REASON]");
    e->script_event->event.reason = cf_line_word(e->line, 4);
    if (!cf_line_int(e->reading, e->line, 3, &code))
        return false;
    e->script_event->event.u.exit_code = (int32_t)code;
    return true;
}

static bool read_waiting(struct eventful *e)
{
    e->script_event->event.reason = cf_line_word(e->line, 3);
    return e->line->count == 4 || wrong(e, "TIME web waiting REASON");
}

static bool read_phase(struct eventful *e)
{
    int phase = cf_find_word(&cf_phase_words, cf_line_word(e->line, 3));

    if (e->line->count != 4 || phase <= KP_PHASE_NONE)
        return wrong(e, "TIME pod phase Pending|Running|Succeeded|Failed|Unknown");
    e->script_event->event.u.phase = (enum kp_phase)phase;
    return true;
}

/* TIME pod delete DURATION */
static bool read_delete(struct eventful *e)
{
    if (e->line->count != 4)
        return wrong(e, "TIME pod delete GRACE, as in: 25s pod delete 30s");
    if (cf_parse_grace(cf_line_word(e->line, 3), &e->script_event->event.u.grace_s))
        return true;
    cf_fault_at(e->reading, e->line->places[3], "wanted a grace of whole seconds, found '%.*s'",
                (int)cf_line_word(e->line, 3).len, cf_line_word(e->line, 3).bytes);
    return false;
}

static bool read_cleanup(struct eventful *e)
{
    e->script_event->event.u.keep = cf_line_is(e->line, 3, "keep");
    return e->line->count == 3 || (e->line->count == 4 && e->script_event->event.u.keep) ||
           wrong(e, "TIME pod cleanup [keep]");
}

/* TIME pod update NAME: the pod of that name in `updates`. */
static bool read_update(struct eventful *e)
{
    const struct cf_node *updates = cf_node_find(e->item->node, "updates");

    if (e->line->count != 4)
        return wrong(e, "TIME pod update NAME");
    for (const struct cf_node *one = updates ? updates->first : NULL; one; one = one->next)
        if (kp_text_equal(one->key, cf_line_word(e->line, 3)))
            *e->update = cf_case_complete_pod(e->reading, one);
    if (!*e->update)
        cf_fault_at(e->reading, e->line->places[3], "'%.*s': no such pod in `updates`",
                    (int)cf_line_word(e->line, 3).len, cf_line_word(e->line, 3).bytes);
    return *e->update != NULL;
}

static bool read_bare(struct eventful *e)
{
    return e->line->count == 3 || wrong(e, "nothing behind this event");
}

/* TIME web answers liveness STEPS */
static bool read_answers(struct eventful *e)
{
    struct fake_answers *answers = cf_arena_alloc(e->reading->arena, sizeof *answers);
    const struct cf_line *line = e->line;

    if (line->count < 5)
        return wrong(e, "TIME web answers liveness|readiness|... HOW");
    if (!answers ||
        !cf_case_read_call(e->reading, e->item, cf_line_word(line, 3), line->places[3], answers))
        return false;
    answers->pod = e->script_event->event.pod;
    if (e->script_event->event.container >= 0)
        answers->container =
            cf_case_container_name(e->item, answers->pod, e->script_event->event.container);
    if (!cf_case_check_call(e->reading, e->item, cf_line_word(line, 3), line->places[3], answers) ||
        !cf_case_read_steps(e->reading, cf_line_rest(line, 4), line->places[4], answers))
        return false;
    e->script_event->answers = answers;
    return true;
}

/* Layers: P probe, B both. */
static const struct event_row {
    const char *name;
    bool of_container;
    char layers;
    enum kp_event_kind kind;
    bool (*read)(struct eventful *e);
} event_rows[] = {
    {"running", true, 'P', KP_EVENT_RUNNING, read_running},
    {"exited", true, 'B', KP_EVENT_EXITED, read_exited},
    {"waiting", true, 'P', KP_EVENT_WAITING, read_waiting},
    {"answers", true, 'B', KP_EVENT_ANSWER, read_answers},
    {"sync", false, 'P', KP_EVENT_SYNC, read_bare},
    {"phase", false, 'P', KP_EVENT_PHASE, read_phase},
    {"nostatus", false, 'P', KP_EVENT_NOSTATUS, read_bare},
    {"delete", false, 'B', KP_EVENT_DELETE, read_delete},
    {"remove", false, 'P', KP_EVENT_REMOVE, read_bare},
    {"cleanup", false, 'P', KP_EVENT_CLEANUP, read_cleanup},
    {"update", false, 'B', KP_EVENT_UPDATE, read_update},
    {"stop", false, 'P', KP_EVENT_STOP, read_bare},
    {"addpod", false, 'P', KP_EVENT_ADDPOD, read_bare},
};

/* kubelet restart D | clock +D | runtime down|up: not about a pod.  false: none of them. */
static bool read_nodewide(struct eventful *e)
{
    struct kp_event *event = &e->script_event->event;
    const struct cf_line *line = e->line;

    event->container = -1;
    if (cf_line_is(line, 1, "kubelet") && cf_line_is(line, 2, "restart") && line->count == 4) {
        event->kind = KP_EVENT_KUBELET_RESTART;
        event->u.down_ns = cf_line_duration(e->reading, line, 3);
        return true;
    }
    if (cf_line_is(line, 1, "clock") && line->count == 3) {
        event->kind = KP_EVENT_CLOCK;
        event->u.by_ns = cf_line_duration(e->reading, line, 2);
        return true;
    }
    if (cf_line_is(line, 1, "runtime") && line->count == 3 &&
        (cf_line_is(line, 2, "down") || cf_line_is(line, 2, "up"))) {
        event->kind = cf_line_is(line, 2, "up") ? KP_EVENT_RUNTIME_UP : KP_EVENT_RUNTIME_DOWN;
        return true;
    }
    return false;
}

static bool read_event(struct eventful *e)
{
    struct kp_event *event = &e->script_event->event;

    if (read_nodewide(e))
        return true;
    if (e->line->count < 3)
        return wrong(e, "TIME WHO EVENT ..., as in: 10s web exited 1");
    if (!cf_case_subject(e->reading, e->item, e->line, 1, &event->pod, &event->container))
        return false;
    for (size_t i = 0; i < sizeof event_rows / sizeof *event_rows; i++) {
        const struct event_row *row = &event_rows[i];

        if (!cf_line_is(e->line, 2, row->name))
            continue;
        if (row->layers == 'P' && e->item->layer == CF_LAYER_POD)
            return wrong(e, "an event of layer pod: exited, answers, delete, update, kubelet "
                            "restart, clock or runtime");
        if (row->of_container && event->container < 0 && row->kind != KP_EVENT_ANSWER)
            return wrong(e, "a container in front of this event");
        if (!row->of_container && event->container >= 0)
            return wrong(e, "'pod' in front of this event");
        event->kind = row->kind;
        return row->read(e);
    }
    cf_fault_at(e->reading, e->line->places[2], "unknown event '%.*s'",
                (int)cf_line_word(e->line, 2).len, cf_line_word(e->line, 2).bytes);
    return false;
}

void cf_case_read_events(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *node = cf_node_find(item->node, "events");
    size_t room = node ? kp_text_count_lines(node->text) : 0;
    struct fake_script_event *script_events =
        cf_arena_array(reading->arena, room + 1, sizeof *script_events);
    const struct cf_node **updates = cf_arena_array(reading->arena, room + 1, sizeof *updates);
    struct cf_lines lines;
    struct cf_line line;
    int64_t last_ns = 0;
    size_t count = 0;

    cf_lines_begin(&lines, reading, node);
    while (script_events && updates && cf_lines_next(&lines, &line)) {
        struct eventful e = {reading, item, &line, &script_events[count], &updates[count]};

        e.script_event->at_ns = cf_line_duration(reading, &line, 0);
        if (e.script_event->at_ns < last_ns)
            cf_fault_at(reading, line.at, "time goes back");
        else
            last_ns = e.script_event->at_ns;
        count += read_event(&e);
    }
    item->script.script_events = script_events;
    item->script.script_event_count = count;
    item->updates = updates;
}
