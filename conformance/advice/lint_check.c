#include "conformance/advice/lint_check.h"

#include <string.h>

#define SPAN_S (7 * 24 * 3600)

/* Each trial takes two plays: a file's time is bounded by them, and by how long they last. */
#define PLAYED_MAX_NS (60 * 24 * 3600 * KP_NS_PER_S)
enum { TRIALS_MAX = 1000, SLOTS = 4096, PROMISES_MAX = 100 };

/* ---- findings -------------------------------------------------------------------------------- */

struct kp_text cf_object_of(const struct cf_pod_check *pod_check)
{
    const struct cf_manifest_pod *pod = pod_check->pod;
    struct kp_text name = pod->object.len > 0 ? pod->object : pod->pod->name;

    return cf_arena_format(pod_check->arena, "%.*s/%.*s", KP_ARG(pod->kind), KP_ARG(name));
}

/* Behind the field, or behind one that it stands in, up to the pod's spec. */
static bool is_ignored(const struct cf_container_check *check, struct kp_text path,
                       enum cf_lint_rule rule)
{
    const struct cf_pod_check *pod_check = check->pod_check;

    for (;;) {
        struct cf_place at = cf_node_place(pod_check->pod->source, path);

        if (cf_ignores_has(pod_check->ignores, at.line, rule))
            return true;
        while (path.len > 0 && path.bytes[path.len - 1] != '.' && path.bytes[path.len - 1] != '[')
            path.len--;
        if (path.len == 0)
            return false;
        path.len--;
    }
}

struct kp_text cf_rooted(const struct cf_pod_check *pod_check, struct kp_text fix)
{
    struct cf_out out = {0};
    struct kp_text line;
    int indent;

    if (fix.len == 0)
        return fix;
    cf_manifest_put_fixed(&out, pod_check->pod->kind, pod_check->pod->holder);
    indent = cf_manifest_put_path(&out, pod_check->pod->path);
    while (kp_text_next_line(&fix, &line))
        cf_out_printf(&out, "%*s%.*s\n", indent, "", KP_ARG(line));
    fix = cf_arena_text(pod_check->arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return fix;
}

void cf_advise_of(const struct cf_container_check *check, enum cf_lint_rule rule,
                  struct kp_text field, struct kp_text evidence, struct kp_text fix)
{
    struct cf_pod_check *pod_check = check->pod_check;
    bool of_pod = field.len > 0 && field.bytes[0] == '.';
    struct kp_text path = of_pod
                              ? kp_text_from(field, 1)
                              : cf_arena_format(pod_check->arena, "%.*s%s%.*s", KP_ARG(check->path),
                                                field.len > 0 ? "." : "", KP_ARG(field));
    const char *dot = pod_check->pod->path.len > 0 ? "." : "";

    cf_findings_add(pod_check->arena, pod_check->out,
                    (struct cf_finding){
                        .rule = rule,
                        .at = cf_node_place(pod_check->pod->source, path),
                        .ignored = is_ignored(check, path, rule),
                        .pod = cf_object_of(pod_check),
                        .container = check->container->name,
                        .field = cf_arena_format(pod_check->arena, "%.*s%s%.*s",
                                                 KP_ARG(pod_check->pod->path), dot, KP_ARG(path)),
                        .evidence = evidence,
                        .fix = cf_rooted(pod_check, fix),
                    });
}

void cf_advise_fix(const struct cf_container_check *check, enum cf_lint_rule rule,
                   struct kp_text field, struct kp_text evidence, const struct cf_fix *fix)
{
    struct cf_pod_check *pod_check = check->pod_check;
    struct cf_findings *out = pod_check->out;
    size_t before = out->count;
    struct cf_fix *copy = cf_arena_alloc(pod_check->arena, sizeof *copy);

