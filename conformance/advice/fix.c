#include "conformance/advice/fix.h"

#include "conformance/simulate/advice.h"

#include <string.h>

const char *cf_probe_field(enum kp_probe_type type)
{
    static const char *const fields[KP_PROBE_TYPES] = {
        [KP_LIVENESS] = "livenessProbe",
        [KP_READINESS] = "readinessProbe",
        [KP_STARTUP] = "startupProbe",
    };

    return fields[type];
}

struct kp_probe *cf_fix_change(struct cf_fix *fix, const struct kp_container *container,
                               enum kp_probe_type type, unsigned fields)
{
    fix->of[type].fields = fields;
    fix->of[type].probe = *container->probes[type];
    return &fix->of[type].probe;
}

struct kp_probe *cf_fix_add(struct cf_fix *fix, const struct kp_container *container,
                            enum kp_probe_type type, enum kp_probe_type from)
{
    struct kp_probe *probe = &fix->of[type].probe;

    fix->of[type].fields = CF_FIX_TIMEOUT | CF_FIX_PERIOD | CF_FIX_FAILURE;
    fix->of[type].added = true;
    fix->of[type].from = from;
    *probe = *container->probes[from];
    probe->initial_delay_s = 0;
    probe->success_threshold = 1;
    probe->has_grace = false;
    return probe;
}

#define COMMAND_S 5

void cf_fix_settle(struct cf_fix *fix, enum kp_probe_type type)
{
    struct kp_probe *probe = &fix->of[type].probe;

    if (probe->handler.exec && probe->timeout_s == 1) {
        probe->timeout_s = COMMAND_S;
        fix->of[type].fields |= CF_FIX_TIMEOUT;
    }
    if (probe->timeout_s <= probe->period_s)
        return;
    if (probe->handler.exec && probe->period_s < COMMAND_S) {
        probe->period_s = COMMAND_S;
        fix->of[type].fields |= CF_FIX_PERIOD;
    }
    if (probe->timeout_s > probe->period_s)
        probe->timeout_s = probe->period_s;
    fix->of[type].fields |= CF_FIX_TIMEOUT;
}

struct kp_probe *cf_fix_add_tcp(struct cf_fix *fix, int32_t port)
{
    fix->of[KP_READINESS].fields = CF_FIX_PERIOD;
    fix->of[KP_READINESS].tcp_port = port;
    fix->tcp.port = (struct kp_int_or_string){.kind = KP_INTSTR_INT, .number = port};
    fix->of[KP_READINESS].probe = (struct kp_probe){.handler.tcp_socket = &fix->tcp,
                                                    .timeout_s = 1,
                                                    .period_s = 10,
                                                    .success_threshold = 1,
                                                    .failure_threshold = 3};
    return &fix->of[KP_READINESS].probe;
}

/* ---- several --------------------------------------------------------------------------------- */

/* A port that is opened stands in the fix itself. */
static void own_port(struct cf_fix *fix)
{
    if (fix->of[KP_READINESS].tcp_port > 0)
        fix->of[KP_READINESS].probe.handler.tcp_socket = &fix->tcp;
}

void cf_fix_copy(struct cf_fix *to, const struct cf_fix *from)
{
    *to = *from;
    own_port(to);
}

void cf_fix_put_over(struct cf_fix *fix, const struct cf_fix *over)
{
    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        if (over->of[type].fields == 0)
            continue;
        fix->of[type].fields |= over->of[type].fields;
        fix->of[type].probe = over->of[type].probe;
        if (over->of[type].added) {
            fix->of[type].added = true;
            fix->of[type].from = over->of[type].from;
        }
        if (over->of[type].tcp_port > 0) {
            fix->of[type].tcp_port = over->of[type].tcp_port;
            fix->tcp = over->tcp;
        }
    }
    own_port(fix);
    if (over->pod_grace_s > 0)
        fix->pod_grace_s = over->pod_grace_s;
    fix->restarts |= over->restarts;
    fix->keeps_out |= over->keeps_out;
}

static void take(int32_t *number, int32_t other, bool has, bool more)
{
    if (!has || (more ? other > *number : other < *number))
        *number = other;
}

