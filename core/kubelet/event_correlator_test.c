#include "core/kubelet/event_correlator.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

static struct kp_mem heap;

static struct kp_event_correlator *made_for(const char *version)
{
    struct kp_profile profile = unit_profile(version);
    struct kp_event_correlator *correlator = NULL;

    heap = fake_alloc_plain();
    CHECK_INT(kp_event_correlator_new(&heap, &profile, &correlator), KP_OK);
    return correlator;
}

static bool record(struct kp_event_correlator *correlator, enum kp_event_type type,
                   const char *reason, const char *message, int64_t at_s)
{
    const struct kp_event_note note = {KP_TEXT("uid"), KP_TEXT("spec.containers{app}"), type,
                                       kp_text_of(reason), kp_text_of(message)};
    bool sent = false;

    CHECK_INT(kp_event_correlator_record(correlator, &note, at_s * KP_NS_PER_S, &sent), KP_OK);
    return sent;
}

static void the_same_event_is_counted(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");
    const struct kp_event_object *object;

    record(correlator, KP_WARNING, "Unhealthy", "Liveness probe failed: ", 35);
    record(correlator, KP_WARNING, "Unhealthy", "Liveness probe failed: ", 40);
    object = kp_event_correlator_get(correlator, 0);
    CHECK_INT(object->count, 2);
    CHECK_INT(object->first_ns, 35 * KP_NS_PER_S);
    CHECK_INT(object->last_ns, 40 * KP_NS_PER_S);
    CHECK(kp_event_correlator_get(correlator, 1) == NULL);
    kp_event_correlator_free(correlator);
}

/* S-267: the tenth distinct message within the interval, and each later one, is combined. */
static void the_tenth_message_is_combined(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");
    char message[] = "a";
    const struct kp_event_object *last;

    for (int i = 0; i < 11; i++, message[0]++)
        record(correlator, KP_WARNING, "Unhealthy", message, i);
    CHECK(kp_event_correlator_get(correlator, 9) != NULL);
    CHECK(kp_event_correlator_get(correlator, 10) == NULL);
    last = kp_event_correlator_get(correlator, 9);
    CHECK_TEXT(last->note.message, KP_TEXT("(combined from similar events): k"));
    CHECK_INT(last->count, 2);
    kp_event_correlator_free(correlator);
}

/* One of ten messages goes with each combined event: upstream any of them, here the oldest. */
static void a_message_that_is_still_known_is_no_tenth_one(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");
    char message[] = "a";

    for (int i = 0; i < 10; i++, message[0]++)
        record(correlator, KP_WARNING, "Unhealthy", message, i);
    record(correlator, KP_WARNING, "Unhealthy", "j", 10);
    CHECK_TEXT(kp_event_correlator_get(correlator, 10)->note.message, KP_TEXT("j"));
    kp_event_correlator_free(correlator);
}

/* What another reason has had between them does not matter. */
static void each_reason_has_its_messages(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");
    char message[] = "a";

    for (int i = 0; i < 10; i++, message[0]++) {
        record(correlator, KP_WARNING, "Unhealthy", message, i);
        if (i == 4)
            record(correlator, KP_WARNING, "BackOff", message, i);
    }
    CHECK_TEXT(kp_event_correlator_get(correlator, 10)->note.message,
               KP_TEXT("(combined from similar events): j"));
    kp_event_correlator_free(correlator);
}

static void ten_quiet_minutes_forget_the_messages(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");
    char message[] = "a";

    for (int i = 0; i < 9; i++, message[0]++)
        record(correlator, KP_WARNING, "Unhealthy", message, i);
    record(correlator, KP_WARNING, "Unhealthy", message, 8 + 600);
    CHECK_TEXT(kp_event_correlator_get(correlator, 9)->note.message,
               KP_TEXT("(combined from similar events): j"));
    message[0]++;
    record(correlator, KP_WARNING, "Unhealthy", message, 8 + 600 + 601);
    CHECK_TEXT(kp_event_correlator_get(correlator, 10)->note.message, kp_text_of(message));
    kp_event_correlator_free(correlator);
}

/* Each event begins the ten minutes anew, a combined one as well. */
static void a_stream_of_events_stays_combined(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");
    char message[] = "a";

    for (int i = 0; i < 12; i++, message[0]++)
        record(correlator, KP_WARNING, "Unhealthy", message, 500 * i);
    CHECK_INT(kp_event_correlator_get(correlator, 9)->count, 3);
    CHECK(kp_event_correlator_get(correlator, 10) == NULL);
    kp_event_correlator_free(correlator);
}

static void each_type_has_its_messages(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");
    char message[] = "a";

    for (int i = 0; i < 9; i++, message[0]++)
        record(correlator, KP_WARNING, "Unhealthy", message, i);
    record(correlator, KP_NORMAL, "Unhealthy", message, 9);
    CHECK_TEXT(kp_event_correlator_get(correlator, 9)->note.message, KP_TEXT("j"));
    kp_event_correlator_free(correlator);
}

