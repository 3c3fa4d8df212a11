/* worst_case_print.c: how early and late kills can come, in words and as JSON. */
#include "conformance/simulate/worst_case.h"
#include "conformance/text/human.h"
#include "conformance/text/versions.h"

#include <stdio.h>

static const char *chance_name(const struct kp_profile *profile, enum cf_chance chance)
{
    bool young = profile->jitter_only_when_young;

    switch (chance) {
    case CF_CHANCE_PHASE:
        return "when in a second relists and sync ticks fall";
    case CF_CHANCE_LIVENESS_WAIT:
        return young ? "how much of its period a liveness worker of a new kubelet waits first"
                     : "how much of its period a liveness worker waits first";
    case CF_CHANCE_STARTUP_WAIT:
        return young ? "how much of its period a startup worker of a new kubelet waits first"
                     : "how much of its period a startup worker waits first";
    case CF_CHANCE_REQUEUE:
        return "by how much, up to a half, requeues are drawn out";
    default:
        return "which part of a second the wall clock shows";
    }
}

const char *cf_chance_rules(const struct kp_profile *profile, enum cf_chance chance)
{
    static const char *const rules[CF_CHANCES] = {
        [CF_CHANCE_PHASE] = "S-002 S-020",
        [CF_CHANCE_REQUEUE] = "S-021",
        [CF_CHANCE_WALL] = "P-040",
    };

    if (rules[chance])
        return rules[chance];
    return profile->jitter_only_when_young ? "P-015" : "P-014";
}

void cf_worst_case_row_name(const struct cf_worst_case_row *row, char *bytes, size_t size)
{
    snprintf(bytes, size, "%s %d", row->start ? "restart" : "kill", row->n);
}

static void put_seconds(struct cf_out *out, int64_t ns)
{
    char bytes[32];

    if (ns == KP_NEVER) {
        cf_out_printf(out, "%12s", "never");
        return;
    }
    snprintf(bytes, sizeof bytes, "%lld.%03lld", (long long)(ns / KP_NS_PER_S),
             (long long)(ns % KP_NS_PER_S / KP_NS_PER_MS));
    cf_out_printf(out, "%12s", bytes);
}

static void put_signed(struct cf_out *out, int64_t ns, const char *behind)
{
    int64_t ms = (ns < 0 ? -ns : ns) / KP_NS_PER_MS;

    cf_out_printf(out, "%c%lld.%03lld s%s", ns < 0 ? '-' : '+', (long long)(ms / 1000),
                  (long long)(ms % 1000), behind);
}

static void put_share(struct cf_out *out, const struct cf_worst_case *worst, enum cf_chance chance)
{
    const struct cf_worst_case_share *share = &worst->shares[chance];

    cf_out_printf(out, "  %-11s  %s: ", cf_chance_rules(worst->profile, chance),
                  chance_name(worst->profile, chance));
    if (share->kills_ns != KP_NEVER)
        cf_out_printf(out, "from never to %lld.%03lld s",
                      (long long)(share->kills_ns / KP_NS_PER_S),
                      (long long)(share->kills_ns % KP_NS_PER_S / KP_NS_PER_MS));
    else if (share->from_ns == 0 && share->to_ns == 0)
        cf_out_put_string(out, share->spares ? "to never" : "not at all");
    else {
        put_signed(out, share->from_ns, " to ");
        put_signed(out, share->to_ns, share->spares ? ", or never" : "");
    }
    cf_out_put_char(out, '\n');
}

/* The draws of one play, those that are not as usual. */
static void put_draws(struct cf_out *out, const struct cf_worst_case *worst, const char *which,
                      const int *draws)
{
    bool any = false;

    cf_out_printf(out, "  The %s first kill: ", which);
    for (int chance = 0; chance < CF_CHANCES; chance++) {
        int value = cf_chance_value((enum cf_chance)chance, draws[chance]);

        if (draws[chance] == 0)
            continue;
        cf_out_put_string(out, any ? "; " : "");
        any = true;
        if (chance == CF_CHANCE_PHASE)
            cf_out_printf(out, "ticks at .%03d s", value);
        else if (chance == CF_CHANCE_REQUEUE)
            cf_out_printf(out, "requeues drawn out by %d%% of a half", value);
        else if (chance == CF_CHANCE_WALL)
            cf_out_printf(out, "the pod added .%03d s after a whole second", value);
        else
            cf_out_printf(out, "the %s worker waits %d%% of its period",
                          chance == CF_CHANCE_LIVENESS_WAIT ? "liveness" : "startup", value);
        cf_out_printf(out, " [%s]", cf_chance_rules(worst->profile, (enum cf_chance)chance));
    }
    cf_out_put_string(out, any ? "\n" : "as usual\n");
}

