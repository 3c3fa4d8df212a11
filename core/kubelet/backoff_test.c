#include "core/kubelet/backoff.h"

#include "core/model/trace.h"
#include "fakes/unit.h"

#define S KP_NS_PER_S

static struct kp_backoff_limits limits_of(const char *version)
{
    struct kp_profile profile = unit_profile(version);

    return kp_backoff_limits(&profile);
}

static void the_window_doubles_up_to_five_minutes(void)
{
    static const int want_s[] = {10, 20, 40, 80, 160, 300, 300};
    struct kp_backoff_limits limits = limits_of("1.36");
    struct kp_backoff entry = {0};
    int64_t now_ns = 1000 * S;

    for (size_t i = 0; i < sizeof want_s / sizeof want_s[0]; i++) {
        CHECK(!kp_backoff_holds(&entry, &limits, 1, now_ns, now_ns + entry.delay_ns));
        kp_backoff_next(&entry, &limits, 1, now_ns, now_ns, now_ns);
        CHECK_INT(entry.delay_ns / S, want_s[i]);
        now_ns += entry.delay_ns;
    }
}

static void the_window_counts_from_the_end_of_the_container(void)
{
    struct kp_backoff_limits limits = limits_of("1.36");
    struct kp_backoff entry = {0};

    CHECK(!kp_backoff_holds(&entry, &limits, 1, 0, 0)); /* the first crash is never delayed */
    kp_backoff_next(&entry, &limits, 1, 0, 0, 0);
    CHECK(kp_backoff_holds(&entry, &limits, 1, 5 * S, 15 * S - 1));
    CHECK(!kp_backoff_holds(&entry, &limits, 1, 5 * S, 15 * S));
}

/* S-243: whether the entry is too old the end says, not the clock. */
static void an_entry_is_as_old_as_the_end(void)
{
    struct kp_backoff_limits limits = limits_of("1.36");
    struct kp_backoff entry = {.known = true, .key = 1, .delay_ns = 160 * S};

    CHECK(kp_backoff_holds(&entry, &limits, 1, 500 * S, 601 * S));
    CHECK(kp_backoff_holds(&entry, &limits, 1, 600 * S, 601 * S));
    CHECK(!kp_backoff_holds(&entry, &limits, 1, 600 * S + 1, 601 * S));
}

static void ten_quiet_minutes_start_it_afresh(void)
{
    struct kp_backoff_limits limits = limits_of("1.36");
    struct kp_backoff entry = {0};

    kp_backoff_next(&entry, &limits, 1, 0, 0, 0);
    kp_backoff_next(&entry, &limits, 1, 600 * S, 600 * S, 600 * S);
    CHECK_INT(entry.delay_ns / S, 20);
    kp_backoff_next(&entry, &limits, 1, 1200 * S + 1, 1200 * S + 1, 1200 * S + 1);
    CHECK_INT(entry.delay_ns / S, 10);
}

static void housekeeping_forgets_it(void)
{
    struct kp_backoff_limits limits = limits_of("1.36");
    struct kp_backoff entry = {0};

    kp_backoff_next(&entry, &limits, 1, 0, 0, 0);
    kp_backoff_collect(&entry, &limits, 600 * S);
    CHECK(entry.known);
    kp_backoff_collect(&entry, &limits, 602 * S);
    CHECK(!entry.known);
}

static void another_image_has_an_entry_of_its_own(void)
{
    struct kp_backoff_limits limits = limits_of("1.36");
    struct kp_backoff entry = {0};

    kp_backoff_next(&entry, &limits, 1, 0, 0, 0);
    CHECK(kp_backoff_holds(&entry, &limits, 1, 0, S));
    CHECK(!kp_backoff_holds(&entry, &limits, 2, 0, S));
    kp_backoff_next(&entry, &limits, 2, 0, 0, 0);
    CHECK_INT(entry.delay_ns / S, 10);
}

/* Of a key that is there again the entry is found; a fifth one takes the place of the one that was
 * used first, or of one that housekeeping has dropped. */
static void each_key_has_an_entry(void)
{
    struct kp_backoff_limits limits = limits_of("1.36");
    struct kp_backoff entries[KP_BACKOFF_KEYS] = {{.known = false}};

    for (uint64_t key = 1; key <= KP_BACKOFF_KEYS; key++) {
        /* 3 is used first, and 2 last, whatever the wall clock says. */
        int64_t now_ns = (int64_t)(key % 3 + 1) * S;

        CHECK(!kp_backoff_find(entries, key)->known);
        kp_backoff_next(kp_backoff_find(entries, key), &limits, key, 0, -now_ns, now_ns);
    }
    for (uint64_t key = 1; key <= KP_BACKOFF_KEYS; key++)
        CHECK(kp_backoff_find(entries, key)->known && kp_backoff_find(entries, key)->key == key);
    CHECK_INT(kp_backoff_find(entries, 9)->key, 3);
    kp_backoff_find(entries, 2)->known = false;
    CHECK_INT(kp_backoff_find(entries, 9)->key, 2);
    CHECK_INT(kp_backoff_find(entries, 4)->key, 4);
}

static void the_reduced_decay_begins_with_a_second(void)
{
    struct kp_profile profile = unit_profile("1.33");
    struct kp_backoff_limits limits;

    CHECK_INT(kp_profile_set_gate(&profile, KP_TEXT("ReduceDefaultCrashLoopBackOffDecay"), true),
              KP_OK);
    limits = kp_backoff_limits(&profile);
    CHECK_INT(limits.initial_ns / S, 1);
    CHECK_INT(limits.max_ns / S, 60);
}

const struct unit_test backoff_test[] = {
    {"an entry is as old as the end", an_entry_is_as_old_as_the_end},
    {"the window doubles up to five minutes", the_window_doubles_up_to_five_minutes},
    {"the window counts from the end of the container",
     the_window_counts_from_the_end_of_the_container},
    {"ten quiet minutes start it afresh", ten_quiet_minutes_start_it_afresh},
    {"housekeeping forgets it", housekeeping_forgets_it},
    {"another image has an entry of its own", another_image_has_an_entry_of_its_own},
    {"each key has an entry", each_key_has_an_entry},
    {"the reduced decay begins with a second", the_reduced_decay_begins_with_a_second},
    {0},
};
