#include "fuzz/shared/show.h"

#include "conformance/protocol/wire.h"

#include <stdio.h>
#include <stdlib.h>

/* Read once: at each effect it took a tenth of a target's time. */
static bool is_wanted(void)
{
    static enum { UNKNOWN, WANTED, UNWANTED } answer;

    if (answer == UNKNOWN)
        answer = getenv("SHOW") ? WANTED : UNWANTED;
    return answer == WANTED;
}

static void say(struct cf_out *out)
{
    cf_out_put_char(out, '\n');
    fwrite(out->bytes, 1, out->len, stderr);
    cf_out_deinit(out);
}

static void put_probe(struct cf_out *out, enum kp_probe_type type, const struct kp_probe *probe)
{
    cf_json_key(out, cf_word(&cf_probe_type_words, type));
    cf_out_put_char(out, '{');
    cf_json_int(out, "initialDelaySeconds", probe->initial_delay_s);
    cf_json_int(out, "timeoutSeconds", probe->timeout_s);
    cf_json_int(out, "periodSeconds", probe->period_s);
    cf_json_int(out, "successThreshold", probe->success_threshold);
    cf_json_int(out, "failureThreshold", probe->failure_threshold);
    cf_out_put_char(out, '}');
}

static void put_container(struct cf_out *out, const struct kp_container *container)
{
    cf_out_put_char(out, '{');
    cf_json_text(out, "name", container->name);
    if (container->restart_policy.len > 0)
        cf_json_text(out, "restartPolicy", container->restart_policy);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (container->probes[type])
            put_probe(out, (enum kp_probe_type)type, container->probes[type]);
    cf_out_put_char(out, '}');
}

void show_scenario(const struct scenario *scenario)
{
    const struct kp_pod *pod = &scenario->pod;
    struct cf_out out = {0};

    if (!is_wanted())
        return;
    cf_out_printf(&out, "{\"k8s\":\"1.%d\"", scenario->profile.minor);
    cf_put_open(&out, &scenario->run.open);
    cf_json_text(&out, "restartPolicy", pod->restart_policy);
    cf_json_int(&out, "initContainers", (int64_t)pod->init_count);
    cf_json_key(&out, "containers");
    cf_out_put_char(&out, '[');
    for (size_t i = 0; i < pod->init_count + pod->regular_count; i++) {
        if (i > 0)
            cf_out_put_char(&out, ',');
        put_container(&out, &pod->containers[i]);
    }
    cf_out_put_string(&out, "]}");
    say(&out);
}

void show_event(const struct scenario *scenario, int64_t at_ns, const struct kp_event *event)
{
    struct cf_wire_pods one = {(const struct kp_pod **)scenario->pods, 1};
    struct cf_out out = {0};

    if (!is_wanted())
        return;
    cf_out_printf(&out, "%.3f < ", (double)at_ns / 1e9);
    cf_put_event(&out, &one, event);
    say(&out);
}

void show_effect(const struct kp_effect *effect)
{
    struct cf_out out = {0};

    if (!is_wanted())
        return;
    cf_put_effect(&out, effect, false); /* first: a comma goes before what is not */
    fputs("> ", stderr);
    say(&out);
}
