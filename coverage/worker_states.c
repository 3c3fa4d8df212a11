/*
 * worker_states.c: counts at which guard doProbe ended, for which type, in which group of
 * versions.  Linked into the coverage build alone, where the linker leads the calls of the worker's
 * two steps through here (--wrap); the product knows nothing of it.
 *
 * A group is a stretch of versions that the worker cannot tell apart: the same in all the switches
 * that worker.c asks.  It is named after its first version.  A state is a guard, a type and a
 * group; states that no scenario can reach are no states (`exists`).  At the end each process adds
 * lines "state GUARD TYPE GROUP COUNT" to the file $WORKER_STATES; the first one names every state.
 */
#define _GNU_SOURCE
#include "core/prober/worker.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kp_action __real_kp_worker_do_probe(struct kp_worker *w, const struct kp_prober_env *env,
                                         int64_t now_ns, struct kp_step *step);
enum kp_action __wrap_kp_worker_do_probe(struct kp_worker *w, const struct kp_prober_env *env,
                                         int64_t now_ns, struct kp_step *step);
enum kp_action __real_kp_worker_count(struct kp_worker *w, const struct kp_prober_env *env,
                                      enum kp_result result, struct kp_step *step);
enum kp_action __wrap_kp_worker_count(struct kp_worker *w, const struct kp_prober_env *env,
                                      enum kp_result result, struct kp_step *step);

enum { GROUPS_MAX = 64, TYPES = KP_PROBE_TYPES };

struct group {
    char name[16];
    struct kp_profile profile; /* of its first version */
};

static struct group groups[GROUPS_MAX];
static size_t group_count;

/* ---- groups ------------------------------------------------------------------------------------
 */

/* Gates are set by cases; that there is one at all is the version's. */
static bool alike(const struct kp_profile *a, const struct kp_profile *b)
{
#define SAME(name) (a->name == b->name)
    return SAME(startup_probe_exists) && SAME(startup_begins_unknown) &&
           SAME(startup_success_holds) && SAME(old_containers_keep) &&
           SAME(sidecar_startup_seeded) && SAME(sidecar_probes) && SAME(restart_rules_inverted) &&
           a->deletion_ends_probes == b->deletion_ends_probes &&
           a->startup_ends_when_started == b->startup_ends_when_started &&
           a->sidecar_outlives_never == b->sidecar_outlives_never;
#undef SAME
}

static size_t group_of(const struct kp_profile *profile)
{
    size_t i = 0;

    while (i < group_count && !alike(profile, &groups[i].profile))
        i++;
    return i;
}

static void make_groups(void)
{
    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++)
        for (int patch = 0; patch <= kp_profile_last_patch(minor); patch++) {
            struct kp_profile profile;
            char name[16];

            snprintf(name, sizeof name, "1.%d.%d", minor, patch);
            if (kp_profile_init(&profile, kp_text_of(name)) != KP_OK ||
                group_of(&profile) < group_count)
                continue;
            if (group_count == GROUPS_MAX)
                abort();
            memcpy(groups[group_count].name, name, sizeof name);
            groups[group_count++].profile = profile;
        }
}

/* ---- guards ------------------------------------------------------------------------------------
 */

static bool always(const struct kp_profile *p, enum kp_probe_type type)
{
    return p->startup_probe_exists || type != KP_STARTUP;
}

/* Readiness never rests. */
static bool on_hold(const struct kp_profile *p, enum kp_probe_type type)
{
    return always(p, type) && type != KP_READINESS;
}

static bool of_dead_sidecar(const struct kp_profile *p, enum kp_probe_type type)
{
    return always(p, type) && p->sidecar_outlives_never;
}

/* KP_GATE_ContainerRestartRules begins where restart_rules_inverted does. */
static bool of_restart_rules(const struct kp_profile *p, enum kp_probe_type type)
{
    return always(p, type) && p->restart_rules_inverted > 0;
}

static bool of_deletion(const struct kp_profile *p, enum kp_probe_type type)
{
    return on_hold(p, type) && p->deletion_ends_probes;
}

static bool of_startup_waiting(const struct kp_profile *p, enum kp_probe_type type)
{
    return p->startup_probe_exists && (type != KP_STARTUP || !p->startup_ends_when_started);
}

static bool of_startup_ending(const struct kp_profile *p, enum kp_probe_type type)
{
    return type == KP_STARTUP && p->startup_ends_when_started;
}

/* A result that counts and does not rest: with holding startup successes none of startup's. */
static bool of_plain_result(const struct kp_profile *p, enum kp_probe_type type)
{
    return always(p, type) && (type != KP_STARTUP || !p->startup_success_holds);
}

