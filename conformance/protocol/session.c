#include "conformance/protocol/session.h"

#include "conformance/protocol/stored_pod.h"

#define PPB INT64_C(1000000000)
#define TO_MAX_MS                                                                                  \
    (INT64_C(100) * 24 * 3600 * 1000) /* 100 days: no request keeps a core for hours */

/* ---- draws -------------------------------------------------------------------------------- */

/* That part of a range; both at most some years, so that nothing overflows. */
static int64_t part_of(int64_t range, int64_t ppb)
{
    return range / PPB * ppb + range % PPB * ppb / PPB;
}

static int64_t prescribed_ppb(const struct cf_jitter *jitter, struct kp_text container,
                              enum kp_probe_type type)
{
    for (size_t i = 0; i < jitter->row_count; i++)
        if (jitter->rows[i].type == type && kp_text_equal(jitter->rows[i].container, container))
            return jitter->rows[i].delay_ppb;
    return 0;
}

/* Whole milliseconds, rounded down: the protocol has no finer ones. */
static int64_t draw_jitter(void *ctx, const struct kp_pod *pod, int container,
                           enum kp_probe_type type, int64_t period_ns)
{
    struct cf_session *session = ctx;
    int64_t delay_ns = 0;

    if (session->jitter.mode == FAKE_JITTER_FREE)
        delay_ns = fake_seed_below(&session->seed, period_ns);
    else if (session->jitter.mode == FAKE_JITTER_MAP)
        delay_ns = part_of(period_ns,
                           prescribed_ppb(&session->jitter, pod->containers[container].name, type));
    return delay_ns / KP_NS_PER_MS * KP_NS_PER_MS;
}

static int64_t draw_requeue(void *ctx, int64_t range_ns)
{
    return part_of(range_ns, ((struct cf_session *)ctx)->requeue_ppb);
}

/* ---- open and close ----------------------------------------------------------------------- */

static void take_effect(void *ctx, const struct kp_effect *effect)
{
    struct cf_session *session = ctx;

    cf_put_effect(&session->effects, effect, session->pods.count > 1);
}

void cf_session_init(struct cf_session *session, const struct kp_mem *mem)
{
    *session = (struct cf_session){.mem = mem};
}

void cf_session_close(struct cf_session *session)
{
    if (!cf_session_is_open(session))
        return;
    fake_node_close(&session->node);
    cf_arena_deinit(&session->arena);
}

void cf_session_deinit(struct cf_session *session)
{
    cf_session_close(session);
    cf_out_deinit(&session->effects);
}

bool cf_session_is_open(const struct cf_session *session)
{
    return fake_node_is_open(&session->node);
}

/* Pods outlive the request that brought them. */
static const struct kp_pod *read_pod(void *ctx, struct cf_reader *reader,
                                     const struct cf_node *node)
{
    struct cf_session *session = ctx;

    return cf_stored_pod(reader, session->profile, &session->arena, node);
}

static const struct fake_jitter_row *keep_rows(struct cf_session *session,
                                               const struct cf_jitter *jitter)
{
    struct fake_jitter_row *rows = cf_arena_array(&session->arena, jitter->row_count, sizeof *rows);

    for (size_t i = 0; rows && i < jitter->row_count; i++) {
        rows[i] = jitter->rows[i];
        rows[i].container = cf_arena_text(&session->arena, rows[i].container);
    }
    return rows;
}

static void set_jitter(struct cf_session *session, const struct cf_jitter *jitter)
{
    session->jitter = *jitter;
    session->jitter.rows = keep_rows(session, jitter);
}

static bool make_engine(struct cf_session *session, struct cf_reader *reader,
                        const struct fake_open *open)
{
    struct kp_engine_config config = {
        .profile = session->profile,
        .uptime_ns = open->uptime_ns,
        .wall_ns = CF_EPOCH_NS + open->wall_ns,
        .sync_frequency_ns = open->sync_frequency_ns,
        .draws = {draw_jitter, draw_requeue, session},
        .sink = {take_effect, session},
    };
    enum kp_err err = fake_node_open(&session->node, open->layer, session->mem, &config);

    for (size_t i = 0; err == KP_OK && i < session->pods.count; i++)
        err = fake_node_add_pod(&session->node, session->pods.list[i]);
    return err == KP_OK || cf_reader_fail(reader, "%s", kp_err_name(err));
}

/* Effects and events tell pods apart by their names. */
static bool add_pod(struct cf_session *session, struct cf_reader *reader,
                    const struct cf_node *node)
{
    const struct kp_pod *pod;

    if (node->kind != CF_MAP)
        return cf_reader_fail(reader, "`pods` must be a list of objects");
    pod = read_pod(session, reader, node);
    for (size_t i = 0; pod && i < session->pods.count; i++)
        if (kp_text_equal(session->pods.list[i]->name, pod->name))
            return cf_reader_fail(reader, "`pods` has two of the name \"%.*s\"", KP_ARG(pod->name));
    if (pod)
        session->pods.list[session->pods.count++] = pod;
    return pod != NULL;
}

static bool read_pods(struct cf_session *session, struct cf_reader *reader,
                      const struct cf_node *request)
{
    const struct cf_node *pod;
    const struct cf_node *list;

    if (!cf_member_node(reader, request, "pod", CF_MAP, &pod) ||
        !cf_member_node(reader, request, "pods", CF_LIST, &list))
        return false;
    if (pod == NULL && (list == NULL || list->count == 0))
        return cf_reader_fail(reader, "`pod` is missing");
    if (pod && list)
        return cf_reader_fail(reader, "either `pod` or `pods`, and only one of them");
    session->pods.count = 0;
    session->pods.list =
        cf_arena_array(&session->arena, pod ? 1 : list->count, sizeof *session->pods.list);
    if (!session->pods.list)
        return cf_reader_fail(reader, "out of memory");
    for (const struct cf_node *one = pod ? pod : list->first; one; one = pod ? NULL : one->next)
        if (!add_pod(session, reader, one))
            return false;
    return true;
}

