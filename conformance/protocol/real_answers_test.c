/* real_answers_test.c: what the real server and kubectl answered,
 * conformance/oracle/real_answers.py queried them. */
#include "conformance/protocol/serve.h"
#include "conformance/text/file.h"
#include "conformance/text/json.h"
#include "fakes/unit.h"

#include <string.h>

#define FILE_BYTES_MAX 10000000

/* What stands between two texts of a line, which a NUL ends; to its end where `end` is "". */
static struct kp_text between(struct kp_text line, const char *begin, const char *end)
{
    const char *at = strstr(line.bytes, begin);
    const char *stop = at && *end ? strstr(at, end) : line.bytes + line.len;

    if (!CHECK(at != NULL && stop != NULL))
        return KP_TEXT("");
    at += strlen(begin);
    return (struct kp_text){at, (size_t)(stop - at)};
}

static struct kp_text json_of(struct cf_arena *arena, const struct cf_node *map, const char *name)
{
    const struct cf_node *found = cf_node_find(map, name);

    return found ? cf_node_json(arena, found) : KP_TEXT("none");
}

/* What is refused here is refused there, in that order; what bears on no probe is not looked at. */
static bool are_among(struct cf_arena *arena, const struct cf_node *some, const struct cf_node *all)
{
    const struct cf_node *other = all ? all->first : NULL;

    for (const struct cf_node *one = some ? some->first : NULL; one; one = one->next) {
        struct kp_text json = cf_node_json(arena, one);

        while (other && !kp_text_equal(cf_node_json(arena, other), json))
            other = other->next;
        if (!other)
            return CHECK_TEXT(json, KP_TEXT("no such error"));
        other = other->next;
    }
    return true;
}

static bool are_alike(struct cf_arena *arena, struct kp_text got, struct kp_text want)
{
    static const char *const members[] = {"undecodable", "pod",  "columns",
                                          "describe",    "port", "invalid"};
    struct cf_fault fault;
    struct cf_node *here;
    struct cf_node *there;
    bool alike = true;

    if (!CHECK_INT(cf_json_parse(arena, got, &here, &fault), KP_OK) ||
        !CHECK_INT(cf_json_parse(arena, want, &there, &fault), KP_OK))
        return false;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        alike = CHECK_TEXT(json_of(arena, here, members[i]), json_of(arena, there, members[i])) &&
                alike;
    if (kp_text_equal(json_of(arena, there, "errors"), KP_TEXT("[]")))
        alike = CHECK_TEXT(json_of(arena, here, "warnings"), json_of(arena, there, "warnings")) &&
                alike;
    return are_among(arena, cf_node_find(here, "errors"), cf_node_find(there, "errors")) && alike;
}

static void check_line(struct kp_text line)
{
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());
    struct kp_text ask = between(line, ",\"ask\":", ",\"ok\":");
    struct kp_text head = between(line, "{", ",\"ask\":");
    struct kp_text want = between(line, ",\"ok\":", "");
    struct kp_text got;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    (void)cf_serve_line(
        serve, cf_arena_format(&arena, "{\"id\":0,\"op\":\"hello\",\"protocol\":1,\"seed\":1,%.*s}",
                               KP_ARG(head)));
    got = cf_serve_line(serve,
                        cf_arena_format(&arena, "{\"id\":1,%.*s", (int)ask.len - 1, ask.bytes + 1));
    want.len--;
    if (!are_alike(&arena, between(got, "\"ok\":", "}\n"), want))
        CHECK_TEXT(ask, KP_TEXT(""));
    cf_arena_deinit(&arena);
    cf_serve_free(serve);
}

static void what_the_real_ones_answer_is_answered(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_text file = KP_TEXT("");
    size_t lines = 0;

    CHECK(!cf_file_read(&arena, "conformance/protocol/real_answers.jsonl", FILE_BYTES_MAX, &file));
    for (const char *end; (end = memchr(file.bytes, '\n', file.len)) != NULL; lines++) {
        size_t len = (size_t)(end - file.bytes);

        check_line(cf_arena_text(&arena, (struct kp_text){file.bytes, len}));
        file = (struct kp_text){end + 1, file.len - len - 1};
    }
    CHECK(lines > 0);
    cf_arena_deinit(&arena);
}

const struct unit_test real_answers_test[] = {
    {"what the real ones answer is answered", what_the_real_ones_answer_is_answered},
    {0},
};