void cf_fix_join(struct cf_fix *fix, const struct cf_fix *other)
{
    struct cf_fix joined = *other;

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        struct kp_probe *probe = &joined.of[type].probe;
        const struct kp_probe *to = &other->of[type].probe;
        unsigned has = fix->of[type].fields;
        unsigned gets = other->of[type].fields;

        if (has == 0 || gets == 0)
            continue;
        *probe = fix->of[type].probe;
        if (gets & CF_FIX_DELAY)
            take(&probe->initial_delay_s, to->initial_delay_s, has & CF_FIX_DELAY, false);
        if (gets & CF_FIX_TIMEOUT)
            take(&probe->timeout_s, to->timeout_s, has & CF_FIX_TIMEOUT, false);
        if (gets & CF_FIX_PERIOD)
            take(&probe->period_s, to->period_s, has & CF_FIX_PERIOD, false);
        if (gets & CF_FIX_SUCCESS)
            take(&probe->success_threshold, to->success_threshold, has & CF_FIX_SUCCESS, false);
        if (gets & CF_FIX_FAILURE)
            take(&probe->failure_threshold, to->failure_threshold, has & CF_FIX_FAILURE, true);
        if (gets & CF_FIX_GRACE) {
            probe->has_grace = true;
            probe->grace_s = to->grace_s;
        }
    }
    cf_fix_put_over(fix, &joined);
}

/* ---- as YAML --------------------------------------------------------------------------------- */

/* A name that YAML 1.1 would read as something else than a string; all begin with a letter or a
 * digit, and have nothing but these and dashes. */
static bool needs_quotes(struct kp_text name)
{
    static const char *const words[] = {"y",   "n",    "yes",   "no",  "on",
                                        "off", "true", "false", "null"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (kp_text_equal(name, kp_text_of(words[i])))
            return true;
    return name.len == 0 || name.bytes[0] < 'a' || name.bytes[0] > 'z';
}

void cf_fix_put_container(struct cf_out *out, const struct kp_container *container)
{
    const char *quote = needs_quotes(container->name) ? "\"" : "";

    cf_out_printf(out, "%s:\n- name: %s%.*s%s\n",
                  container->kind == KP_INIT ? "initContainers" : "containers", quote,
                  KP_ARG(container->name), quote);
}

static void put_probe(struct cf_out *out, const struct cf_fix *fix, enum kp_probe_type type)
{
    const struct kp_probe *probe = &fix->of[type].probe;
    const struct {
        enum cf_fix_field field;
        const char *name;
        int64_t value;
    } numbers[] = {{CF_FIX_DELAY, "initialDelaySeconds", probe->initial_delay_s},
                   {CF_FIX_TIMEOUT, "timeoutSeconds", probe->timeout_s},
                   {CF_FIX_PERIOD, "periodSeconds", probe->period_s},
                   {CF_FIX_SUCCESS, "successThreshold", probe->success_threshold},
                   {CF_FIX_FAILURE, "failureThreshold", probe->failure_threshold},
                   {CF_FIX_GRACE, "terminationGracePeriodSeconds", probe->grace_s}};

    cf_out_printf(out, "  %s:\n", cf_probe_field(type));
    if (fix->of[type].added || fix->of[type].tcp_port > 0) {
        cf_out_put_string(out, "    ");
        cf_advice_put_handler(out, &probe->handler);
        cf_out_put_char(out, '\n');
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (fix->of[type].fields & numbers[i].field)
            cf_out_printf(out, "    %s: %lld\n", numbers[i].name, (long long)numbers[i].value);
}

struct kp_text cf_fix_text(struct cf_arena *arena, const struct kp_container *container,
                           const struct cf_fix *fix)
{
    static const enum kp_probe_type order[] = {KP_STARTUP, KP_LIVENESS, KP_READINESS};
    struct cf_out out = {0};
    struct kp_text text;
    bool begun = false;

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (fix->of[order[i]].fields == 0)
            continue;
        if (!begun)
            cf_fix_put_container(&out, container);
        begun = true;
        put_probe(&out, fix, order[i]);
    }
    if (fix->pod_grace_s > 0)
        cf_out_printf(&out, "terminationGracePeriodSeconds: %lld\n", (long long)fix->pod_grace_s);
    if (fix->restarts)
        cf_out_put_string(&out, "restartPolicy: OnFailure\n");
    text = cf_arena_text(arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return text;
}

/* ---- as a pod -------------------------------------------------------------------------------- */

const struct kp_pod *cf_fix_apply(struct cf_arena *arena, const struct kp_pod *pod, size_t index,
                                  const struct cf_fix *fix)
{
    size_t count = kp_pod_container_count(pod);
    struct kp_pod *made = cf_arena_alloc(arena, sizeof *made);
    struct kp_container *containers = cf_arena_array(arena, count, sizeof *containers);

    if (!made || !containers)
        return NULL;
    memcpy(containers, pod->containers, count * sizeof *containers);
    *made = *pod;
    made->containers = containers;
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (fix->of[type].fields != 0)
            containers[index].probes[type] = &fix->of[type].probe;
    if (fix->pod_grace_s > 0)
        made->grace_s = fix->pod_grace_s;
    if (fix->restarts)
        made->restart_policy = KP_TEXT("OnFailure");
    return made;
}