static bool open_case(struct cf_session *session, struct cf_reader *reader,
                      const struct cf_node *request)
{
    struct fake_open open;

    if (!cf_read_open(reader, request, &open) || !read_pods(session, reader, request))
        return false;
    set_jitter(session, &(struct cf_jitter){open.jitter, open.jitter_rows, open.jitter_row_count});
    session->requeue_ppb = open.requeue_ppb;
    return make_engine(session, reader, &open);
}

bool cf_session_open(struct cf_session *session, struct cf_reader *reader,
                     const struct cf_node *request, const struct kp_profile *profile, uint64_t seed)
{
    session->arena = (struct cf_arena){.mem = session->mem};
    cf_out_clear(&session->effects);
    session->seed.state = seed;
    session->profile = profile;
    session->now_ns = 0;
    if (!open_case(session, reader, request)) {
        if (cf_session_is_open(session))
            cf_session_close(session);
        else
            cf_arena_deinit(&session->arena);
        return false;
    }
    session->now_ns = fake_node_run(&session->node, 0);
    return true;
}

/* ---- advance ------------------------------------------------------------------------------ */

/* The engine keeps an event's texts. */
static void keep_texts(struct cf_session *session, struct kp_event *event)
{
    struct kp_text *const texts[] = {&event->cid, &event->reason, &event->message};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i]->len > 0)
            *texts[i] = cf_arena_text(&session->arena, *texts[i]);
}

/* Reads the whole list before any of it is handed on: a malformed one changes nothing. */
static bool read_events(struct cf_session *session, struct cf_reader *reader,
                        const struct cf_node *list, struct kp_event *events, size_t *count)
{
    const struct cf_pod_reader updates = {read_pod, session};
    struct cf_wire_pods pods = session->pods;

    pods.list = cf_arena_array(reader->arena, pods.count, sizeof *pods.list);
    if (!pods.list)
        return cf_reader_fail(reader, "out of memory");
    for (size_t i = 0; i < pods.count; i++)
        pods.list[i] = session->pods.list[i];

    for (const struct cf_node *node = list ? list->first : NULL; node; node = node->next) {
        struct kp_event *event = &events[*count];
        bool known;

        if (!cf_read_event(reader, node, &pods, &updates, event, &known))
            return false;
        if (!known)
            continue;
        if (event->kind == KP_EVENT_UPDATE)
            pods.list[event->pod] = event->u.update;
        keep_texts(session, event);
        ++*count;
    }
    return true;
}

/* A restarted kubelet draws anew. */
static bool read_restart_jitter(struct cf_session *session, struct cf_reader *reader,
                                const struct cf_node *list)
{
    for (const struct cf_node *node = list ? list->first : NULL; node; node = node->next) {
        const struct cf_node *word = cf_node_find(node, "e");
        struct cf_jitter jitter;

        if (word == NULL || word->kind != CF_STRING ||
            cf_find_word(&cf_event_words, word->text) != KP_EVENT_KUBELET_RESTART)
            continue;
        if (!cf_read_jitter(reader, node, &jitter))
            return false;
        set_jitter(session, &jitter);
    }
    return true;
}

static bool tell(struct cf_session *session, struct cf_reader *reader,
                 const struct kp_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum kp_err err = fake_node_event(&session->node, &events[i]);

        if (err != KP_OK)
            return cf_reader_fail(
                reader, "event %zu (%s) makes no sense here: %s; those before it count", i + 1,
                cf_word(&cf_event_words, events[i].kind), kp_err_name(err));
        if (events[i].kind == KP_EVENT_UPDATE)
            session->pods.list[events[i].pod] = events[i].u.update;
    }
    return true;
}

bool cf_session_advance(struct cf_session *session, struct cf_reader *reader,
                        const struct cf_node *request)
{
    int64_t to_ns = INT64_MIN;
    const struct cf_node *list;
    struct kp_event *events;
    size_t count = 0;

    cf_out_clear(&session->effects);
    if (!cf_member_ms(reader, request, "to", &to_ns) ||
        !cf_member_node(reader, request, "events", CF_LIST, &list))
        return false;
    if (to_ns == INT64_MIN)
        return cf_reader_fail(reader, "`to` is missing");
    if (to_ns > TO_MAX_MS * KP_NS_PER_MS)
        return cf_reader_fail(reader, "`to` is after 100 days, %lld", (long long)TO_MAX_MS);
    if (to_ns / KP_NS_PER_MS < session->now_ns / KP_NS_PER_MS)
        return cf_reader_fail(reader, "`to` is before the current instant, %lld",
                              (long long)(session->now_ns / KP_NS_PER_MS));
    if (to_ns < session->now_ns) /* within the millisecond that was last replied */
        to_ns = session->now_ns;
    events = cf_arena_array(reader->arena, list ? list->count : 0, sizeof *events);
    if (!read_events(session, reader, list, events, &count) ||
        !read_restart_jitter(session, reader, list) || !tell(session, reader, events, count))
        return false;
    session->now_ns = fake_node_run(&session->node, to_ns);
    return true;
}
