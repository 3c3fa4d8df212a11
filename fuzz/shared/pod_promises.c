#define _GNU_SOURCE
#include "fuzz/shared/pod_promises.h"

#include "conformance/text/json.h"
#include "fuzz/fuzz.h"

#include <malloc.h>
#include <string.h>

enum { KEPT_BYTES = 16 * 1024 * 1024 };

/* How many bytes break a line there: YAML 1.1 also does so at a lone CR, NEL, LS and PS. */
static size_t break_at(struct kp_text bytes, size_t i, enum written how)
{
    const char *at = bytes.bytes + i;
    size_t left = bytes.len - i;

    if (how == WRITTEN_JSON)
        return at[0] == '\n';
    switch ((unsigned char)at[0]) {
    case '\n':
        return 1;
    case '\r':
        return left > 1 && at[1] == '\n' ? 2 : 1;
    case 0xc2:
        return left > 1 && at[1] == '\x85' ? 2 : 0;
    case 0xe2:
        return left > 2 && at[1] == '\x80' && (at[2] == '\xa8' || at[2] == '\xa9') ? 3 : 0;
    default:
        return 0;
    }
}

/* UTF-16 has characters of another width: there only the bounds of the whole are known. */
static bool is_wide(struct kp_text bytes)
{
    return bytes.len >= 2 &&
           (memcmp(bytes.bytes, "\xff\xfe", 2) == 0 || memcmp(bytes.bytes, "\xfe\xff", 2) == 0);
}

bool place_is_inside(struct kp_text bytes, enum written how, struct cf_place at)
{
    int line = 1;
    size_t column = 1;

    if (at.line <= 0 || at.column <= 0)
        return at.line == 0;
    if (how == WRITTEN_YAML && is_wide(bytes))
        return (size_t)at.line <= bytes.len + 1 && (size_t)at.column <= bytes.len + 1;
    for (size_t i = 0; i < bytes.len && line < at.line + 1;) {
        size_t len = break_at(bytes, i, how);

        if (len > 0 && line == at.line)
            break;
        line += len > 0;
        column = len > 0 ? 1 : column + 1;
        i += len > 0 ? len : 1;
    }
    /* A place may be just behind the last character, and libyaml ends the input on a line of its
     * own. */
    return line == at.line ? (size_t)at.column <= column
                           : how == WRITTEN_YAML && line + 1 == at.line && at.column == 1;
}

static enum kp_err check(struct cf_arena *arena, const struct kp_profile *profile,
                         struct kp_text bytes, bool json, struct cf_check_reply *reply)
{
    struct cf_node *tree = NULL;
    struct cf_fault fault = {0};
    enum kp_err err;

    if (!json)
        return cf_check_yaml(arena, profile, bytes, reply);
    err = cf_json_parse(arena, bytes, &tree, &fault);
    if (err == KP_EINPUT) {
        reply->undecodable = fault.message;
        reply->at = fault.at;
        return fault.message.len > 0 ? KP_OK : KP_EINPUT;
    }
    return err == KP_OK ? cf_check_node(arena, profile, tree, reply) : err;
}

static void check_reply(const struct cf_check_reply *reply, struct kp_text bytes, bool json)
{
    enum written how = json ? WRITTEN_JSON : WRITTEN_YAML;

    PROMISE(place_is_inside(bytes, how, reply->at));
    PROMISE((reply->pod == NULL) == (reply->undecodable.len > 0));
    for (size_t i = 0; i < reply->error_count; i++) {
        PROMISE(place_is_inside(bytes, how, reply->errors[i].at));
        PROMISE(reply->errors[i].text.len > 0 && reply->errors[i].field.len > 0);
    }
}

/* U+0085 as it stands breaks a line in YAML, and not in JSON. */
static bool has_next_line(struct kp_text text)
{
    return memmem(text.bytes, text.len, "\xc2\x85", 2) != NULL;
}

/* What is stored is stored again as it is, as YAML or as JSON: parse(print(pod)) = pod. */
static void check_again(struct cf_arena *arena, const struct kp_profile *profile, bool json,
                        const struct cf_check_reply *first)
{
    const struct kp_text no_control = KP_TEXT("yaml: control characters are not allowed");
    struct kp_text stored = cf_node_json(arena, first->pod);
    struct cf_check_reply again = {0};

    PROMISE(check(arena, profile, stored, json, &again) == KP_OK);
    if (!json && (kp_text_equal(again.undecodable, no_control) || has_next_line(stored)))
        return; /* JSON holds what YAML does not */
    if (strncmp(again.undecodable.len > 0 ? again.undecodable.bytes : "", "parsing time ", 13) == 0)
        return; /* a zone moved it out of the years 0 to 9999 */
    PROMISE(again.pod && kp_text_equal(cf_node_json(arena, again.pod), stored));
    PROMISE((again.error_count > 0) == (first->error_count > 0));
}

/* What one input gives back, the next one takes again: it need not go to the kernel in between. */
static void keep_memory(void)
{
    static bool kept;

    if (!kept)
        mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    kept = true;
}

void check_pod(struct kp_text bytes, bool json)
{
    static const char *const versions[] = {"1.15", "1.24", "1.36", "1.37"};
    static struct kp_profile profiles[4];
    struct kp_profile *profile = &profiles[bytes.len % 4];
    struct cf_check_reply reply = {0};
    struct cf_arena arena = {.mem = cf_libc_mem()};

    keep_memory();
    if (profile->minor == 0)
        PROMISE(kp_profile_init(profile, kp_text_of(versions[bytes.len % 4])) == KP_OK);
    PROMISE(check(&arena, profile, bytes, json, &reply) == KP_OK);
    check_reply(&reply, bytes, json);
    if (reply.pod)
        check_again(&arena, profile, bytes.len / 4 % 2 == 0, &reply);
    cf_arena_deinit(&arena);
}
