#include "serve.h"

#include "conformance/arena.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

/* The reply to one line, after those before it. */
static bool answers(struct cf_serve *serve, const char *line, const char *reply)
{
    struct kp_text got = cf_serve_line(serve, kp_text_of(line));
    struct kp_text want = kp_text_of(reply);

    if (CHECK(got.len >= want.len && memcmp(got.bytes, want.bytes, want.len) == 0) &&
        CHECK(memchr(got.bytes, '\n', got.len) == got.bytes + got.len - 1))
        return true;
    printf("    line  %s\n    got   %.*s    want  %s\n", line, (int)got.len, got.bytes, reply);
    return false;
}

static void ids_come_back_as_they_were_written(void)
{
    static const char *const ids[] = {"1",
                                      "1.0",
                                      "-0",
                                      "1e3",
                                      "\"x\"",
                                      "null",
                                      "[1,2]",
                                      "123456789012345678901234567890",
                                      "{\"a\":\"\xC3\xA9\"}"};
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char line[128];
        char reply[128];

        snprintf(line, sizeof line, "{\"op\":\"close\",\"id\":%s}", ids[i]);
        snprintf(reply, sizeof reply, "{\"id\":%s,\"ok\":{}}\n", ids[i]);
        answers(serve, line, reply);
    }
    cf_serve_free(serve);
}

static void bad_lines_are_answered_and_change_nothing(void)
{
    static const struct {
        const char *line;
        const char *reply;
    } rows[] = {
        {"", "{\"id\":null,\"error\":{\"code\":\"bad-request\",\"message\":\""},
        {"nope", "{\"id\":null,\"error\":{\"code\":\"bad-request\",\"message\":\""},
        {"[1]", "{\"id\":null,\"error\":{\"code\":\"bad-request\",\"message\":\"a request is"},
        {"{\"id\":\"\xFF\"}", "{\"id\":null,\"error\":{\"code\":\"bad-request\""},
        {"{\"op\":\"close\"}", "{\"id\":null,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":7}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"fire\"}", "{\"id\":1,\"error\":{\"code\":\"unsupported\""},
        {"{\"id\":1,\"op\":\"advance\",\"to\":0}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"hello\",\"protocol\":2}",
         "{\"id\":1,\"error\":{\"code\":\"unsupported\""},
        {"{\"id\":1,\"op\":\"hello\",\"k8s\":\"1.14\"}",
         "{\"id\":1,\"error\":{\"code\":\"unsupported\""},
        {"{\"id\":1,\"op\":\"hello\",\"k8s\":1.36}",
         "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"hello\",\"k8s\":\"1.36\",\"gates\":{\"X\":true}}",
         "{\"id\":1,\"error\":{\"code\":\"unsupported\",\"message\":\"1.36 has no feature gate X"},
        {"{\"id\":1,\"op\":\"hello\",\"k8s\":\"1.36\",\"gates\":{\"ExecProbeTimeout\":false}}",
         "{\"id\":1,\"error\":{\"code\":\"bad-request\",\"message\":\"1.36 has locked the feature"},
        {"{\"id\":1,\"op\":\"open\"}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"open\",\"layer\":\"probe\"}",
         "{\"id\":1,\"error\":{\"code\":\"bad-request\",\"message\":\"`pod` is missing\"}}"},
        {"{\"id\":1,\"op\":\"open\",\"layer\":\"probe\",\"pod\":{\"spec\":7}}",
         "{\"id\":1,\"error\":{\"code\":\"bad-request\",\"message\":\"`pod`: "},
    };
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        answers(serve, rows[i].line, rows[i].reply);
    answers(serve, "{\"id\":2,\"op\":\"hello\",\"mood\":{},\"k8s\":\"1.36\",\"seed\":1.0}",
            "{\"id\":2,\"ok\":{\"protocol\":1,\"name\":\"probetest\",");
    cf_serve_free(serve);
}

const struct unit_test serve_test[] = {
    {"ids come back as they were written", ids_come_back_as_they_were_written},
    {"bad lines are answered and change nothing", bad_lines_are_answered_and_change_nothing},
    {0},
};
