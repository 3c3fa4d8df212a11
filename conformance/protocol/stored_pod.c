#include "conformance/protocol/stored_pod.h"

#include "conformance/pod/pod_decode.h"
#include "conformance/text/json.h"

/* What the API server would have put in, where the runner left it out; what is there stays. */
static void fill_probe(struct cf_arena *arena, struct cf_node *probe)
{
    static const struct {
        const char *name;
        int64_t value;
    } defaults[] = {{"timeoutSeconds", 1},
                    {"periodSeconds", 10},
                    {"successThreshold", 1},
                    {"failureThreshold", 3}};

    for (size_t i = 0; probe && i < sizeof defaults / sizeof defaults[0]; i++)
        if (cf_node_find(probe, defaults[i].name) == NULL)
            cf_node_put(probe, kp_text_of(defaults[i].name), cf_node_int(arena, defaults[i].value));
}

static void fill_containers(struct cf_arena *arena, const struct cf_node *list)
{
    for (struct cf_node *container = list ? list->first : NULL; container;
         container = container->next) {
        fill_probe(arena, cf_node_find(container, "livenessProbe"));
        fill_probe(arena, cf_node_find(container, "readinessProbe"));
        fill_probe(arena, cf_node_find(container, "startupProbe"));
    }
}

static void fill_pod(struct cf_arena *arena, const struct cf_node *pod)
{
    struct cf_node *spec = cf_node_find(pod, "spec");

    fill_containers(arena, cf_node_find(spec, "initContainers"));
    fill_containers(arena, cf_node_find(spec, "containers"));
    if (spec && cf_node_find(spec, "restartPolicy") == NULL)
        cf_node_put(spec, KP_TEXT("restartPolicy"), cf_node_string(arena, KP_TEXT("Always")));
    if (spec && cf_node_find(spec, "terminationGracePeriodSeconds") == NULL)
        cf_node_put(spec, KP_TEXT("terminationGracePeriodSeconds"), cf_node_int(arena, 30));
}

/* The kubelet itself would panic (P-026). */
static bool check_periods(struct cf_reader *reader, const struct kp_pod *pod)
{
    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            const struct kp_probe *probe = pod->containers[i].probes[type];

            if (probe && probe->period_s <= 0)
                return cf_reader_fail(reader, "`pod`: periodSeconds must be positive, not %d",
                                      (int)probe->period_s);
        }
    return true;
}

struct kp_profile cf_as_stored(const struct kp_profile *profile)
{
    struct kp_profile as_given = *profile;

    as_given.gates[KP_GATE_SidecarContainers] = true;
    as_given.gates[KP_GATE_ProbeTerminationGracePeriod] = true;
    return as_given;
}

const struct kp_pod *cf_stored_pod(struct cf_reader *reader, const struct kp_profile *profile,
                                   struct cf_arena *arena, const struct cf_node *node)
{
    struct kp_profile as_given = cf_as_stored(profile);
    struct cf_fault fault = {0};
    struct cf_node *kept;
    struct cf_pod pod;

    if (cf_json_parse(arena, cf_node_json(arena, node), &kept, &fault) != KP_OK) {
        cf_reader_fail(reader, "`pod`: %.*s", KP_ARG(fault.message));
        return NULL;
    }
    fill_pod(arena, kept);
    if (cf_pod_decode(arena, &as_given, kept, &pod) != KP_OK) {
        cf_reader_fail(reader, "`pod`: out of memory");
        return NULL;
    }
    if (pod.pod == NULL)
        cf_reader_fail(reader, "`pod`: %.*s", KP_ARG(pod.fault.message));
    else if (!check_periods(reader, pod.pod))
        return NULL;
    return pod.pod;
}
