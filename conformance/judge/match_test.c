#include "conformance/judge/match.h"

#include "fakes/unit.h"

#include <stdio.h>

#define HEAD "about: x\ncases:\n  - id: a\n    why: because\n    rules: [P-046]\n"
#define SCENARIO HEAD "    pod: {containers: [{name: web, livenessProbe: {}}]}\n"
#define POD SCENARIO "    layer: pod\n"

static const struct kp_container web = {.name = {"web", 3}, .kind = KP_REGULAR};
static const struct kp_pod pod = {.name = {"p", 1}, .containers = &web, .regular_count = 1};

/* An effect at a second. */
struct happened {
    int64_t at_s;
    struct kp_effect effect;
};

#define PROBE(second)                                                                              \
    {                                                                                              \
        second,                                                                                    \
        {                                                                                          \
            .kind = KP_EFFECT_PROBE, .cid = {"web-1", 5}, .u.probe = {.attempt = 1 }               \
        }                                                                                          \
    }
#define RESULT(second, is)                                                                         \
    {                                                                                              \
        second,                                                                                    \
        {                                                                                          \
            .kind = KP_EFFECT_RESULT, .cid = {"web-1", 5}, .u.result = {.value = is }              \
        }                                                                                          \
    }
#define READY(second, is)                                                                          \
    {                                                                                              \
        second,                                                                                    \
        {                                                                                          \
            .kind = KP_EFFECT_READY, .u.value = is                                                 \
        }                                                                                          \
    }
#define STARTS(second, count)                                                                      \
    {                                                                                              \
        second,                                                                                    \
        {                                                                                          \
            .kind = KP_EFFECT_START, .u.restart = count                                            \
        }                                                                                          \
    }

static struct cf_outcome judge_as(const char *text, const struct happened *rows, size_t count,
                                  const struct cf_declared *declared)
{
    static struct cf_suite
        suite; /* the outcome's texts live in its arena until the next judgement */
    static bool made;
    struct cf_outcome outcome = {.verdict = CF_NOT_RUN};
    struct cf_record record;
    struct fake_observer observer;

    if (made)
        cf_suite_deinit(&suite);
    made = true;
    suite = (struct cf_suite){.arena.mem = cf_libc_mem()};
    if (!CHECK_INT(cf_suite_add(&suite, "f.yaml", kp_text_of(text)), KP_OK)) {
        cf_suite_print_faults(&suite);
        return outcome;
    }
    cf_record_init(&record, &suite.arena, &suite.cases[0]);
    observer = cf_record_observer(&record);
    for (size_t i = 0; i < count; i++) {
        struct kp_effect effect = rows[i].effect;

        effect.spec = &pod;
        observer.effect(observer.ctx, &effect);
        observer.instant(observer.ctx, rows[i].at_s * KP_NS_PER_S);
    }
    cf_match(&suite.cases[0], &record, declared, &suite.arena, &outcome);
    return outcome;
}

static struct cf_outcome judge(const char *text, const struct happened *rows, size_t count,
                               uint32_t observes)
{
    const struct cf_declared declared = cf_declared_by_kubelet(observes);

    return judge_as(text, rows, count, &declared);
}

#define JUDGE(text, rows) judge(text, rows, sizeof(rows) / sizeof *(rows), CF_OBSERVES_ALL)
#define CHECK_VERDICT(text, rows, is) CHECK_INT(JUDGE(text, rows).verdict, is)

static void what_was_wanted_passes(void)
{
    static const struct happened rows[] = {PROBE(10), PROBE(20)};

    CHECK_VERDICT(SCENARIO "    trace: |\n      10s,20s web/1 probe liveness\n", rows, CF_PASS);
}

static void an_unlisted_effect_fails(void)
{
    static const struct happened rows[] = {PROBE(10), READY(15, true), PROBE(20)};
    struct cf_outcome outcome =
        JUDGE(SCENARIO "    trace: |\n      10s,20s web/1 probe liveness\n", rows);

    CHECK_INT(outcome.verdict, CF_FAIL);
    CHECK_TEXT(outcome.why, KP_TEXT("at 15s: wanted nothing, got web ready"));
    CHECK_INT(outcome.moment_count, 3);
    CHECK_INT(outcome.first, 1);
}

static void a_missing_effect_fails(void)
{
    static const struct happened rows[] = {PROBE(10)};
    struct cf_outcome outcome =
        JUDGE(SCENARIO "    trace: |\n      10s,20s web/1 probe liveness\n", rows);

    CHECK_INT(outcome.verdict, CF_FAIL);
    CHECK_TEXT(outcome.signature, KP_TEXT("20s wanted web/1 probe liveness got nothing"));
}

