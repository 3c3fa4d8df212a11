#include "http_headers.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <string.h>

#define HEADERS_MAX 4

struct row {
    const char *k8s;
    struct kp_http_header headers[HEADERS_MAX];
    size_t count;
    const char *lines; /* as libcurl is given them, joined by | */
};

static void check_row(const struct row *row)
{
    struct kp_http_get_action action = {.headers = row->headers, .header_count = row->count};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_hop hop = {.host = KP_TEXT("h:80")};
    char joined[512] = "";
    struct kp_profile profile;
    struct kp_headers headers;
    struct kp_scratch scratch;
    struct curl_slist *lines;

    CHECK_INT(kp_profile_init(&profile, kp_text_of(row->k8s)), KP_OK);
    kp_scratch_init(&scratch, &mem);
    kp_headers_init(&headers, &scratch, &profile, &action);
    if (headers.host.len > 0)
        hop.host = headers.host;
    lines = kp_headers_lines(&headers, &scratch, &profile, &hop);
    for (const struct curl_slist *line = lines; line; line = line->next) {
        strcat(joined, line->data);
        strcat(joined, "|");
    }
    CHECK_STRING(joined, row->lines);
    curl_slist_free_all(lines);
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
        {"1.36", {H("accept", "")}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Connection: close|Accept:|"},
        {"1.36", {H("User-Agent", "")}, 1, "Host: h:80|Accept: */*|Connection: close|User-Agent:|"},
        {"1.36", {H("Host", "b\xC3\xBC" "cher.example:1")}, 1,
         "Host: xn--bcher-kva.example:1|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("Host", "a b")}, 1, "Host: |User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.36", {H("X-Empty", "")}, 1,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*\r\nX-Empty: |Connection: close|"},
        {"1.36", {H("Connection", "Close")}, 1, "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: Close|"},
        {"1.36", {H("Connection", "Upgrade"), H("Upgrade", "x")}, 2,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: Upgrade|Upgrade: x|"},
        {"1.36", {H("Content-Length", "5"), H("Trailer", "x")}, 2,
         "Host: h:80|User-Agent: kube-probe/1.36|Accept: */*|Connection: close|"},
        {"1.22", {H("accept", "x")}, 1, "Host: h:80|User-Agent: kube-probe/1.22|Accept: */*|accept: x|Connection: close|"},
        {"1.19", {H("", "")}, 0, "Host: h:80|User-Agent: kube-probe/1.19|Accept-Encoding: gzip|Connection: close|Accept:|"},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

static void what_cannot_be_sent_is_refused(void)
{
    static const struct {
        struct kp_http_header header;
        const char *why;
    } rows[] = {
        {H("X A", "b"), "net/http: invalid header field name \"X A\""},
        {H("X-A", "b\nc"), "net/http: invalid header field value for \"X-A\""},
        {H("", "b"), "net/http: invalid header field name \"\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_http_get_action action = {.headers = &rows[i].header, .header_count = 1};
        struct kp_mem mem = fake_alloc_plain();
        struct kp_message why = {0};
        struct kp_profile profile;
        struct kp_headers headers;
        struct kp_scratch scratch;

        CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
        kp_scratch_init(&scratch, &mem);
        kp_headers_init(&headers, &scratch, &profile, &action);
        CHECK(!kp_headers_check(&headers, &why));
        CHECK_TEXT(kp_scratch_say(&scratch, &why), kp_text_of(rows[i].why));
        kp_scratch_deinit(&scratch);
    }
}

const struct unit_test http_headers_test[] = {
    {"headers stand in the kubelet's order", headers_stand_in_the_kubelets_order},
    {"what cannot be sent is refused", what_cannot_be_sent_is_refused},
    {0},
};
