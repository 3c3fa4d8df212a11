/* Earliest and latest kills, derived by hand from P-014, P-015 and the worker's grid. */
#include "conformance/simulate/worst_case.h"

#include "conformance/pod/manifest.h"
#include "fakes/unit.h"

#include <string.h>

struct searched {
    struct cf_arena arena;
    struct cf_manifest manifest;
    struct kp_profile profile;
    struct cf_worst_case worst;
};

#define POD(probe)                                                                                 \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: web\n"        \
    "    image: i:1\n    command: [web]\n" probe
#define LIVENESS "    livenessProbe: {tcpSocket: {port: 80}, periodSeconds: 10}\n"

/* All probes fail; SIGTERM ends it at once. */
static void search(struct searched *searched, const char *version, const char *pod, int64_t for_s)
{
    static const struct fake_step fails = {.attempts = {KP_ANSWER_FAILURE}, .attempt_count = 1};
    static const struct fake_answers answers[] = {
        {.call = FAKE_CALL_LIVENESS, .steps = &fails, .step_count = 1}};
    const struct fake_script script = {.answers = answers, .answers_count = 1};
    const char *why = NULL;

    memset(searched, 0, sizeof *searched);
    searched->arena = (struct cf_arena){.mem = cf_libc_mem()};
    CHECK_INT(kp_profile_init(&searched->profile, kp_text_of(version)), KP_OK);
    CHECK_INT(cf_manifest_read(&searched->arena, &searched->profile, "f", kp_text_of(pod),
                               &searched->manifest),
              KP_OK);
    searched->worst = (struct cf_worst_case){.profile = &searched->profile,
                                             .pod = searched->manifest.pods[0].pod,
                                             .end_ns = for_s * KP_NS_PER_S};
    CHECK_INT(cf_worst_case_play(&searched->arena, &script, &searched->worst, &why), KP_OK);
}

static int64_t ms(int64_t ns)
{
    return ns == KP_NEVER ? -1 : ns / KP_NS_PER_MS;
}

/*
 * Usually the worker's first doProbe, at 0, finds no status: it probes at 10, 20 and 30 s.  One
 * that waits for a tenth of its period probes at 1, 11 and 21 s; one that waits as long as it may,
 * at 9.99, 19.99 and 29.99 s.
 */
static void a_wait_brings_the_first_kill_forward(void)
{
    static const char *const versions[] = {"1.20", "1.21", "1.36", "1.37"};

    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct searched searched;
        const struct cf_worst_case_row *row;

        search(&searched, versions[i], POD(LIVENESS), 35);
        row = searched.worst.rows;
        CHECK_INT(searched.worst.plays, 11 * 11 * 3 * 4);
        CHECK(searched.worst.kills);
        CHECK(!row->start && row->n == 1);
        CHECK_INT(ms(row->usual_ns), 30000);
        CHECK_INT(ms(row->earliest_ns), 21000);
        CHECK_INT(ms(row->latest_ns), 30000);
        CHECK_INT(ms(searched.worst.shares[CF_CHANCE_LIVENESS_WAIT].from_ns), -9000);
        CHECK_INT(searched.worst.shares[CF_CHANCE_LIVENESS_WAIT].to_ns, 0);
        CHECK(!searched.worst.shares[CF_CHANCE_STARTUP_WAIT].matters);
        CHECK_INT(cf_chance_value(CF_CHANCE_LIVENESS_WAIT,
                                  searched.worst.earliest[CF_CHANCE_LIVENESS_WAIT]),
                  10);
        cf_arena_deinit(&searched.arena);
    }
}

/* The kubelet that waits in every version is P-014's; from 1.21 only a new one does (P-015). */
static void the_rule_of_the_wait_is_the_version_s(void)
{
    struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.20")), KP_OK);
    CHECK_STRING(cf_chance_rules(&profile, CF_CHANCE_LIVENESS_WAIT), "P-014");
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.21")), KP_OK);
    CHECK_STRING(cf_chance_rules(&profile, CF_CHANCE_LIVENESS_WAIT), "P-015");
    CHECK_STRING(cf_chance_rules(&profile, CF_CHANCE_REQUEUE), "S-021");
}

static void a_pod_that_nothing_kills_has_no_rows(void)
{
    struct searched searched;
    struct cf_out out = {0};

    search(&searched, "1.36", POD(""), 60);
    CHECK_INT(searched.worst.row_count, 0);
    CHECK(!searched.worst.kills);
    CHECK_INT(searched.worst.plays, 11 * 3 * 4); /* no worker: nothing waits */
    cf_worst_case_put_text(&out, KP_TEXT_NONE, &searched.worst, 80);
    cf_out_put_char(&out, '\0');
    CHECK(strstr(out.bytes, "no container is killed") != NULL);
    cf_out_deinit(&out);
    cf_arena_deinit(&searched.arena);
}

/* What is killed in some plays only: its latest is never. */
static void a_kill_that_may_not_come_has_no_latest(void)
{
    struct searched searched;

    search(&searched, "1.36", POD(LIVENESS), 25);
    CHECK_INT(searched.worst.row_count, 2); /* the kill and the restart */
    CHECK_INT(ms(searched.worst.rows[0].earliest_ns), 21000);
    CHECK_INT(ms(searched.worst.rows[0].usual_ns), -1);
    CHECK_INT(ms(searched.worst.rows[0].latest_ns), -1);
    cf_arena_deinit(&searched.arena);
}

const struct unit_test worst_case_test[] = {
    {"a wait brings the first kill forward", a_wait_brings_the_first_kill_forward},
    {"the rule of the wait is the version's", the_rule_of_the_wait_is_the_version_s},
    {"a pod that nothing kills has no rows", a_pod_that_nothing_kills_has_no_rows},
    {"a kill that may not come has no latest", a_kill_that_may_not_come_has_no_latest},
    {0},
};
