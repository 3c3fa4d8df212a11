#include "conformance/pod/describe.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

static void ages_are_rounded_as_kubectl_does(void)
{
    static const struct {
        int64_t seconds;
        const char *want;
    } rows[] = {
        {-5, "<invalid>"}, {-2, "<invalid>"},     {-1, "0s"},
        {119, "119s"},     {120, "2m"},           {121, "2m1s"},
        {125, "2m5s"},     {599, "9m59s"},        {600, "10m"},
        {10799, "179m"},   {10800, "3h"},         {27000, "7h30m"},
        {28800, "8h"},     {172799, "47h"},       {172800, "2d"},
        {183600, "2d3h"},  {691200, "8d"},        {622800, "7d5h"},
        {691199, "7d23h"}, {709200, "8d"},        {63071999, "729d"},
        {63072000, "2y"},  {252287999, "7y364d"}, {252288000, "8y"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char bytes[32];
        struct kp_buf buf = {bytes, sizeof bytes, 0};

        cf_put_human_duration(&buf, rows[i].seconds * KP_NS_PER_S);
        CHECK_TEXT(kp_buf_text(&buf), kp_text_of(rows[i].want));
    }
}

/* int(d.Seconds()): towards zero. */
static void an_age_is_cut_not_rounded(void)
{
    static const struct {
        int64_t ns;
        const char *want;
    } rows[] = {{-2000000000, "<invalid>"},
                {-1999999999, "0s"},
                {999999999, "0s"},
                {119999999999, "119s"},
                {120999999999, "2m"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char bytes[32];
        struct kp_buf buf = {bytes, sizeof bytes, 0};

        cf_put_human_duration(&buf, rows[i].ns);
        CHECK_TEXT(kp_buf_text(&buf), kp_text_of(rows[i].want));
    }
}

static void an_event_seen_more_than_once_says_so(void)
{
    static const char *const want[] = {"13m", "13m (x2 over 16m)", "13m (x3 over 16m)"};

    for (uint32_t count = 1; count <= 3; count++) {
        const struct kp_event_object event = {
            .first_ns = 0, .last_ns = 180 * KP_NS_PER_S, .count = count};
        char bytes[48];
        struct kp_buf buf = {bytes, sizeof bytes, 0};

        cf_put_event_age(&buf, &event, 960 * KP_NS_PER_S);
        CHECK_TEXT(kp_buf_text(&buf), kp_text_of(want[count - 1]));
    }
}

/* kubectl sorts by the last time alone; what is equal stays as it came. */
static void events_of_one_time_stay_in_order(void)
{
    const struct kp_event_object events[] = {
        {.last_ns = 5, .count = 1}, {.last_ns = 3, .count = 2}, {.last_ns = 5, .count = 3},
        {.last_ns = 3, .count = 4}, {.last_ns = 5, .count = 5}, {.last_ns = 4, .count = 6}};
    static const int want[] = {2, 4, 6, 1, 3, 5};
    const struct kp_event_object *list[6];

    for (size_t i = 0; i < 6; i++)
        list[i] = &events[i];
    cf_describe_sort(&(struct cf_described){list, 6});
    for (size_t i = 0; i < 6; i++)
        CHECK_INT(list[i]->count, want[i]);
}

static void events_are_listed_by_their_last_time(void)
{
    static const int64_t at[] = {3, 1, 2};
    struct kp_mem heap = fake_alloc_plain();
    struct kp_event_correlator *correlator = NULL;
    struct cf_described events;
    struct kp_profile profile = unit_profile("1.36");
    struct cf_arena arena = {.mem = cf_libc_mem()};

    CHECK_INT(kp_event_correlator_new(&heap, &profile, &correlator), KP_OK);
    for (size_t i = 0; i < 3; i++) {
        const struct kp_event_note note = {KP_TEXT("uid"), KP_TEXT("spec.containers{app}"),
                                           KP_WARNING, KP_TEXT("Unhealthy"),
                                           kp_text_of(i == 0   ? "a"
                                                      : i == 1 ? "b"
                                                               : "c")};
        bool sent;

        CHECK_INT(kp_event_correlator_record(correlator, &note, at[i], &sent), KP_OK);
    }
    events = cf_describe_events(&arena, correlator);
    if (CHECK_INT(events.count, 3))
        for (size_t i = 0; i < 3; i++)
            CHECK_INT(events.list[i]->last_ns, i + 1);
    kp_event_correlator_free(correlator);
    cf_arena_deinit(&arena);
}

/* strings.TrimSpace; from 1.35 the field path stands before it. */
static void a_message_has_no_space_at_its_ends(void)
{
    static const struct {
        const char *version;
        const char *message;
        size_t len;
        const char *shown;
    } rows[] = {
        {"1.34", " \t\r\na b\v\f ", 10, "a b"},
        {"1.35", "a", 1, "spec.containers{c}: a"},
        {"1.34", &" a"[1], 0, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kp_event_note note = {.field_path = KP_TEXT("spec.containers{c}"),
                                           .message = {rows[i].message, rows[i].len}};
        struct kp_profile profile = unit_profile(rows[i].version);
        struct cf_out out = {0};

        cf_put_event_message(&out, &profile, &note);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].shown));
        cf_out_deinit(&out);
    }
}

