#define _GNU_SOURCE
#include "fuzz/shared/pod_promises.h"

#include "conformance/text/json.h"
#include "fuzz/fuzz.h"

#include <string.h>

/* YAML 1.1 also breaks lines at a lone CR, NEL, LS and PS. */
static bool breaks_line(struct kp_text bytes, size_t i)
{
    unsigned char c = (unsigned char)bytes.bytes[i];

    return c == '\n' || c == '\r' || c == 0x85 || c == 0xa8 || c == 0xa9;
}

bool place_is_inside(struct kp_text bytes, struct cf_place at)
{
    int lines = 2; /* the end of the input may be a line of its own */

    for (size_t i = 0; i < bytes.len; i++)
        lines += breaks_line(bytes, i);
    /* A column counts characters, and may stand just behind the last one. */
    return at.line >= 0 && at.line <= lines && at.column >= 0 && (size_t)at.column <= bytes.len + 2;
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

static void check_reply(const struct cf_check_reply *reply, struct kp_text bytes)
{
    PROMISE(place_is_inside(bytes, reply->at));
    PROMISE((reply->pod == NULL) == (reply->undecodable.len > 0));
    for (size_t i = 0; i < reply->error_count; i++) {
        PROMISE(place_is_inside(bytes, reply->errors[i].at));
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

void check_pod(struct kp_text bytes, bool json)
{
    static const char *const versions[] = {"1.15", "1.24", "1.36", "1.37"};
    static struct kp_profile profiles[4];
    struct kp_profile *profile = &profiles[bytes.len % 4];
    struct cf_check_reply reply = {0};
    struct cf_arena arena;

    if (profile->minor == 0)
        PROMISE(kp_profile_init(profile, kp_text_of(versions[bytes.len % 4])) == KP_OK);
    cf_arena_init(&arena, cf_libc_mem());
    PROMISE(check(&arena, profile, bytes, json, &reply) == KP_OK);
    check_reply(&reply, bytes);
    if (reply.pod)
        check_again(&arena, profile, bytes.len / 4 % 2 == 0, &reply);
    cf_arena_deinit(&arena);
}
