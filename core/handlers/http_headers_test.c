#include "http_headers.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <string.h>

#define HEADERS_MAX 4

struct row {
    const char *k8s;
    struct kp_http_header headers[HEADERS_MAX];
    size_t count;
    const char *lines; /* each ended by | */
};

/* A request of /p with such lines, which | joins. */
static bool matches(struct kp_text request, const char *lines)
{
    char want[600] = "GET /p HTTP/1.1\r\n";
    char *at = want + strlen(want);

    for (; *lines; lines++) {
        *at++ = *lines == '|' ? '\r' : *lines;
        if (*lines == '|')
            *at++ = '\n';
    }
    strcpy(at, "\r\n");
    return kp_text_equal(request, kp_text_of(want));
}

static void check_row(const struct row *row)
{
    struct kp_http_get_action action = {.headers = row->headers, .header_count = row->count};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_hop hop = {.host = KP_TEXT("h:80")};
    struct kp_profile profile = unit_profile(row->k8s);
    struct kp_headers headers;
    struct kp_scratch scratch;

    kp_scratch_init(&scratch, &mem);
    kp_headers_init(&headers, &scratch, &profile, &action);
    if (headers.host.len > 0)
        hop.host = headers.host;
    headers = kp_headers_of_hop(&headers, &scratch, &profile, &hop);
    CHECK(matches(kp_headers_request(&scratch, KP_TEXT("/p"), &headers), row->lines));
    kp_scratch_deinit(&scratch);
}

#define H(name, value)                                                                             \
    {                                                                                              \
        {name, sizeof name - 1},                                                                   \
        {                                                                                          \
            value, sizeof value - 1                                                                \
        }                                                                                          \
    }