static void put_plays(struct cf_out *out, const struct cf_worst_case *worst)
{
    cf_out_put_string(out, "  LEFT TO CHANCE, AND HOW IT MOVES THE FIRST KILL\n");
    for (int chance = 0; chance < CF_CHANCES; chance++)
        if (worst->shares[chance].matters)
            put_share(out, worst, (enum cf_chance)chance);
    cf_out_printf(out, "\n  In %zu plays:\n", worst->plays);
    if (worst->row_count == 0) {
        cf_out_put_string(out, "  no container is killed or started again in any of them\n");
        return;
    }
    cf_out_printf(out, "  %-20s %-10s %12s%12s%12s\n", "CONTAINER", "WHAT", "EARLIEST", "USUAL",
                  "LATEST");
    for (size_t i = 0; i < worst->row_count; i++) {
        const struct cf_worst_case_row *row = &worst->rows[i];
        struct kp_text name = worst->pod->containers[row->container].name;
        char what[24];

        cf_worst_case_row_name(row, what, sizeof what);
        cf_out_printf(out, "  %-20.*s %-10s ", KP_ARG(name), what);
        put_seconds(out, row->earliest_ns);
        put_seconds(out, row->usual_ns);
        put_seconds(out, row->latest_ns);
        cf_out_put_char(out, '\n');
    }
    if (!worst->kills)
        return;
    cf_out_put_char(out, '\n');
    put_draws(out, worst, "earliest", worst->earliest);
    put_draws(out, worst, "latest", worst->latest);
}

void cf_worst_case_put_text(struct cf_out *out, struct kp_text head,
                            const struct cf_worst_case *worst, size_t columns)
{
    size_t from = out->len;

    cf_out_put(out, head);
    put_plays(out, worst);
    cf_fold_lines(out, from, columns);
}

static void begin_object(struct cf_out *out, const struct cf_worst_case *worst)
{
    cf_out_put_char(out, '{');
    cf_json_text(out, "pod", worst->pod->name);
    cf_json_profile(out, worst->profile);
}

void cf_worst_case_put_json(struct cf_out *out, const struct cf_worst_case *worst)
{
    for (int chance = 0; chance < CF_CHANCES; chance++) {
        if (!worst->shares[chance].matters)
            continue;
        begin_object(out, worst);
        cf_json_string(out, "chance", chance_name(worst->profile, (enum cf_chance)chance));
        cf_json_string(out, "rules", cf_chance_rules(worst->profile, (enum cf_chance)chance));
        cf_json_int(out, "from", worst->shares[chance].from_ns / KP_NS_PER_MS);
        cf_json_int(out, "to", worst->shares[chance].to_ns / KP_NS_PER_MS);
        if (worst->shares[chance].kills_ns != KP_NEVER)
            cf_json_int(out, "kills", worst->shares[chance].kills_ns / KP_NS_PER_MS);
        if (worst->shares[chance].spares)
            cf_json_bool(out, "spares", true);
        cf_out_put_string(out, "}\n");
    }
    for (size_t i = 0; i < worst->row_count; i++) {
        const struct cf_worst_case_row *row = &worst->rows[i];

        begin_object(out, worst);
        cf_json_text(out, "container", worst->pod->containers[row->container].name);
        cf_json_string(out, "what", row->start ? "restart" : "kill");
        cf_json_int(out, "n", row->n);
        cf_json_ms(out, "earliest", row->earliest_ns);
        cf_json_ms(out, "usual", row->usual_ns);
        cf_json_ms(out, "latest", row->latest_ns);
        cf_out_put_string(out, "}\n");
    }
}