    cf_advise_of(check, rule, field, evidence,
                 cf_fix_text(pod_check->arena, check->container, fix));
    if (!copy || out->count == before)
        return;
    cf_fix_copy(copy, fix);
    out->list[before].change = copy;
}

struct kp_text cf_field_of(const struct cf_container_check *check, enum kp_probe_type type,
                           const char *field)
{
    return cf_arena_format(check->pod_check->arena, "%s%s%s", cf_probe_field(type),
                           field[0] ? "." : "", field);
}

struct kp_text cf_seconds(struct cf_arena *arena, int64_t ns)
{
    return cf_arena_format(arena, "%lld s", (long long)((ns + KP_NS_PER_S - 1) / KP_NS_PER_S));
}

struct kp_text cf_about(struct cf_arena *arena, int64_t ns)
{
    return cf_arena_format(arena, "about %s", cf_seconds(arena, ns).bytes);
}

/* ---- how long it needs ----------------------------------------------------------------------- */

int64_t cf_span_ns(int64_t seconds)
{
    return kp_seconds_ns(seconds < SPAN_S ? seconds : SPAN_S);
}

/* A threshold and two ticks more, of those that a play has room for. */
static int64_t ticks(int32_t threshold)
{
    return threshold < SPAN_S ? threshold + INT64_C(2) : SPAN_S;
}

int64_t cf_settled_ns(const struct kp_container *container)
{
    int64_t seconds = 60;

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        const struct kp_probe *probe = container->probes[type];

        if (probe)
            seconds += probe->initial_delay_s + ticks(probe->success_threshold) * probe->period_s;
    }
    return cf_span_ns(seconds) + 700 * KP_NS_PER_MS;
}

static int64_t patience_ns(const struct kp_container *container)
{
    int64_t seconds = 60;

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        const struct kp_probe *probe = container->probes[type];

        if (probe)
            seconds += probe->initial_delay_s + ticks(probe->failure_threshold) *
                                                    ((int64_t)probe->period_s + probe->timeout_s);
    }
    return cf_span_ns(seconds);
}

struct cf_world cf_world_at(const struct cf_container_check *check, enum cf_health health,
                            int64_t at_ns)
{
    return (struct cf_world){.draws = {.relist_ns = 500 * KP_NS_PER_MS},
                             .health = health,
                             .at_ns = at_ns,
                             .from_ns = health == CF_STARTS_SLOWLY ? 0 : at_ns,
                             .until = CF_OBSERVATIONS,
                             .end_ns = at_ns + patience_ns(check->container) +
                                       cf_span_ns(check->pod_check->pod->pod->grace_s)};
}

int64_t cf_after(const struct cf_seen *seen, const struct cf_world *world,
                 enum cf_observation observation)
{
    return seen->at_ns[observation] - world->at_ns;
}

int64_t cf_age(const struct cf_seen *seen, enum cf_observation observation)
{
    return seen->at_ns[observation] - seen->runs_ns;
}

bool cf_saw(const struct cf_seen *seen, enum cf_observation observation)
{
    return seen->at_ns[observation] != KP_NEVER;
}

bool cf_has_gate(const struct cf_container_check *check, enum kp_gate gate)
{
    return check->pod_check->profile->gates[gate];
}

/* ---- trials ---------------------------------------------------------------------------------- */

static uint64_t add_number(uint64_t hash, int64_t number)
{
    return kp_text_hash(hash, (struct kp_text){(const char *)&number, sizeof number});
}

static uint64_t add_probe(uint64_t hash, const struct kp_probe *probe, bool asks)
{
    if (!probe)
        return add_number(hash, -1);
    hash = add_number(hash, probe->initial_delay_s);
    hash = add_number(hash, probe->timeout_s);
    hash = add_number(hash, probe->period_s);
    hash = add_number(hash, probe->success_threshold);
    hash = add_number(hash, probe->failure_threshold);
    hash = add_number(hash, probe->has_grace ? probe->grace_s : -1);
    return add_number(hash, (probe->handler.exec != NULL) + 2 * asks);
}