static void a_wrong_instant_fails(void)
{
    static const struct happened rows[] = {PROBE(11)};

    CHECK_VERDICT(SCENARIO "    trace: |\n      10s web/1 probe liveness\n", rows, CF_FAIL);
    CHECK_VERDICT(SCENARIO "    trace: |\n      10s..12s web/1 probe liveness\n", rows, CF_PASS);
    CHECK_VERDICT(SCENARIO "    trace: |\n      12s..13s web/1 probe liveness\n", rows, CF_FAIL);
}

static void what_may_be_missing_may_be_missing(void)
{
    static const struct happened one[] = {PROBE(10)};
    static const struct happened two[] = {PROBE(10), PROBE(20)};
    static const char text[] = SCENARIO
        "    trace: |\n      10s web/1 probe liveness\n      maybe 20s web/1 probe liveness\n";

    CHECK_VERDICT(text, one, CF_PASS);
    CHECK_VERDICT(text, two, CF_PASS);
}

static void only_what_is_watched_is_looked_at(void)
{
    static const struct happened rows[] = {PROBE(10), READY(10, true),
                                           RESULT(10, KP_RESULT_FAILURE)};

    CHECK_VERDICT(SCENARIO "    watch: [ready]\n    trace: |\n      10s web ready\n", rows,
                  CF_PASS);
    CHECK_VERDICT(SCENARIO
                  "    watch: [probe readiness, ready]\n    trace: |\n      10s web ready\n",
                  rows, CF_PASS);
    CHECK_VERDICT(SCENARIO
                  "    watch: [probe liveness, ready]\n    trace: |\n      10s web ready\n",
                  rows, CF_FAIL);
}

static void what_is_not_observed_is_not_judged(void)
{
    static const struct happened rows[] = {PROBE(10)};
    static const char text[] =
        SCENARIO "    trace: |\n      10s web/1 probe liveness\n      10s web ready\n";

    CHECK_INT(judge(text, rows, 1, CF_OBSERVES_ALL).verdict, CF_FAIL);
    CHECK_INT(judge(text, rows, 1, 1u << KP_EFFECT_PROBE).verdict, CF_PASS);
}

static void what_others_tell_is_no_part_of_it(void)
{
    static const struct kp_condition conditions[] = {{.type = {"example.org/warm", 16}},
                                                     {.type = {"PodScheduled", 12}},
                                                     {.type = {"PodResizeInProgress", 19}},
                                                     {.type = {"Ready", 5}}};
#define TELLS(text, length)                                                                        \
    {                                                                                              \
        10,                                                                                        \
        {                                                                                          \
            .kind = KP_EFFECT_EVENT, .container = -1, .u.event = {.reason = {text, length} }       \
        }                                                                                          \
    }
    const struct happened resized[] = {TELLS("ResizeStarted", 13), TELLS("ResizeCompleted", 15)};
    const struct happened killed[] = {TELLS("Killing", 7)};
    struct happened is[4];

    for (size_t i = 0; i < 4; i++)
        is[i] = (struct happened){
            10, {.kind = KP_EFFECT_CONDITION, .container = -1, .u.condition = &conditions[i]}};
    CHECK_INT(judge(POD "    trace: \"\"\n", is, 3, CF_OBSERVES_ALL).verdict, CF_PASS);
    CHECK_INT(judge(POD "    trace: \"\"\n", is, 4, CF_OBSERVES_ALL).verdict, CF_FAIL);
    CHECK_VERDICT(POD "    trace: \"\"\n", resized, CF_PASS);
    CHECK_VERDICT(POD "    trace: \"\"\n", killed, CF_FAIL);
}

static void what_may_never_be_fails_unwatched(void)
{
    static const struct happened rows[] = {PROBE(10), READY(15, true)};
    struct cf_outcome outcome = JUDGE(SCENARIO "    watch: [probe]\n    never: |\n      web ready\n"
                                               "    trace: |\n      10s web/1 probe liveness\n",
                                      rows);

    CHECK_INT(outcome.verdict, CF_FAIL);
    CHECK_TEXT(outcome.signature, KP_TEXT("15s wanted nothing got web ready"));
}

static void one_of_several_traces_is_enough(void)
{
    static const struct happened rows[] = {PROBE(12)};
    struct cf_outcome outcome =
        JUDGE(SCENARIO "    any_of:\n      - {as: early, trace: 10s web/1 probe liveness}\n"
                       "      - {as: late, trace: 12s web/1 probe liveness}\n",
              rows);

    CHECK_INT(outcome.verdict, CF_PASS);
    CHECK_TEXT(outcome.why, KP_TEXT("late"));
}

