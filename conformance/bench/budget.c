/*
 * budget.c: what people wait for: the budget of one pod, and of a thousand workloads, in CPU time.
 */
#include "conformance/simulate/budget.h"
#include "conformance/pod/manifest.h"
#include "conformance/text/out.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORKLOADS 1000
#define ROUNDS 200

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Deployments as charts have them: one in three has a startup probe, all have the other two. */
static void put_workload(struct cf_out *out, int i)
{
    cf_out_printf(out,
                  "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web-%d}\nspec:\n"
                  "  selector: {matchLabels: {app: web}}\n  template:\n"
                  "    metadata: {labels: {app: web}}\n    spec:\n      containers:\n"
                  "      - name: web\n        image: web:1\n",
                  i);
    if (i % 3 == 0)
        cf_out_printf(out, "        startupProbe: {httpGet: {port: 80}, failureThreshold: %d}\n",
                      30 + i % 7);
    cf_out_printf(out,
                  "        livenessProbe: {httpGet: {port: 80}, periodSeconds: %d}\n"
                  "        readinessProbe: {httpGet: {port: 80}, periodSeconds: %d, "
                  "initialDelaySeconds: %d}\n",
                  5 + i % 11, 5 + i % 6, i % 4 * 5);
}

static void find(struct cf_arena *arena, const struct kp_profile *profile, const struct kp_pod *pod)
{
    struct cf_budget budget;
    const char *why;

    if (cf_budget_find(arena, profile, pod, &budget, &why) != KP_OK) {
        fprintf(stderr, "bench: %s\n", why ? why : "out of memory");
        exit(1);
    }
}

int main(void)
{
    struct cf_out yaml = {0};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_manifest manifest;
    struct kp_profile profile;
    double begun;

    for (int i = 0; i < WORKLOADS; i++)
        put_workload(&yaml, i);
    if (kp_profile_init(&profile, KP_TEXT("1.36")) != KP_OK)
        return 1;
    begun = seconds_now();
    if (cf_manifest_read(&arena, &profile, "bench", cf_out_text(&yaml), &manifest) != KP_OK) {
        cf_manifest_print_fault(&manifest);
        return 1;
    }
    for (size_t i = 0; i < manifest.pod_count; i++)
        find(&arena, &profile, manifest.pods[i].pod);
    printf("the budgets of %d workloads, read and found            %8.2f s   budget 2 s\n",
           WORKLOADS, seconds_now() - begun);
    begun = seconds_now();
    for (int i = 0; i < ROUNDS; i++)
        find(&arena, &profile, manifest.pods[i % 12].pod);
    printf("the budget of a pod                                      %8.3f ms  budget 5 ms\n",
           (seconds_now() - begun) * 1e3 / ROUNDS);
    cf_arena_deinit(&arena);
    cf_out_deinit(&yaml);
    return 0;
}