/* Of a named port: whether the container has it. */
static bool asks(const struct kp_container *container, const struct kp_probe *probe)
{
    const struct kp_int_or_string *port = NULL;

    if (probe && !probe->handler.exec)
        port = probe->handler.http_get     ? &probe->handler.http_get->port
               : probe->handler.tcp_socket ? &probe->handler.tcp_socket->port
                                           : NULL;
    if (!port || port->kind != KP_INTSTR_STRING)
        return true;
    for (size_t i = 0; i < container->port_count; i++)
        if (kp_text_equal(container->ports[i].name, port->string))
            return true;
    return false;
}

/* All that a play depends on: of a container alone its numbers, else the container itself; never 0.
 */
static uint64_t key_of(const struct cf_container_check *check, const struct cf_world *world,
                       const struct cf_fix *fix)
{
    const struct kp_pod *pod = check->pod_check->pod->pod;
    const struct kp_container *container = check->container;
    bool alone = container->kind == KP_REGULAR && container->restart_rule_count == 0;
    uint64_t hash = add_number(KP_HASH, alone ? 0 : (int64_t)(intptr_t)container);

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        hash = add_probe(hash, container->probes[type], asks(container, container->probes[type]));
        hash = add_probe(hash, fix->of[type].fields ? &fix->of[type].probe : NULL, true);
        hash = add_number(hash, world->spared[type]);
    }
    hash = kp_text_hash(hash, pod->restart_policy);
    hash = kp_text_hash(hash, container->restart_policy);
    hash = add_number(hash, pod->grace_s);
    hash = add_number(hash, fix->pod_grace_s);
    hash = add_number(hash, fix->restarts);
    hash = add_number(hash, container->pre_stop ? cf_hook_s(container->pre_stop) : -2);
    hash = add_number(hash, container->post_start ? cf_hook_s(container->post_start) : -2);
    hash = add_number(hash, (int64_t)world->health);
    hash = add_number(hash, world->at_ns);
    hash = add_number(hash, world->lost);
    hash = add_number(hash, world->for_ns);
    hash = add_number(hash, world->takes_ns);
    hash = add_number(hash, world->ignores_term);
    hash = add_number(hash, world->deleted_ns);
    hash = add_number(hash, world->from_ns);
    hash = add_number(hash, (int64_t)world->until);
    hash = add_number(hash, world->end_ns);
    return hash | 1;
}

/* The slot of a key, or a free one; NULL: no memory. */
static struct cf_trial_slot *find_slot(struct cf_pod_check *pod_check, uint64_t key)
{
    struct cf_trials *trials = pod_check->trials;
    size_t at = (size_t)(key >> 20) % SLOTS;

    if (!trials->slots)
        trials->slots = cf_arena_array(pod_check->arena, SLOTS, sizeof *trials->slots);
    while (trials->slots && trials->slots[at].key != 0 && trials->slots[at].key != key)
        at = (at + 1) % SLOTS;
    return trials->slots ? &trials->slots[at] : NULL;
}

/* A regular container alone: what the others do has no bearing on it, and much on the time. */
static struct kp_pod alone(const struct cf_container_check *check)
{
    struct kp_pod pod = *check->pod_check->pod->pod;

    if (check->container->kind != KP_REGULAR)
        return pod;
    pod.containers = check->container;
    pod.init_count = pod.ephemeral_count = 0;
    pod.regular_count = 1;
    return pod;
}

/* A world that stops shows nothing. */
static enum kp_err play(struct cf_arena *arena, const struct kp_profile *profile,
                        const struct kp_pod *pod, size_t index, const struct cf_world *world,
                        struct cf_seen *seen)
{
    struct cf_simulation simulation;
    enum kp_err err = cf_simulation_init(&simulation, arena, profile, pod);

    simulation.container = (int)index;
    if (err == KP_OK)
        err = cf_simulation_play(&simulation, world, seen);
    cf_simulation_deinit(&simulation);
    return err == KP_ENOMEM ? err : KP_OK;
}