static const struct guard {
    enum kp_rule rule;
    enum kp_action action;
    const char *name;
    bool (*exists)(const struct kp_profile *p, enum kp_probe_type type);
} guards[] = {
    {KP_RULE_POD_STATUS_UNKNOWN, KP_WAIT, "P-027-no-status", always},
    {KP_RULE_POD_TERMINAL, KP_END, "P-028-terminal", always},
    {KP_RULE_CONTAINER_UNKNOWN, KP_WAIT, "P-029-no-container", always},
    {KP_RULE_ON_HOLD, KP_WAIT, "P-033-on-hold", on_hold},
    {KP_RULE_TERMINATED_CONTAINER, KP_WAIT, "P-035-not-running", always},
    {KP_RULE_TERMINATED_CONTAINER, KP_END, "P-035-ends", always},
    {KP_RULE_SIDECAR_WORKER_OUTLIVES, KP_WAIT, "P-036-sidecar", of_dead_sidecar},
    {KP_RULE_WORKER_RESTART_RULES, KP_WAIT, "P-037-comes-back", of_restart_rules},
    {KP_RULE_WORKER_RESTART_RULES, KP_END, "P-037-ends", of_restart_rules},
    {KP_RULE_DELETION_ENDS_PROBES, KP_END, "P-038-deletion", of_deletion},
    {KP_RULE_INITIAL_DELAY, KP_WAIT, "P-039-initial-delay", always},
    {KP_RULE_STARTUP_FIRST, KP_WAIT, "P-041-startup", of_startup_waiting},
    {KP_RULE_STARTUP_WORKER_ENDS, KP_END, "P-042-startup-ends", of_startup_ending},
    {KP_RULE_DO_PROBE, KP_PROBE, "P-044-probe", always},
    {KP_RULE_BELOW_THRESHOLD, KP_WAIT, "P-046-below-threshold", always},
    {KP_RULE_THRESHOLD_REACHED, KP_WAIT, "P-047-result", of_plain_result},
    {KP_RULE_HOLD_AFTER_RESULT, KP_WAIT, "P-048-result-rests", on_hold},
};
enum { GUARDS = sizeof guards / sizeof guards[0] };

/* The last row counts what should not be. */
static long counts[GUARDS + 1][TYPES][GROUPS_MAX];

static enum kp_action count(const struct kp_worker *w, const struct kp_prober_env *env,
                            const struct kp_step *step, enum kp_action action)
{
    size_t group = group_of(&env->profile);
    size_t guard = 0;

    while (guard < GUARDS && (guards[guard].rule != step->rule || guards[guard].action != action))
        guard++;
    if (group < group_count)
        __atomic_add_fetch(&counts[guard][w->type][group], 1, __ATOMIC_RELAXED);
    return action;
}

enum kp_action __wrap_kp_worker_do_probe(struct kp_worker *w, const struct kp_prober_env *env,
                                         int64_t now_ns, struct kp_step *step)
{
    return count(w, env, step, __real_kp_worker_do_probe(w, env, now_ns, step));
}

enum kp_action __wrap_kp_worker_count(struct kp_worker *w, const struct kp_prober_env *env,
                                      enum kp_result result, struct kp_step *step)
{
    return count(w, env, step, __real_kp_worker_count(w, env, result, step));
}

/* ---- at the end --------------------------------------------------------------------------------
 */

static void put(FILE *file, bool all, size_t guard, int type, size_t group)
{
    const struct kp_profile *profile = &groups[group].profile;
    bool exists = guard < GUARDS && guards[guard].exists(profile, (enum kp_probe_type)type);
    long seen = counts[guard][type][group];

    if (seen > 0 || (all && exists))
        fprintf(file, "%s %s %s %s %ld\n", exists ? "state" : "impossible",
                guard < GUARDS ? guards[guard].name : "another",
                kp_probe_type_name((enum kp_probe_type)type).bytes, groups[group].name, seen);
}

__attribute__((constructor)) static void begin(void)
{
    make_groups();
}

__attribute__((destructor)) static void end(void)
{
    const char *name = getenv("WORKER_STATES");
    FILE *file = name ? fopen(name, "a") : NULL;
    struct stat at;

    if (!file)
        return;
    bool first = fstat(fileno(file), &at) == 0 && at.st_size == 0;
    char *buffer = malloc(1 << 16);

    if (buffer)
        setvbuf(file, buffer, _IOFBF, 1 << 16); /* one write: processes end side by side */
    for (size_t guard = 0; guard <= GUARDS; guard++)
        for (int type = 0; type < TYPES; type++)
            for (size_t group = 0; group < group_count; group++)
                put(file, first, guard, type, group);
    fclose(file);
    free(buffer);
}