/* DescribeProbe joins host and port where there is a port. */
static void a_probes_port_may_be_called_by_one_letter_or_none(void)
{
    static const char *const want[] = {
        "http-get http://h/ delay=0s timeout=0s period=0s #success=0 #failure=0",
        "http-get http://h:p/ delay=0s timeout=0s period=0s #success=0 #failure=0"};

    for (size_t letters = 0; letters < 2; letters++) {
        const struct kp_http_get_action http = {
            .host = KP_TEXT("h"),
            .path = KP_TEXT("/"),
            .scheme = KP_TEXT("HTTP"),
            .port = {.kind = KP_INTSTR_STRING, .string = {"p", letters}}};
        const struct kp_probe probe = {.handler = {.http_get = &http}};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_out out = {0};

        cf_put_probe(&out, &profile, &probe);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(want[letters]));
        cf_out_deinit(&out);
    }
}

/* Go's net.JoinHostPort puts what holds a colon into brackets, whatever it has by then. */
static void a_host_with_a_colon_has_brackets(void)
{
    static const char *const rows[][2] = {
        {"::1", "http-get http://[::1]:80/ delay=0s timeout=0s period=0s #success=0 #failure=0"},
        {"[::1]",
         "http-get http://[[::1]]:80/ delay=0s timeout=0s period=0s #success=0 #failure=0"},
        {"h", "http-get http://h:80/ delay=0s timeout=0s period=0s #success=0 #failure=0"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kp_http_get_action http = {.host = kp_text_of(rows[i][0]),
                                                .path = KP_TEXT("/"),
                                                .scheme = KP_TEXT("HTTP"),
                                                .port = {.number = 80}};
        const struct kp_probe probe = {.handler = {.http_get = &http}};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_out out = {0};

        cf_put_probe(&out, &profile, &probe);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i][1]));
        cf_out_deinit(&out);
    }
}

/* client-go pkg/reference: the field path of a container. */
static void a_container_has_a_field_path(void)
{
    static const char *const want[] = {"spec.initContainers{web}", "spec.containers{web}",
                                       "spec.ephemeralContainers{web}"};

    for (int kind = KP_INIT; kind <= KP_EPHEMERAL; kind++) {
        const struct kp_container container = {
            .name = KP_TEXT("web"), .image = KP_TEXT("i"), .kind = (enum kp_container_kind)kind};
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK_TEXT(cf_field_path(&arena, &container), kp_text_of(want[kind]));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test describe_test[] = {
    {"a host with a colon has brackets", a_host_with_a_colon_has_brackets},
    {"a container has a field path", a_container_has_a_field_path},
    {"ages are rounded as kubectl does", ages_are_rounded_as_kubectl_does},
    {"an age is cut, not rounded", an_age_is_cut_not_rounded},
    {"events of one time stay in order", events_of_one_time_stay_in_order},
    {"events are listed by their last time", events_are_listed_by_their_last_time},
    {"a message has no space at its ends", a_message_has_no_space_at_its_ends},
    {"a probe's port may be called by one letter or none",
     a_probes_port_may_be_called_by_one_letter_or_none},
    {"an event seen more than once says so", an_event_seen_more_than_once_says_so},
    {0},
};
