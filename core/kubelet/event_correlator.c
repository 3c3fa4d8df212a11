#include "event_correlator.h"

#include <string.h>

/* What client-go's recorder is set to; the kubelet changes none of it. */
#define AGGREGATE_MAX_EVENTS 10
#define AGGREGATE_INTERVAL_NS (600 * KP_NS_PER_S)
#define SPAM_BURST 25
#define SPAM_REFILL_NS (300 * KP_NS_PER_S)

static const struct kp_text combined = {"(combined from similar events): ", 32};

/* A message seen lately under one aggregation key. */
struct local_key {
    struct local_key *next;
    struct kp_text message;
};

/* Events alike but for message and field path (S-267). */
struct aggregate {
    struct aggregate *next;
    struct kp_text object;
    struct kp_text reason;
    enum kp_event_type type;
    int64_t last_ns;
    size_t distinct;
    struct local_key *messages; /* oldest first */
};

/* One de-duplication key with its count (S-268); the count runs on even where the filter holds the
 * event back. */
struct logged {
    struct logged *next;
    const struct aggregate
        *combined; /* not NULL: the one event that stands for the rest of that aggregate */
    struct kp_event_object object; /* as the API has it */
    int64_t first_ns;              /* as the recorder counts it */
    uint32_t count;
    bool stored;
};

/* Tokens of one source and object (S-269). */
struct bucket {
    struct bucket *next;
    struct kp_text object;
    enum kp_event_type type;
    int64_t full_at_ns; /* when it would be full again */
};

struct kp_event_correlator {
    const struct kp_mem *mem;
    bool spam_key_has_type;
    struct aggregate *aggregates;
    struct logged *events; /* in order of creation */
    struct bucket *buckets;
};

static enum kp_err copy_text(const struct kp_mem *mem, struct kp_text from, struct kp_text *to)
{
    char *bytes = kp_mem_array(mem, from.len, 1);

    if (!bytes)
        return KP_ENOMEM;
    if (from.len > 0)
        memcpy(bytes, from.bytes, from.len);
    *to = (struct kp_text){bytes, from.len};
    return KP_OK;
}

static void free_text(const struct kp_mem *mem, struct kp_text text)
{
    kp_mem_free(mem, (void *)(uintptr_t)text.bytes);
}

enum kp_err kp_event_correlator_new(const struct kp_mem *mem, const struct kp_profile *profile,
                                    struct kp_event_correlator **out)
{
    struct kp_event_correlator *correlator = kp_mem_array(mem, 1, sizeof *correlator);

    if (!correlator)
        return KP_ENOMEM;
    correlator->mem = mem;
    correlator->spam_key_has_type = profile->spam_key_has_type;
    *out = correlator;
    return KP_OK;
}

static void free_messages(const struct kp_mem *mem, struct aggregate *aggregate)
{
    while (aggregate->messages) {
        struct local_key *first = aggregate->messages;

        aggregate->messages = first->next;
        free_text(mem, first->message);
        kp_mem_free(mem, first);
    }
    aggregate->distinct = 0;
}

static void free_aggregate(const struct kp_mem *mem, struct aggregate *aggregate)
{
    free_messages(mem, aggregate);
    free_text(mem, aggregate->object);
    free_text(mem, aggregate->reason);
    kp_mem_free(mem, aggregate);
}

static void free_logged(const struct kp_mem *mem, struct logged *logged)
{
    free_text(mem, logged->object.note.object);
    free_text(mem, logged->object.note.field_path);
    free_text(mem, logged->object.note.reason);
    free_text(mem, logged->object.note.message);
    kp_mem_free(mem, logged);
}

void kp_event_correlator_free(struct kp_event_correlator *correlator)
{
    const struct kp_mem *mem;

    if (!correlator)
        return;
    mem = correlator->mem;
    for (struct aggregate *next, *at = correlator->aggregates; at; at = next) {
        next = at->next;
        free_aggregate(mem, at);
    }
    for (struct logged *next, *at = correlator->events; at; at = next) {
        next = at->next;
        free_logged(mem, at);
    }
    for (struct bucket *next, *at = correlator->buckets; at; at = next) {
        next = at->next;
        free_text(mem, at->object);
        kp_mem_free(mem, at);
    }
    kp_mem_free(mem, correlator);
}

