#include "conformance/simulate/sim_table.h"

#include "conformance/simulate/sim_outcome.h"
#include "conformance/text/human.h"
#include "conformance/text/versions.h"

enum { BLOCKS_MAX = 8 }; /* of more pods a table is printed */
enum { NAME_COLUMNS = 24, CONTAINER_COLUMNS = 16, KILLED_COLUMNS = 20 };

static void put_cells(struct cf_out *out, struct kp_text name, struct kp_text container,
                      struct kp_text killed, struct kp_text ready)
{
    cf_put_cell(out, name, NAME_COLUMNS);
    cf_put_cell(out, container, CONTAINER_COLUMNS);
    cf_put_cell(out, killed, KILLED_COLUMNS);
    cf_out_put(out, ready);
    cf_out_put_char(out, '\n');
}

static void put_killed_cell(struct cf_out *out, const struct cf_sim_trace *trace, int container)
{
    struct cf_sim_ends ends = cf_sim_ends_of(trace, container);

    if (ends.kills == 0) {
        cf_out_put_char(out, '-');
        return;
    }
    cf_out_printf(out, "%u x from ", ends.kills);
    cf_put_duration(out, ends.first->at_ns, false);
}

static void put_ready_cell(struct cf_out *out, const struct cf_sim_trace *trace)
{
    struct cf_sim_outcome outcome = cf_sim_outcome_of(trace);

    if (outcome.ready_ns == KP_NEVER) {
        cf_out_put_string(out, "never");
        return;
    }
    cf_out_put_string(out, "at ");
    cf_put_duration(out, outcome.ready_ns, true);
    if (outcome.unready_ns > 0) {
        cf_out_put_string(out, ", not ");
        cf_put_duration(out, outcome.unready_ns, true);
    }
}

static bool is_listed(const struct cf_sim_trace *trace, int container)
{
    const struct kp_probe *const *probes = trace->pod->containers[container].probes;

    return probes[KP_LIVENESS] || probes[KP_READINESS] || probes[KP_STARTUP] ||
           cf_sim_ends_of(trace, container).kills > 0;
}

void cf_sim_table_add(struct cf_sim_table *table, struct kp_text name, bool says_version,
                      const struct cf_sim_trace *trace)
{
    struct cf_out title = {0};
    struct cf_out ready = {0};
    bool any = false;

    cf_out_put(&title, name);
    if (says_version) {
        cf_out_put_char(&title, ' ');
        cf_put_profile(&title, trace->profile);
    }
    put_ready_cell(&ready, trace);
    for (size_t i = 0; i < kp_pod_container_count(trace->pod); i++) {
        struct cf_out killed = {0};

        if (!is_listed(trace, (int)i))
            continue;
        any = true;
        put_killed_cell(&killed, trace, (int)i);
        put_cells(&table->rows, cf_out_text(&title), trace->pod->containers[i].name,
                  cf_out_text(&killed), cf_out_text(&ready));
        cf_out_deinit(&killed);
    }
    if (!any)
        put_cells(&table->rows, cf_out_text(&title), KP_TEXT("no probe"), KP_TEXT("-"),
                  cf_out_text(&ready));
    table->pods++;
    cf_out_deinit(&title);
    cf_out_deinit(&ready);
}

void cf_sim_table_put(const struct cf_sim_table *table, bool all, struct cf_out *text)
{
    struct cf_out out = {0};

    if (table->pods <= BLOCKS_MAX)
        return;
    put_cells(&out, KP_TEXT("WORKLOAD"), KP_TEXT("CONTAINER"), KP_TEXT("KILLED"), KP_TEXT("READY"));
    cf_out_put(&out, cf_out_text(&table->rows));
    cf_out_printf(&out, "\n%zu pods%s\n", table->pods,
                  all ? "\n" : "; --pod NAME tells one of them, --all each");
    if (all)
        cf_out_put(&out, cf_out_text(text));
    cf_out_deinit(text);
    *text = out;
}