static bool play_both(const struct cf_container_check *check, const struct cf_world *world,
                      const struct cf_fix *fix, struct cf_trial *trial)
{
    struct cf_pod_check *pod_check = check->pod_check;
    struct kp_pod pod = alone(check);
    size_t index = check->container->kind == KP_REGULAR ? 0 : check->index;
    struct cf_arena arena; /* for the plays alone */
    const struct kp_pod *fixed;
    bool good;

    arena = (struct cf_arena){.mem = pod_check->arena->mem};
    fixed = cf_fix_apply(&arena, &pod, index, fix);
    good = fixed && play(&arena, pod_check->profile, &pod, index, world, &trial->before) == KP_OK &&
           play(&arena, pod_check->profile, fixed, index, world, &trial->after) == KP_OK;
    pod_check->arena->failed |= arena.failed || !good;
    cf_arena_deinit(&arena);
    return good;
}

bool cf_try(const struct cf_container_check *check, const struct cf_world *world,
            const struct cf_fix *fix, struct cf_trial *trial)
{
    struct cf_pod_check *pod_check = check->pod_check;
    uint64_t key = key_of(check, world, fix);
    struct cf_trial_slot *slot = find_slot(pod_check, key);

    if (!slot)
        return false;
    if (slot->key == 0) {
        if (pod_check->trials->count == TRIALS_MAX ||
            pod_check->trials->played_ns > PLAYED_MAX_NS) {
            pod_check->out->cut = true;
            return false;
        }
        if (!play_both(check, world, fix, &slot->trial))
            return false;
        slot->key = key;
        pod_check->trials->count++;
        pod_check->trials->played_ns += 2 * world->end_ns;
    }
    *trial = slot->trial;
    return trial->before.runs_ns != KP_NEVER;
}

/* ---- promises -------------------------------------------------------------------------------- */

static bool promise_one(const struct cf_container_check *check, struct cf_arena *arena,
                        const struct kp_pod *pod, size_t index, unsigned parts,
                        struct cf_promise *promise)
{
    struct cf_container_budget budget;
    const char *why;

    if (cf_budget_find_one(arena, check->pod_check->profile, pod, (int)index, parts, &budget,
                           &why) != KP_OK)
        return false;
    *promise = (struct cf_promise){budget.start, budget.hangs.term};
    return true;
}

static bool promise_both(const struct cf_container_check *check, const struct cf_fix *fix,
                         unsigned parts, struct cf_promises *promises)
{
    struct kp_pod pod = alone(check);
    size_t index = check->container->kind == KP_REGULAR ? 0 : check->index;
    struct cf_arena arena; /* for the plays alone */
    const struct kp_pod *fixed;
    bool good;

    arena = (struct cf_arena){.mem = check->pod_check->arena->mem};
    fixed = cf_fix_apply(&arena, &pod, index, fix);
    good = fixed && promise_one(check, &arena, &pod, index, parts, &promises->before) &&
           promise_one(check, &arena, fixed, index, parts, &promises->after);
    check->pod_check->arena->failed |= arena.failed;
    cf_arena_deinit(&arena);
    return good;
}

bool cf_promise(const struct cf_container_check *check, const struct cf_fix *fix, unsigned parts,
                struct cf_promises *promises)
{
    const struct cf_world none = {.lost = -(int64_t)parts}; /* no trial's */
    struct cf_trials *trials = check->pod_check->trials;
    uint64_t key = key_of(check, &none, fix);
    struct cf_promise_slot *slot;

    if (!trials->promises)
        trials->promises =
            cf_arena_array(check->pod_check->arena, PROMISES_MAX, sizeof *trials->promises);
    if (!trials->promises)
        return false;
    for (size_t i = 0; i < trials->promise_count; i++)
        if (trials->promises[i].key == key) {
            *promises = trials->promises[i].promises;
            return true;
        }
    if (trials->promise_count == PROMISES_MAX)
        return false;
    slot = &trials->promises[trials->promise_count];
    if (!promise_both(check, fix, parts, &slot->promises))
        return false;
    slot->key = key;
    trials->promise_count++;
    *promises = slot->promises;
    return true;
}
