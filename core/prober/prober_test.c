#include "core/prober/prober.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

static struct kp_profile profile_of(const char *k8s)
{
    struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, kp_text_of(k8s)), KP_OK);
    return profile;
}

/* The whole sentence of the event, or "" where there is none. */
static struct kp_text say(const struct kp_profile *profile, enum kp_answer answer,
                          const char *output, const struct kp_text_list *argv, int32_t timeout_s,
                          char *storage, size_t size)
{
    struct kp_effect effect = {0};
    struct kp_buf buf = {.bytes = storage, .cap = size};

    if (kp_prober_begin_event(profile, KP_LIVENESS, kp_prober_outcome(profile, answer), &effect)) {
        kp_prober_add_output(&effect.u.event.message, profile, answer, kp_text_of(output), argv,
                             timeout_s * KP_NS_PER_S);
        kp_message_put(&buf, &effect.u.event.message);
    }
    return kp_buf_text(&buf);
}

static void answers_become_the_events_of_their_version(void)
{
    static const struct kp_text words[] = {{"sh", 2}, {"-c", 2}, {"a \"b\"", 5}};
    static const struct kp_text_list argv = {words, 3};
    /* clang-format off */
    static const struct {
        const char *k8s;
        enum kp_answer answer;
        const char *output, *want;
    } rows[] = {
        {"1.36", KP_ANSWER_SUCCESS, "fine", ""},
        {"1.36", KP_ANSWER_FAILURE, "out\n", "Liveness probe failed: out\n"},
        {"1.36", KP_ANSWER_WARNING, "moved", "Liveness probe warning: moved"},
        {"1.32", KP_ANSWER_ERROR, "rpc", "Liveness probe errored: rpc"},
        {"1.33", KP_ANSWER_ERROR, "rpc", "Liveness probe errored and resulted in unknown state: rpc"},
        {"1.32", KP_ANSWER_BROKEN, "cut", "Liveness probe errored: cut"},
        {"1.33", KP_ANSWER_BROKEN, "cut",
         "Liveness probe errored and resulted in failure state: cut"},
        {"1.32", KP_ANSWER_UNKNOWN, "eh", "Liveness probe failed: eh"},
        {"1.33", KP_ANSWER_UNKNOWN, "eh", ""},
        {"1.19", KP_ANSWER_TIMEOUT, "deadline", "Liveness probe errored: deadline"},
        {"1.20", KP_ANSWER_TIMEOUT, "deadline", "Liveness probe failed: "},
        {"1.24", KP_ANSWER_TIMEOUT, "deadline",
         "Liveness probe failed: command \"sh -c a \\\"b\\\"\" timed out"},
        {"1.31", KP_ANSWER_TIMEOUT, "deadline",
         "Liveness probe failed: command timed out: \"sh -c a \\\"b\\\"\" timed out after 1m30s"},
    };
    /* clang-format on */
    char storage[200];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_profile profile = profile_of(rows[i].k8s);

        CHECK_TEXT(
            say(&profile, rows[i].answer, rows[i].output, &argv, 90, storage, sizeof storage),
            kp_text_of(rows[i].want));
    }
}

static void without_its_gate_a_timeout_is_an_error(void)
{
    static const struct kp_text word = {"true", 4};
    static const struct kp_text_list argv = {&word, 1};
    struct kp_profile profile = profile_of("1.22");
    char storage[200];

    CHECK_INT(kp_profile_set_gate(&profile, KP_TEXT("ExecProbeTimeout"), false), KP_OK);
    CHECK_INT(kp_prober_outcome(&profile, KP_ANSWER_TIMEOUT), KP_OUTCOME_ERROR);
    CHECK_TEXT(say(&profile, KP_ANSWER_TIMEOUT, "x", &argv, 1, storage, sizeof storage),
               KP_TEXT("Liveness probe errored: command \"true\" timed out"));
}

static void results_map_as_upstream_maps_them(void)
{
    CHECK_INT(kp_prober_result(KP_OUTCOME_SUCCESS), KP_RESULT_SUCCESS);
    CHECK_INT(kp_prober_result(KP_OUTCOME_WARNING), KP_RESULT_SUCCESS);
    CHECK_INT(kp_prober_result(KP_OUTCOME_FAILURE), KP_RESULT_FAILURE);
    CHECK_INT(kp_prober_result(KP_OUTCOME_UNKNOWN), KP_RESULT_FAILURE);
}

static const struct kp_env_var vars[] = {
    {.name = {"A", 1}, .value = {"first", 5}},
    {.name = {"A", 1}, .value = {"last", 4}},
    {.name = {"B", 1}, .value = {"$(A)", 4}},
    {.name = {"C", 1}, .has_value_from = true},
};
static const struct kp_container with_env = {.env = vars, .env_count = 4};

static void commands_expand_by_literal_values_alone(void)
{
    /* clang-format off */
    static const char *const rows[][2] = {
        {"$(A)",       "last"},         /* a later duplicate wins */
        {"x$(A)y$(A)", "xlastylast"},
        {"$(B)",       "$(A)"},         /* values are not expanded */
        {"[$(C)]",     "[]"},           /* valueFrom is empty */
        {"$(NONE)",    "$(NONE)"},
        {"$$(A)",      "$(A)"},
        {"$$",         "$"},
        {"a$b",        "a$b"},
        {"$(A",        "$(A"},
        {"end$",       "end$"},
        {"$",          "$"},
        {"$()",        "$()"},
    };
    /* clang-format on */
    struct kp_mem mem = fake_alloc_plain();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text word = kp_text_of(rows[i][0]);
        struct kp_text_list command = {&word, 1};
        struct kp_text_list *expanded;

        CHECK_INT(kp_command_expand(&mem, &with_env, &command, &expanded), KP_OK);
        CHECK_TEXT(expanded ? expanded->items[0] : KP_TEXT_NONE, kp_text_of(rows[i][1]));
        kp_mem_free(&mem, expanded);
    }
}

/* What stands behind a text in memory is not the text's. */
static void a_command_ends_where_its_text_ends(void)
{
    struct kp_text word = {"x$(A)", 4};
    struct kp_text_list command = {&word, 1};
    struct kp_text_list *expanded;
    struct kp_mem mem = fake_alloc_plain();

    CHECK_INT(kp_command_expand(&mem, &with_env, &command, &expanded), KP_OK);
    CHECK_TEXT(expanded->items[0], KP_TEXT("x$(A"));
    kp_mem_free(&mem, expanded);
}

static void a_command_without_a_dollar_is_taken_as_it_is(void)
{
    struct kp_text words[] = {KP_TEXT("cat"), KP_TEXT("")};
    struct kp_text_list command = {words, 2};
    struct kp_text_list *expanded;
    struct kp_mem mem = fake_alloc_plain();

    CHECK_INT(kp_command_expand(&mem, &with_env, &command, &expanded), KP_OK);
    CHECK(!expanded);
}

const struct unit_test prober_test[] = {
    {"answers become the events of their version", answers_become_the_events_of_their_version},
    {"without its gate a timeout is an error", without_its_gate_a_timeout_is_an_error},
    {"results map as upstream maps them", results_map_as_upstream_maps_them},
    {"commands expand by literal values alone", commands_expand_by_literal_values_alone},
    {"a command ends where its text ends", a_command_ends_where_its_text_ends},
    {"a command without a dollar is taken as it is", a_command_without_a_dollar_is_taken_as_it_is},
    {0},
};