static void starts_of_an_instant_are_in_order(void)
{
    static const struct happened rows[] = {STARTS(0, 1), STARTS(0, 0)};
    static const struct happened mixed[] = {READY(0, true), PROBE(0)};

    CHECK_VERDICT(POD "    trace: |\n      0s web start 0\n      0s web start 1\n", rows, CF_FAIL);
    CHECK_VERDICT(POD "    trace: |\n      0s web start 1\n      0s web start 0\n", rows, CF_PASS);
    CHECK_VERDICT(POD "    unordered: true\n    trace: |\n      0s web start 0\n"
                      "      0s web start 1\n",
                  rows, CF_PASS);
    CHECK_VERDICT(POD "    trace: |\n      0s web/1 probe liveness\n      0s web ready\n", mixed,
                  CF_PASS);
}

static void the_last_published_value_of_an_instant_counts(void)
{
    static const struct happened rows[] = {READY(1, false), READY(5, true), READY(5, false),
                                           READY(7, true)};
    static const char text[] = "    watch: [ready]\n    trace: |\n      7s web ready\n";
    char pod_text[512];
    char probe_text[512];

    snprintf(pod_text, sizeof pod_text, "%s%s", POD, text);
    snprintf(probe_text, sizeof probe_text, "%s%s", SCENARIO, text);
    CHECK_VERDICT(pod_text, rows, CF_PASS);
    CHECK_VERDICT(probe_text, rows, CF_FAIL); /* layer probe reports every change */
}

static void messages_count_where_they_are_asked_for(void)
{
    static const struct happened rows[] = {
        {3,
         {.kind = KP_EFFECT_EVENT,
          .u.event = {
              .type = KP_WARNING,
              .reason = {"Unhealthy", 9},
              .message = {.parts = {{.kind = KP_PART_TEXT, .text = {"so", 2}}}, .count = 1}}}}};

    CHECK_VERDICT(SCENARIO "    trace: |\n      3s web event Warning Unhealthy\n", rows, CF_PASS);
    CHECK_VERDICT(SCENARIO "    trace: |\n      3s web event Warning Unhealthy \"so\"\n", rows,
                  CF_PASS);
    CHECK_VERDICT(SCENARIO "    trace: |\n      3s web event Warning Unhealthy \"no\"\n", rows,
                  CF_FAIL);
    CHECK_VERDICT(SCENARIO "    trace: |\n      3s web event Normal Unhealthy\n", rows, CF_FAIL);
}

/* Of texts of 10 kB the sentence has how they begin, and what is about the difference. */
static void a_long_difference_is_cut(void)
{
    static char as[10241];
    static struct happened rows[] = {
        {3,
         {.kind = KP_EFFECT_EVENT,
          .u.event = {.type = KP_WARNING, .reason = {"Unhealthy", 9}, .message = {.count = 1}}}}};
    struct cf_outcome outcome;
    char want[500];

    memset(as, 'a', sizeof as);
    rows[0].effect.u.event.message.parts[0] =
        (struct kp_part){.kind = KP_PART_TEXT, .text = {as, 10241}};
    outcome =
        JUDGE(SCENARIO "    trace: |\n      3s web event Warning Unhealthy \"${a*10240}\"\n", rows);
    snprintf(want, sizeof want,
             "at 3s: wanted web event Warning Unhealthy \"aaaaaaaaaaa...%.60s\" (10270 bytes), got "
             "web event Warning "
             "Unhealthy \"aaaaaaaaaaa...%.61s\" (10271 bytes)",
             as, as);
    CHECK_TEXT(outcome.why, kp_text_of(want));
    rows[0].effect.u.event.message.parts[0].text.len = 300;
    outcome =
        JUDGE(SCENARIO "    trace: |\n      3s web event Warning Unhealthy \"${a*10240}\"\n", rows);
    snprintf(want, sizeof want,
             "at 3s: wanted web event Warning Unhealthy \"aaaaaaaaaaa...%.120s... (10270 bytes), "
             "got web event Warning "
             "Unhealthy \"aaaaaaaaaaa...%.60s\" (330 bytes)",
             as, as);
    CHECK_TEXT(outcome.why, kp_text_of(want));
}

