/* budget_json.c: a container's budget as JSON for programs. */
#include "conformance/simulate/budget_print.h"

static const char *const types[] = {"liveness", "readiness", "startup"};

static void put_span(struct cf_out *out, const char *name, const struct cf_time_range *span)
{
    cf_json_key(out, name);
    if (span->earliest_ns == KP_NEVER) {
        cf_out_put_string(out, "null");
        return;
    }
    cf_out_put_char(out, '{');
    cf_json_ms(out, "earliest", span->earliest_ns);
    cf_json_ms(out, "latest", span->latest_ns);
    if (span->rule != KP_RULE_NONE)
        cf_json_string(out, "rule", kp_rule_get(span->rule)->id);
    cf_out_put_char(out, '}');
}

static void put_trouble(struct cf_out *out, const char *name, const struct cf_trouble *trouble)
{
    cf_json_open(out, name, '{');
    put_span(out, "notReady", &trouble->unready);
    put_span(out, "sigterm", &trouble->term);
    put_span(out, "sigkill", &trouble->kill);
    put_span(out, "runsAgain", &trouble->again);
    cf_out_put_char(out, '}');
}

static void put_tolerance(struct cf_out *out, const char *name,
                          const struct cf_tolerance *tolerance)
{
    if (!tolerance->exists)
        return;
    cf_json_open(out, name, '{');
    cf_json_bool(out, "asked", tolerance->asks);
    cf_json_ms(out, "slowestAnswer", tolerance->slowest_ns);
    cf_json_ms(out, "lostAnswers", tolerance->lost < 0 ? KP_NEVER : tolerance->lost * KP_NS_PER_MS);
    cf_out_put_char(out, '}');
}

void cf_budget_put_json(struct cf_out *out, const struct kp_profile *profile, struct kp_text name,
                        const struct kp_pod *pod, const struct cf_container_budget *budget)
{
    cf_out_put_char(out, '{');
    cf_json_text(out, "workload", name);
    cf_json_text(out, "pod", pod->name);
    cf_json_text(out, "container", pod->containers[budget->container].name);
    cf_out_printf(out, ",\"k8s\":\"1.%d.%d\"", profile->minor, profile->patch);
    cf_json_ms(out, "activeDeadline",
               pod->has_deadline ? kp_seconds_ns(pod->deadline_s) : KP_NEVER);
    put_span(out, "start", &budget->start);
    if (budget->start.earliest_ns != KP_NEVER)
        cf_json_string(out, "startKilledBy", types[budget->start_by]);
    put_span(out, "ready", &budget->ready);
    put_trouble(out, "hangs", &budget->hangs);
    put_trouble(out, "fails", &budget->fails);
    cf_json_int(out, "grace", budget->hangs.grace_s);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        put_tolerance(out, types[type], &budget->tolerance[type]);
    put_span(out, "kubeletRestart", &budget->restart);
    put_span(out, "deletionToSigterm", &budget->ends);
    cf_json_int(out, "deletionGrace", budget->ends_grace_s);
    cf_out_put_string(out, "}\n");
}