static void headers_stand_in_the_kubelets_order(void)
{
    /* clang-format off */
    static const struct row rows[] = {
        {"1.36", {H("", "")}, 0, "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("x-b", " 2 "), H("X-A", "1"), H("X-B", "3")}, 3,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|X-A: 1|X-B: 2|X-B: 3|Connection: close|"},
        {"1.36", {H("accept", "")}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Connection: close|"},
        {"1.36", {H("Aa", "1"), H("accept", "")}, 2, "Host: h:80|User-Agent: kube-probe/1.36|Aa: 1|Connection: close|"},
        {"1.36", {H("User-Agent", "")}, 1, "Host: h:80|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "b\xC3\xBC" "cher.example:1")}, 1,
         "Host: xn--bcher-kva.example:1|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "a b")}, 1, "Host: |User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("accept", " ")}, 1,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: |Connection: close|"},
        {"1.36", {H("Host", "h:")}, 1, "Host: h:|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "\xC3\xBC:")}, 1, "Host: xn--tda|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "\xC3\xBC:x:y")}, 1,
         "Host: xn--:x:y-zra|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "[\xC3\xBC:1]:80")}, 1,
         "Host: [xn--:1-wka]:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("X-Empty", "")}, 1,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|X-Empty: |Connection: close|"},
        {"1.36", {H("Connection", "Close")}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: Close|"},
        {"1.36", {H("Connection", "Upgrade"), H("Upgrade", "x")}, 2,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: Upgrade|Upgrade: x|"},
        {"1.36", {H("Content-Length", "5"), H("Trailer", "x")}, 2,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("X-A", "\t 1\t\r")}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|X-A: 1|Connection: close|"},
        {"1.36", {H("X-A", "1"), H("X", "2"), H("X-", "3")}, 3,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|X: 2|X-: 3|X-A: 1|Connection: close|"},
        {"1.36", {{{"X-A", 3}, {" ", 0}}}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|X-A: |Connection: close|"},
        {"1.36", {{{"X-A", 3}, {&"\tb"[1], 0}}}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|X-A: |Connection: close|"},
        {"1.36", {H("Host", "a/b")}, 1, "Host: |User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "[fe80::1%25eth0]:80")}, 1, "Host: [fe80::1]:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "[fe80::1%a]%b]:80")}, 1, "Host: [fe80::1%a]]:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "a%b]c")}, 1, "Host: a%b]c|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("aZA", "\n1\r")}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Aza: 1|Connection: close|"},
        {"1.36", {H("Host", "b\xC3\xBC" "cher.example"), H("X-A", "1")}, 2,
         "Host: xn--bcher-kva.example|User-Agent: kube-probe/1.36|Accept: */*|X-A: 1|Connection: close|"},
        {"1.36", {H("Connection", "x,close")}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: x,close|"},
        {"1.36", {H("Connection", ",")}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: ,|Connection: close|"},
        {"1.36", {H("Host", "a")}, 1, "Host: a|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "/a")}, 1, "Host: |User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "a/")}, 1, "Host: |User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "abc/d")}, 1, "Host: |User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("accept", ""), H("Connection", "Upgrade"), H("Upgrade", "x")}, 3,
         "Host: h:80|User-Agent: kube-probe/1.36|Connection: Upgrade|Upgrade: x|"},
        {"1.36", {H("Connection", "keep-alive"), H("Upgrade", "x")}, 2,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: keep-alive|Upgrade: x|Connection: close|"},
        {"1.36", {H("X-A", "Upgrade"), H("Upgrade", "x")}, 2,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Upgrade: x|X-A: Upgrade|Connection: close|"},
        {"1.22", {H("Host", "a/")}, 1, "Host: a|User-Agent: kube-probe/1.22|Accept: */*|Connection: close|"},
        {"1.22", {H("Host", "abc d")}, 1, "Host: abc|User-Agent: kube-probe/1.22|Accept: */*|Connection: close|"},
        {"1.22", {H("Host", "[:]:\xC3\xBC")}, 1,
         "Host: [:]:\xC3\xBC|User-Agent: kube-probe/1.22|Accept: */*|Connection: close|"},
        {"1.22", {H("accept", "x")}, 1, "Host: h:80|User-Agent: kube-probe/1.22|Accept: */*|accept: x|Connection: close|"},
        {"1.19", {H("Accept-Encoding", "x")}, 1,
         "Host: h:80|User-Agent: kube-probe/1.19|Accept-Encoding: x|Connection: close|"},
        {"1.19", {H("Range", "x")}, 1, "Host: h:80|User-Agent: kube-probe/1.19|Range: x|Connection: close|"},
        {"1.19", {H("", "")}, 0, "Host: h:80|User-Agent: kube-probe/1.19|Accept-Encoding: gzip|Connection: close|"},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

/* On a hop: what describes a body that goes no more, and what the hop brings along. */
static void a_hop_adds_and_leaves_out(void)
{
#define AGENT "Host: h|User-Agent: kube-probe/1.36|Accept: */*|Authorization: "
#define OF_BODY                                                                                    \
    "|Content-Encoding: e|Content-Language: l|Content-Location: o|Content-Type: t|Referer: "
    static const struct kp_http_header own[] = {
        H("Content-Type", "t"),     H("Content-Location", "o"), H("Content-Language", "l"),
        H("Content-Encoding", "e"), H("Referer", "mine"),       H("Authorization", "own")};
    static const struct {
        struct kp_hop hop;
        const char *lines;
    } rows[] = {
        {{.host = {"h", 1}}, AGENT "own" OF_BODY "mine|Connection: close|"},
        {{.host = {"h", 1}, .without_body_headers = true, .referer = {"r", 1}},
         AGENT "own|Referer: r|Connection: close|"},
        {{.host = {"h", 1}, .authorization = {"a", 1}},
         AGENT "a" OF_BODY "mine|Connection: close|"},
    };
    struct kp_http_get_action action = {.headers = own, .header_count = 6};
    struct kp_profile profile = unit_profile("1.36");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_headers headers;
        struct kp_scratch scratch;

        kp_scratch_init(&scratch, &mem);
        kp_headers_init(&headers, &scratch, &profile, &action);
        headers = kp_headers_of_hop(&headers, &scratch, &profile, &rows[i].hop);
        CHECK(matches(kp_headers_request(&scratch, KP_TEXT("/p"), &headers), rows[i].lines));
        kp_scratch_deinit(&scratch);
    }
}

/* Returns: their length together; 0: there are none. */
static size_t make_lines_with(struct fake_alloc *state, const struct kp_http_get_action *action,
                              bool *failed)
{
    const struct kp_hop hop = {.host = KP_TEXT("h")};
    struct kp_mem mem = fake_alloc_mem(state);
    struct kp_profile profile = unit_profile("1.36");
    struct kp_headers headers;
    struct kp_scratch scratch;
    size_t len;

    kp_scratch_init(&scratch, &mem);
    kp_headers_init(&headers, &scratch, &profile, action);
    headers = kp_headers_of_hop(&headers, &scratch, &profile, &hop);
    len = kp_headers_request(&scratch, KP_TEXT("/"), &headers).len;
    *failed = scratch.failed;
    kp_scratch_deinit(&scratch);
    CHECK_INT(state->live, 0);
    return len;
}

/* So many that each table and each text wants memory of its own. */
static void all_headers_are_sent_or_none(void)
{
    enum { HEADERS = 200 };
    struct kp_http_header headers[HEADERS];
    const struct kp_http_get_action action = {.headers = headers, .header_count = HEADERS};
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    size_t whole;
    bool failed;

    for (size_t i = 0; i < HEADERS; i++)
        headers[i] = (struct kp_http_header)H("x-of-some-length", "a value of some length");
    whole = make_lines_with(&state, &action, &failed);
    CHECK_INT(failed, false);
    CHECK(whole > HEADERS * strlen("X-Of-Some-Length: a value of some length"));
    for (int64_t n = 0, calls = state.calls; n < calls; n++) {
        state = (struct fake_alloc){.fail_at = n};
        CHECK_INT(make_lines_with(&state, &action, &failed), 0);
        CHECK(failed);
    }
}

static void what_cannot_be_sent_is_refused(void)
{
    static const struct {
        const char *k8s;
        struct kp_http_header header;
        const char *why;
    } rows[] = {
        {"1.36", H("X A", "b"), "net/http: invalid header field name \"X A\""},
        {"1.36", H("X-A", "b\nc"), "net/http: invalid header field value for \"X-A\""},
        {"1.24.9", H("X-A", "b\nc"), "net/http: invalid header field value \"b\\nc\" for key X-A"},
        {"1.36", H("", "b"), "net/http: invalid header field name \"\""},
        {"1.36", H("X-A", "b"), ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_http_get_action action = {.headers = &rows[i].header, .header_count = 1};
        struct kp_mem mem = fake_alloc_plain();
        struct kp_message why = {0};
        struct kp_profile profile = unit_profile(rows[i].k8s);
        struct kp_headers headers;
        struct kp_scratch scratch;

        kp_scratch_init(&scratch, &mem);
        kp_headers_init(&headers, &scratch, &profile, &action);
        CHECK_INT(kp_headers_check(&headers, &profile, &why), rows[i].why[0] == '\0');
        CHECK_TEXT(kp_scratch_message(&scratch, &why), kp_text_of(rows[i].why));
        kp_scratch_deinit(&scratch);
    }
}

#define T(list, has)                                                                               \
    {                                                                                              \
        list, sizeof list - 1, has                                                                 \
    }

/* A zero byte, which an old Go takes in a reply, parts nothing. */
static void tokens_stand_between_commas(void)
{
    static const struct {
        const char *list;
        size_t len;
        bool has;
    } rows[] = {
        T("a, upgrade\t,b", true), T("Upgrade", true),    T("Upgrade b", false),
        T("Upgrade\0b", false),    T("\0,Upgrade", true), T("", false),
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_INT(
            kp_headers_list_has_token(((struct kp_text){rows[i].list, rows[i].len}), "Upgrade"),
            rows[i].has);
}

/* Up to Go 1.20.5 one that is cut off at its first sign is none. */
static void an_empty_host_is_none(void)
{
    const struct kp_profile newest = unit_profile(KP_NEWEST);
    const struct kp_profile old = unit_profile("1.22");

    CHECK(kp_headers_has_host(&newest, KP_TEXT("a")));
    CHECK(kp_headers_has_host(&newest, KP_TEXT("/")));
    CHECK(!kp_headers_has_host(&newest, KP_TEXT("")));
    CHECK(kp_headers_has_host(&old, KP_TEXT("a")));
    CHECK(!kp_headers_has_host(&old, KP_TEXT("/a")));
    CHECK(!kp_headers_has_host(&old, KP_TEXT(" a")));
}

const struct unit_test http_headers_test[] = {
    {"headers stand in the kubelet's order", headers_stand_in_the_kubelets_order},
    {"a hop adds and leaves out", a_hop_adds_and_leaves_out},
    {"all headers are sent or none", all_headers_are_sent_or_none},
    {"an empty host is none", an_empty_host_is_none},
    {"tokens stand between commas", tokens_stand_between_commas},
    {"what cannot be sent is refused", what_cannot_be_sent_is_refused},
    {0},
};