/* Below tier exact: no text is looked at, nor a condition's reason that was left out. */
static void wording_may_be_anybodys(void)
{
    static const struct kp_condition condition = {
        {"Ready", 5}, KP_CONDITION_FALSE, {"No", 2}, {"so", 2}};
    static const struct kp_condition bare = {.type = {"Ready", 5}, .status = KP_CONDITION_FALSE};
    static const struct happened rows[] = {
        {3, {.kind = KP_EFFECT_KILL, .cid = {"web-1", 5}, .u.kill = {.grace_s = 30}}},
        {3, {.kind = KP_EFFECT_CONDITION, .container = -1, .u.condition = &condition}},
        {4, {.kind = KP_EFFECT_CONDITION, .container = -1, .u.condition = &bare}},
    };
    static const struct {
        const char *trace;
        size_t from;
        size_t count;
        enum cf_verdict exact;
        enum cf_verdict below;
    } cases[] = {
        {"3s web/1 kill 30s", 0, 1, CF_PASS, CF_PASS},
        {"3s web/1 kill 30s \"Stopping\"", 0, 1, CF_FAIL, CF_PASS},
        {"3s web/1 kill 30s liveness \"Stopping\"", 0, 1, CF_FAIL, CF_FAIL},
        {"3s web/1 kill 31s \"Stopping\"", 0, 1, CF_FAIL, CF_FAIL},
        {"3s pod condition Ready False No \"so\"", 1, 1, CF_PASS, CF_PASS},
        {"3s pod condition Ready False No \"no\"", 1, 1, CF_FAIL, CF_PASS},
        {"3s pod condition Ready False Other \"so\"", 1, 1, CF_FAIL, CF_FAIL},
        {"3s pod condition Ready True No \"so\"", 1, 1, CF_FAIL, CF_FAIL},
        {"4s pod condition Ready False No \"so\"", 2, 1, CF_FAIL, CF_PASS},
        {"4s pod condition Ready True No \"so\"", 2, 1, CF_FAIL, CF_FAIL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cf_declared declared = cf_declared_by_kubelet(CF_OBSERVES_ALL);
        char text[300];

        snprintf(text, sizeof text, POD "    trace: |\n      %s\n", cases[i].trace);
        CHECK_INT(judge_as(text, rows + cases[i].from, cases[i].count, &declared).verdict,
                  cases[i].exact);
        declared.any_wording = true;
        CHECK_INT(judge_as(text, rows + cases[i].from, cases[i].count, &declared).verdict,
                  cases[i].below);
    }
}

static void plays_go_column_by_column(void)
{
    static const struct happened rows[] = {RESULT(10, KP_RESULT_SUCCESS), PROBE(10), PROBE(20),
                                           RESULT(20, KP_RESULT_FAILURE)};
    static const struct happened more[] = {RESULT(10, KP_RESULT_SUCCESS), PROBE(10), PROBE(20),
                                           RESULT(20, KP_RESULT_FAILURE), PROBE(30)};
#define PLAY HEAD "    probe: {type: liveness}\n"

    CHECK_VERDICT(PLAY "    saw: \"--\"\n    told: \"+-\"\n", rows, CF_PASS);
    CHECK_VERDICT(PLAY "    saw: \"--\"\n    told: \"++\"\n", rows, CF_FAIL);
    CHECK_VERDICT(PLAY "    saw: \"--_\"\n    told: \"+-_\"\n", rows, CF_PASS);
    CHECK_VERDICT(PLAY "    saw: \"--_\"\n    told: \"+-_\"\n", more, CF_FAIL);
    CHECK_VERDICT(PLAY "    saw: \"---\"\n    told: \"+--\"\n", rows, CF_FAIL); /* one is missing */
}

/* Before its first own result an implementation may have another than the kubelet. */
static void first_values_may_be_declared(void)
{
    static const struct happened early[] = {RESULT(0, KP_RESULT_UNKNOWN), PROBE(10), PROBE(20),
                                            RESULT(20, KP_RESULT_FAILURE)};
    static const struct happened late[] = {PROBE(10), RESULT(10, KP_RESULT_SUCCESS), PROBE(20),
                                           RESULT(20, KP_RESULT_UNKNOWN)};
    struct cf_declared own = cf_declared_by_kubelet(CF_OBSERVES_ALL);

    own.initial[KP_LIVENESS] = KP_RESULT_UNKNOWN;
    CHECK_VERDICT(PLAY "    saw: \"--\"\n    told: \"+-\"\n", early, CF_FAIL);
    CHECK_INT(judge_as(PLAY "    saw: \"--\"\n    told: \"+-\"\n", early, 4, &own).verdict,
              CF_PASS);
    CHECK_INT(judge_as(PLAY "    saw: \"--\"\n    told: \"++\"\n", early, 4, &own).verdict,
              CF_FAIL);
    CHECK_INT(judge_as(PLAY "    saw: \"+-\"\n    told: \"+-\"\n", late, 4, &own).verdict, CF_FAIL);
}

static const char first_values_trace[] =
    SCENARIO "    watch: [result]\n    trace: |\n      0s web/1 result liveness success\n"
             "      20s web/1 result liveness failure\n";

static void first_values_need_not_be_reported(void)
{
    static const struct happened never[] = {RESULT(20, KP_RESULT_FAILURE)};
    static const struct happened own_one[] = {RESULT(0, KP_RESULT_UNKNOWN),
                                              RESULT(20, KP_RESULT_FAILURE)};
    static const struct happened again[] = {RESULT(20, KP_RESULT_FAILURE),
                                            RESULT(25, KP_RESULT_UNKNOWN)};
    struct cf_declared own = cf_declared_by_kubelet(CF_OBSERVES_ALL);

    own.initial[KP_LIVENESS] = KP_RESULT_UNKNOWN;
    CHECK_VERDICT(first_values_trace, never, CF_FAIL);
    CHECK_INT(judge_as(first_values_trace, never, 1, &own).verdict, CF_PASS);
    CHECK_INT(judge_as(first_values_trace, own_one, 2, &own).verdict, CF_PASS);
    CHECK_INT(judge_as(first_values_trace, again, 2, &own).verdict, CF_FAIL);
}

/* In real time windows are wider by the noise, and what comes after the end is not judged. */
static void noise_widens_windows(void)
{
    static const struct happened rows[] = {PROBE(9), PROBE(31)};
    static const char text[] =
        SCENARIO "    for: 30s\n    trace: |\n      10s..20s web/1 probe liveness\n";
    struct cf_declared own = cf_declared_by_kubelet(CF_OBSERVES_ALL);

    CHECK_VERDICT(text, rows, CF_FAIL);
    own.noise_ns = KP_NS_PER_S / 2;
    CHECK_INT(judge_as(text, rows, 2, &own).verdict, CF_FAIL);
    own.noise_ns = KP_NS_PER_S;
    CHECK_INT(judge_as(text, rows, 2, &own).verdict, CF_PASS);
}

/* A probe that is a second late is the last that must be, not the one that may be. */
static void noise_makes_no_want_miss_its_note(void)
{
    static const struct happened rows[] = {PROBE(0), PROBE(6), PROBE(11)};
    static const char text[] = SCENARIO "    for: 14s\n    trace: |\n"
                                        "      maybe 0s web/1 probe liveness\n"
                                        "      1s..5s web/1 probe liveness\n"
                                        "      6s..10s web/1 probe liveness\n"
                                        "      maybe 11s..14s web/1 probe liveness\n";
    struct cf_declared own = cf_declared_by_kubelet(CF_OBSERVES_ALL);

    CHECK_VERDICT(text, rows, CF_FAIL);
    own.noise_ns = KP_NS_PER_S;
    CHECK_INT(judge_as(text, rows, 3, &own).verdict, CF_PASS);
    CHECK_INT(judge_as(text, rows + 1, 2, &own).verdict, CF_PASS);
    CHECK_INT(judge_as(text, rows, 1, &own).verdict, CF_FAIL);
}

const struct unit_test match_test[] = {
    {"what was wanted passes", what_was_wanted_passes},
    {"an unlisted effect fails", an_unlisted_effect_fails},
    {"a missing effect fails", a_missing_effect_fails},
    {"a wrong instant fails", a_wrong_instant_fails},
    {"what may be missing may be missing", what_may_be_missing_may_be_missing},
    {"only what is watched is looked at", only_what_is_watched_is_looked_at},
    {"what is not observed is not judged", what_is_not_observed_is_not_judged},
    {"what others tell is no part of it", what_others_tell_is_no_part_of_it},
    {"what may never be fails unwatched", what_may_never_be_fails_unwatched},
    {"one of several traces is enough", one_of_several_traces_is_enough},
    {"starts of an instant are in order", starts_of_an_instant_are_in_order},
    {"the last published value of an instant counts",
     the_last_published_value_of_an_instant_counts},
    {"messages count where they are asked for", messages_count_where_they_are_asked_for},
    {"a long difference is cut", a_long_difference_is_cut},
    {"wording may be anybody's", wording_may_be_anybodys},
    {"plays go column by column", plays_go_column_by_column},
    {"noise widens windows", noise_widens_windows},
    {"noise makes no want miss its note", noise_makes_no_want_miss_its_note},
    {"first values may be declared", first_values_may_be_declared},
    {"first values need not be reported", first_values_need_not_be_reported},
    {0},
};