/* ---- S-267: ten distinct messages of one reason within ten minutes become one event
 * -------------- */

static struct aggregate *find_aggregate(struct kp_event_correlator *correlator,
                                        const struct kp_event_note *note)
{
    for (struct aggregate *at = correlator->aggregates; at; at = at->next)
        if (at->type == note->type && kp_text_equal(at->object, note->object) &&
            kp_text_equal(at->reason, note->reason))
            return at;
    return NULL;
}

static struct aggregate *add_aggregate(struct kp_event_correlator *correlator,
                                       const struct kp_event_note *note)
{
    struct aggregate *made = kp_mem_array(correlator->mem, 1, sizeof *made);

    if (!made)
        return NULL;
    made->type = note->type;
    if (copy_text(correlator->mem, note->object, &made->object) != KP_OK ||
        copy_text(correlator->mem, note->reason, &made->reason) != KP_OK) {
        free_aggregate(correlator->mem, made);
        return NULL;
    }
    made->next = correlator->aggregates;
    correlator->aggregates = made;
    return made;
}

static enum kp_err add_message(const struct kp_mem *mem, struct aggregate *aggregate,
                               struct kp_text message)
{
    struct local_key **at = &aggregate->messages;
    struct local_key *made;

    for (; *at; at = &(*at)->next)
        if (kp_text_equal((*at)->message, message))
            return KP_OK;
    made = kp_mem_array(mem, 1, sizeof *made);
    if (!made)
        return KP_ENOMEM;
    if (copy_text(mem, message, &made->message) != KP_OK) {
        kp_mem_free(mem, made);
        return KP_ENOMEM;
    }
    *at = made;
    aggregate->distinct++;
    return KP_OK;
}

/* Upstream pops any member of a set; here the oldest goes. */
static void pop_message(const struct kp_mem *mem, struct aggregate *aggregate)
{
    struct local_key *first = aggregate->messages;

    aggregate->messages = first->next;
    aggregate->distinct--;
    free_text(mem, first->message);
    kp_mem_free(mem, first);
}

/* combine: out: the aggregate whose one event stands for this one, or NULL: it goes as it is. */
static enum kp_err aggregate_event(struct kp_event_correlator *correlator,
                                   const struct kp_event_note *note, int64_t now_ns,
                                   struct aggregate **combine)
{
    struct aggregate *aggregate = find_aggregate(correlator, note);

    if (!aggregate)
        aggregate = add_aggregate(correlator, note);
    if (!aggregate)
        return KP_ENOMEM;
    if (kp_elapsed_ns(aggregate->last_ns, now_ns) > AGGREGATE_INTERVAL_NS)
        free_messages(correlator->mem, aggregate);
    if (add_message(correlator->mem, aggregate, note->message) != KP_OK)
        return KP_ENOMEM;
    aggregate->last_ns = now_ns;
    *combine = aggregate->distinct < AGGREGATE_MAX_EVENTS ? NULL : aggregate;
    if (*combine)
        pop_message(correlator->mem, aggregate);
    return KP_OK;
}

/* ---- S-268: the same event again is counted
 * ------------------------------------------------------ */

static bool same_event(const struct kp_event_note *a, const struct kp_event_note *b)
{
    return a->type == b->type && kp_text_equal(a->object, b->object) &&
           kp_text_equal(a->field_path, b->field_path) && kp_text_equal(a->reason, b->reason) &&
           kp_text_equal(a->message, b->message);
}

static struct logged *find_logged(struct kp_event_correlator *correlator,
                                  const struct kp_event_note *note, const struct aggregate *combine)
{
    for (struct logged *at = correlator->events; at; at = at->next)
        if (combine ? at->combined == combine : !at->combined && same_event(&at->object.note, note))
            return at;
    return NULL;
}

static enum kp_err set_message(struct kp_event_correlator *correlator, struct logged *logged,
                               struct kp_text message, bool combine)
{
    size_t lead = combine ? combined.len : 0;
    char *bytes = kp_mem_array(correlator->mem, lead + message.len, 1);

