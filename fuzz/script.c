/* script.c: bytes as a script of `simulate`, for a pod with a container of each kind: refused with
 * a place, or played for two minutes. */
#include "conformance/pod/check.h"
#include "conformance/simulate/sim_file.h"
#include "conformance/simulate/sim_trace.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/mutate.h"
#include "fuzz/shared/pod_promises.h"
#include "fuzz/shared/profile.h"

static const char pod_yaml[] =
    "{apiVersion: v1, kind: Pod, metadata: {name: p, uid: u}, spec: {"
    "initContainers: [{name: init, image: i}, {name: proxy, image: i, restartPolicy: Always}],"
    "containers: [{name: web, image: i, livenessProbe: {exec: {command: [a]}, periodSeconds: 5},"
    " readinessProbe: {tcpSocket: {port: 80}}, startupProbe: {httpGet: {port: 80}}},"
    " {name: app, image: i, lifecycle: {preStop: {exec: {command: [b]}}}}]}}";

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_lines(data, size, max_size, seed);
}

static void play(struct cf_suite *suite, const struct kp_profile *profile,
                 const struct cf_check_reply *pod, struct kp_text bytes)
{
    struct cf_sim_trace trace = {
        .profile = profile, .pod = pod->decoded.pod, .end_ns = 120 * KP_NS_PER_S};
    struct cf_sim_script assumed;
    struct cf_out out = {0};
    const char *why = NULL;
    enum kp_err err;

    PROMISE(cf_sim_script_make(&suite->arena, profile, pod->decoded.pod, 0, KP_NS_PER_S,
                               &assumed) == KP_OK);
    err = cf_sim_file_read(suite, "script.yaml", bytes, pod->pod, &assumed.script);
    PROMISE((err == KP_EINPUT) == (suite->fault_count > 0));
    for (size_t i = 0; i < suite->fault_count; i++)
        PROMISE(place_is_inside(bytes, WRITTEN_YAML, suite->faults[i].at) &&
                suite->faults[i].message.len > 0);
    if (err != KP_OK)
        return;
    err = cf_sim_play(&suite->arena, &assumed.script, KP_NS_PER_S, &trace, &why);
    PROMISE(err == KP_OK || (err == KP_EINPUT && why));
    if (err == KP_OK) {
        cf_sim_put_text(&out, &trace);
        cf_sim_put_json(&out, &trace);
    }
    cf_out_deinit(&out);
    cf_sim_trace_deinit(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_check_reply pod = {0};
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};

    PROMISE(cf_check_yaml(&suite.arena, fuzz_profile(KP_NEWEST), kp_text_of(pod_yaml), &pod) ==
                KP_OK &&
            pod.pod);
    play(&suite, fuzz_profile(KP_NEWEST), &pod, (struct kp_text){(const char *)data, size});
    cf_suite_deinit(&suite);
    return 0;
}
