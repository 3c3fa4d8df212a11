#include "http2_head.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdio.h>

/* A reply whose first head has begun. */
struct fixture {
    struct kp_mem mem;
    struct kp_profile profile;
    struct kp_scratch scratch;
    struct kp_http_reply reply;
};

static struct kp_http_reply *begin(struct fixture *fixture)
{
    fixture->mem = fake_alloc_plain();
    fixture->profile = unit_profile(KP_NEWEST);
    kp_scratch_init(&fixture->scratch, &fixture->mem);
    kp_http_reply_init(&fixture->reply, &fixture->scratch, &fixture->profile);
    kp_http_reply_begin(&fixture->reply);
    return &fixture->reply;
}

/* What is no int64 is as none, and no status (x/net, http2 transport.go handleResponse). */
static void numbers_fit_into_an_int64(void)
{
    static const struct {
        const char *status;
        const char *length;
        int64_t content_length;
        bool good;
    } rows[] = {
        {"200", "0", 0, true},
        {"200", "9223372036854775807", INT64_MAX, true},
        {"200", "9223372036854775808", -1, true},
        {"200", "99999999999999999999", -1, true},
        {"200", "+5", -1, true},
        {"200", "", -1, true},
        {"000", "0", 0, true},
        {"2147483647", "0", 0, true},
        {"2147483648", "0", -1, false},
        {"9223372036854775808", "0", -1, false},
        {"-", "0", -1, false},
        {"+", "0", -1, false},
        {"+-5", "0", -1, false},
        {"-5", "0", 0, true},
        {"2x0", "0", -1, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        struct kp_http_reply *reply = begin(&fixture);

        kp_http2_head_field(reply, KP_TEXT(":status"), kp_text_of(rows[i].status));
        kp_http2_head_field(reply, KP_TEXT("content-length"), kp_text_of(rows[i].length));
        CHECK_INT(kp_http2_head_end(reply, false), rows[i].good);
        CHECK_INT(reply->content_length, rows[i].content_length);
        kp_scratch_deinit(&fixture.scratch);
    }
}

#define REFUSED "stream error: stream ID 1; PROTOCOL_ERROR; "
#define MIXED REFUSED "mix of request and response pseudo headers"
#define NO_STATUS REFUSED "malformed response from server: missing status pseudo header"

/* Upstream: x/net, http2 frame.go checkPseudos; :protocol from 0.38 on. */
static void pseudo_header_fields_of_a_request_are_known(void)
{
    static const struct {
        const char *names[2]; /* the second may be NULL; each is 200 */
        const char *why;
    } rows[] = {
        {{":status", ":method"}, MIXED},
        {{":status", ":path"}, MIXED},
        {{":scheme", ":status"}, MIXED},
        {{":authority", ":status"}, MIXED},
        {{":status", ":protocol"}, MIXED},
        {{":status", ":statu"}, REFUSED "invalid pseudo-header \":statu\""},
        {{":status", ":status"}, REFUSED "duplicate pseudo-header \":status\""},
        {{":method", ":method"}, REFUSED "duplicate pseudo-header \":method\""},
        {{":method", NULL}, NO_STATUS},
        {{":method", ":path"}, NO_STATUS},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        struct kp_http_reply *reply = begin(&fixture);

        for (size_t k = 0; k < 2 && rows[i].names[k]; k++)
            kp_http2_head_field(reply, kp_text_of(rows[i].names[k]), KP_TEXT("200"));
        CHECK(!kp_http2_head_end(reply, true));
        CHECK(!reply->complete);
        CHECK_TEXT(kp_scratch_message(&fixture.scratch, &reply->why), kp_text_of(rows[i].why));
        kp_scratch_deinit(&fixture.scratch);
    }
}

/* Each of its letters counts.  Upstream: x/net, http2 validWireHeaderFieldName. */
static void a_field_has_a_name_of_small_letters(void)
{
    static const char *const rows[] = {"aB", "a b", "a(", "(", "A", ""};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[128];
        struct fixture fixture;
        struct kp_http_reply *reply = begin(&fixture);

        kp_http2_head_field(reply, KP_TEXT(":status"), KP_TEXT("200"));
        kp_http2_head_field(reply, kp_text_of(rows[i]), KP_TEXT("b"));
        CHECK(!kp_http2_head_end(reply, true));
        snprintf(why, sizeof why, REFUSED "invalid header field name \"%s\"", rows[i]);
        CHECK_TEXT(kp_scratch_message(&fixture.scratch, &reply->why), kp_text_of(why));
        kp_scratch_deinit(&fixture.scratch);
    }
}

/* Of a bad value up to K8s 1.24.9 the value; of a stream that a head ends no length up to Go's
 * client of December 2021; gzip in these letters.  Upstream: x/net, http2 errors.go, transport.go
 * handleResponse. */
static void what_older_clients_say(void)
{
    static const struct {
        const char *k8s;
        const char *why;
        int64_t length;
    } rows[] = {
        {"1.24.10", REFUSED "invalid header field value for \"a\"", 5},
        {"1.24.9", REFUSED "invalid header field value \"\\x01\"", 5},
        {"1.22.4", REFUSED "invalid header field value \"\\x01\"", -1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        struct kp_http_reply *reply = begin(&fixture);

        fixture.profile = unit_profile(rows[i].k8s);
        for (int is_last = 0; is_last < 2; is_last++) {
            kp_http_reply_begin(reply);
            kp_http2_head_field(reply, KP_TEXT(":status"), KP_TEXT("200"));
            kp_http2_head_field(reply, KP_TEXT("content-length"), KP_TEXT("5"));
            kp_http2_head_field(reply, KP_TEXT("content-encoding"),
                                is_last ? KP_TEXT("gzip") : KP_TEXT("GZIP"));
            CHECK(kp_http2_head_end(reply, is_last));
            CHECK_INT(reply->content_length, is_last ? rows[i].length : 5);
            CHECK_INT(reply->has_gzip, is_last);
        }
        kp_http_reply_begin(reply);
        kp_http2_head_field(reply, KP_TEXT("a"), KP_TEXT("\x01"));
        CHECK_TEXT(kp_scratch_message(&fixture.scratch, &reply->why), kp_text_of(rows[i].why));
        kp_scratch_deinit(&fixture.scratch);
    }
}

const struct unit_test http2_head_test[] = {
    {"pseudo header fields of a request are known", pseudo_header_fields_of_a_request_are_known},
    {"a field has a name of small letters", a_field_has_a_name_of_small_letters},
    {"numbers fit into an int64", numbers_fit_into_an_int64},
    {"what older clients say", what_older_clients_say},
    {0},
};