    if (!bytes)
        return KP_ENOMEM;
    memcpy(bytes, combined.bytes, lead);
    if (message.len > 0)
        memcpy(bytes + lead, message.bytes, message.len);
    free_text(correlator->mem, logged->object.note.message);
    logged->object.note.message = (struct kp_text){bytes, lead + message.len};
    return KP_OK;
}

static struct logged *add_logged(struct kp_event_correlator *correlator,
                                 const struct kp_event_note *note, const struct aggregate *combine,
                                 int64_t now_ns)
{
    struct logged *made = kp_mem_array(correlator->mem, 1, sizeof *made);
    struct logged **end = &correlator->events;

    if (!made)
        return NULL;
    made->combined = combine;
    made->first_ns = now_ns;
    made->object.note.type = note->type;
    if (copy_text(correlator->mem, note->object, &made->object.note.object) != KP_OK ||
        copy_text(correlator->mem, note->field_path, &made->object.note.field_path) != KP_OK ||
        copy_text(correlator->mem, note->reason, &made->object.note.reason) != KP_OK ||
        set_message(correlator, made, note->message, combine != NULL) != KP_OK) {
        free_logged(correlator->mem, made);
        return NULL;
    }
    while (*end)
        end = &(*end)->next;
    *end = made;
    return made;
}

/* ---- S-269: a bucket of 25 tokens, one more every 300 s
 * ------------------------------------------ */

/* A new one has been full since ever. */
static struct bucket *get_bucket(struct kp_event_correlator *correlator,
                                 const struct kp_event_note *note)
{
    enum kp_event_type type = correlator->spam_key_has_type ? note->type : KP_NORMAL;
    struct bucket *made;

    for (struct bucket *at = correlator->buckets; at; at = at->next)
        if (at->type == type && kp_text_equal(at->object, note->object))
            return at;
    made = kp_mem_array(correlator->mem, 1, sizeof *made);
    if (!made)
        return NULL;
    if (copy_text(correlator->mem, note->object, &made->object) != KP_OK) {
        kp_mem_free(correlator->mem, made);
        return NULL;
    }
    made->type = type;
    made->next = correlator->buckets;
    correlator->buckets = made;
    return made;
}

static bool take_token(struct bucket *bucket, int64_t now_ns)
{
    int64_t full_at_ns = bucket->full_at_ns > now_ns ? bucket->full_at_ns : now_ns;

    if (kp_elapsed_ns(now_ns, full_at_ns) > (SPAM_BURST - 1) * SPAM_REFILL_NS)
        return false;
    bucket->full_at_ns = kp_later_ns(full_at_ns, SPAM_REFILL_NS);
    return true;
}

/* Aggregates, counts and limits: what of the events users come to see (P-075). */
enum kp_err kp_event_correlator_record(struct kp_event_correlator *correlator,
                                       const struct kp_event_note *note, int64_t now_ns, bool *sent)
{
    struct aggregate *combine = NULL;
    struct logged *logged;
    struct bucket *bucket = get_bucket(correlator, note);
    bool pass;

    if (!bucket || aggregate_event(correlator, note, now_ns, &combine) != KP_OK)
        return KP_ENOMEM;
    logged = find_logged(correlator, note, combine);
    if (!logged)
        logged = add_logged(correlator, note, combine, now_ns);
    if (!logged)
        return KP_ENOMEM;
    logged->count++;
    pass = take_token(bucket, now_ns);
    if (sent)
        *sent = pass;
    if (!pass)
        return KP_OK;
    logged->stored = true;
    logged->object.first_ns = logged->first_ns;
    logged->object.last_ns = now_ns;
    logged->object.count = logged->count;
    return combine ? set_message(correlator, logged, note->message, true) : KP_OK;
}

const struct kp_event_object *kp_event_correlator_get(const struct kp_event_correlator *correlator,
                                                      size_t index)
{
    for (const struct logged *at = correlator->events; at; at = at->next)
        if (at->stored && index-- == 0)
            return &at->object;
    return NULL;
}
