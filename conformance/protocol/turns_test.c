#include "conformance/protocol/turns.h"

#include "fakes/unit.h"

#include <time.h>

enum { REPLIES = 100, EFFECTS = 300 };

static const struct kp_container container = {.name = {"app", 3}, .kind = KP_REGULAR};
static const struct kp_pod pod = {.containers = &container, .regular_count = 1};
static const struct kp_pod *list[] = {&pod};
static const struct cf_wire_pods pods = {list, 1};

static void pass_over(void *ctx, const struct kp_effect *effect)
{
    (void)ctx;
    (void)effect;
}

/* A reply at `ms` with attempts of those numbers.  why: of the refusal; empty: there is none. */
static void take(struct cf_turns *turns, int ms, const int *numbers, int count, const char *why)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_reader reader = {.arena = &arena};
    struct cf_out line = {0};
    struct kp_sink sink = {pass_over, NULL};
    const struct cf_node *ok;

    cf_out_printf(&line, "{\"at\":%d,\"effects\":[", ms);
    for (int i = 0; i < count; i++)
        cf_out_printf(&line,
                      "%s{\"e\":\"probe\",\"n\":%d,\"container\":\"app\",\"cid\":\"c\",\"type\":"
                      "\"liveness\",\"attempt\":1}",
                      i > 0 ? "," : "", numbers[i]);
    cf_out_put(&line, KP_TEXT("]}"));
    ok = cf_read_line(&reader, cf_out_text(&line));
    if (CHECK(ok != NULL)) {
        CHECK_INT(cf_turns_take(turns, &reader, ok, ms * KP_NS_PER_MS, sink),
                  why[0] ? CF_TURN_BROKEN : CF_TURN_FINE);
        CHECK_TEXT(reader.why, kp_text_of(why));
    }
    cf_out_deinit(&line);
    cf_arena_deinit(&arena);
}

static void an_n_comes_once_in_any_order(void)
{
    static const int fine[] = {7, 3, 9, 1, 8};
    struct cf_pace pace = {0};
    struct cf_turns turns = {.pods = &pods, .pace = &pace, .rounds_max = 20, .effects_max = 1000};

    cf_turns_begin(&turns);
    take(&turns, 0, fine, 5, "");
    take(&turns, 1, &fine[0], 1, "effects[0]: `n` is 7, which this case has had");
    take(&turns, 2, &fine[2], 1, "effects[0]: `n` is 9, which this case has had");
    take(&turns, 3, &fine[3], 1, "effects[0]: `n` is 1, which this case has had");
    cf_turns_begin(&turns);
    take(&turns, 4, fine, 5, "");
    cf_turns_deinit(&turns);
}

/* The last replies of a long case take no longer than the first ones: no list is gone through. */
static void a_long_case_does_not_slow_down(void)
{
    struct cf_pace pace = {0};
    struct cf_turns turns = {
        .pods = &pods, .pace = &pace, .rounds_max = 20, .effects_max = EFFECTS};
    int numbers[EFFECTS];
    clock_t spent[REPLIES];
    clock_t first = 0;
    clock_t last = 0;

    cf_turns_begin(&turns);
    for (int ms = 0; ms < REPLIES; ms++) {
        clock_t began = clock();

        for (int i = 0; i < EFFECTS; i++)
            numbers[i] = ms * EFFECTS + i;
        take(&turns, ms, numbers, EFFECTS, "");
        spent[ms] = clock() - began;
    }
    for (int i = 0; i < 10; i++) {
        first += spent[i];
        last += spent[REPLIES - 1 - i];
    }
    CHECK(last < 4 * first);
    cf_turns_deinit(&turns);
}

const struct unit_test turns_test[] = {
    {"an `n` comes once, in any order", an_n_comes_once_in_any_order},
    {"a long case does not slow down", a_long_case_does_not_slow_down},
    {0},
};