/* S-269: however long nothing came, there are 25. */
static void tokens_do_not_pile_up(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");

    record(correlator, KP_WARNING, "BackOff", "m", 0);
    for (int i = 0; i < 25; i++)
        CHECK(record(correlator, KP_WARNING, "BackOff", "m", 86400));
    CHECK(!record(correlator, KP_WARNING, "BackOff", "m", 86400));
    kp_event_correlator_free(correlator);
}

/* S-269: 25 pass, the 26th does not; 300 s later one more, and the count has jumped over the lost
 * one. */
static void the_spam_filter_refills_one_in_five_minutes(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");

    for (int i = 0; i < 25; i++)
        CHECK(record(correlator, KP_WARNING, "BackOff", "m", 0));
    CHECK(!record(correlator, KP_WARNING, "BackOff", "m", 299));
    CHECK_INT(kp_event_correlator_get(correlator, 0)->count, 25);
    CHECK(record(correlator, KP_WARNING, "BackOff", "m", 300));
    CHECK_INT(kp_event_correlator_get(correlator, 0)->count, 27);
    /* One that was held back at first was seen all the same. */
    CHECK(!record(correlator, KP_WARNING, "BackOff", "n", 400));
    CHECK(record(correlator, KP_WARNING, "BackOff", "n", 600));
    CHECK_INT(kp_event_correlator_get(correlator, 1)->first_ns, 400 * KP_NS_PER_S);
    CHECK_INT(kp_event_correlator_get(correlator, 1)->count, 2);
    kp_event_correlator_free(correlator);
}

static void each_type_has_its_tokens(void)
{
    struct kp_event_correlator *correlator = made_for("1.36");

    for (int i = 0; i < 25; i++)
        record(correlator, KP_WARNING, "BackOff", "m", 0);
    CHECK(record(correlator, KP_NORMAL, "Killing", "k", 1));
    CHECK(!record(correlator, KP_WARNING, "BackOff", "m", 2));
    kp_event_correlator_free(correlator);
}

static void warnings_starve_normal_events_before_1_32(void)
{
    struct kp_event_correlator *old = made_for("1.31");
    struct kp_event_correlator *new = made_for("1.32");

    for (int i = 0; i < 25; i++) {
        record(old, KP_WARNING, "BackOff", "m", 0);
        record(new, KP_WARNING, "BackOff", "m", 0);
    }
    CHECK(!record(old, KP_NORMAL, "Killing", "k", 1));
    CHECK(record(new, KP_NORMAL, "Killing", "k", 1));
    kp_event_correlator_free(old);
    kp_event_correlator_free(new);
}

/* Three sorts of events, the third one combined; whichever allocation fails, the rest goes on. */
static void no_memory_is_said_and_nothing_is_lost(void)
{
    const struct kp_event_note note = {KP_TEXT("uid"), KP_TEXT("spec.containers{app}"), KP_WARNING,
                                       KP_TEXT("Unhealthy"), KP_TEXT("no")};
    struct kp_profile profile = unit_profile("1.36");
    int64_t calls = 1;

    for (int64_t at = 0; at < calls; at++) {
        struct fake_alloc state = {.fail_at = at};
        struct kp_mem mem = fake_alloc_mem(&state);
        struct kp_event_correlator *correlator = NULL;
        size_t failed = kp_event_correlator_new(&mem, &profile, &correlator) == KP_ENOMEM;
        struct kp_event_note one = note;
        char message[] = "a";

        one.message = kp_text_of(message);
        for (int i = 0; correlator && i < 12; i++, message[0]++) {
            bool sent;

            failed += kp_event_correlator_record(correlator, &one, i, &sent) == KP_ENOMEM;
        }
        CHECK_INT(failed, state.calls > at);
        if (correlator)
            CHECK(kp_event_correlator_get(correlator, 0) != NULL);
        kp_event_correlator_free(correlator);
        CHECK_INT(state.live, 0);
        calls = correlator && state.calls > calls ? state.calls : calls + (at == 0);
    }
}

const struct unit_test event_correlator_test[] = {
    {"the same event is counted", the_same_event_is_counted},
    {"the tenth message is combined", the_tenth_message_is_combined},
    {"a message that is still known is no tenth one",
     a_message_that_is_still_known_is_no_tenth_one},
    {"each reason has its messages", each_reason_has_its_messages},
    {"a stream of events stays combined", a_stream_of_events_stays_combined},
    {"each type has its messages", each_type_has_its_messages},
    {"each type has its tokens", each_type_has_its_tokens},
    {"tokens do not pile up", tokens_do_not_pile_up},
    {"ten quiet minutes forget the messages", ten_quiet_minutes_forget_the_messages},
    {"the spam filter refills one in five minutes", the_spam_filter_refills_one_in_five_minutes},
    {"warnings starve normal events before 1.32", warnings_starve_normal_events_before_1_32},
    {"no memory is said and nothing is lost", no_memory_is_said_and_nothing_is_lost},
    {0},
};
