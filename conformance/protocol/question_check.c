/* question_check.c: layer check. */
#include "conformance/pod/check.h"
#include "conformance/pod/podpreset.h"
#include "conformance/protocol/questions.h"

/* Those that the version knows; false: one of them is none, and the reader says why. */
static bool read_presets(struct cf_reader *reader, const struct kp_profile *profile,
                         const struct cf_node *request, const struct cf_node **presets)
{
    struct cf_fault fault;

    if (!cf_member_node(reader, request, "presets", CF_LIST, presets))
        return false;
    if (profile->podpreset_gone)
        *presets = NULL;
    for (const struct cf_node *one = *presets ? (*presets)->first : NULL; one; one = one->next)
        if (!cf_podpreset_check(reader->arena, profile, one, &fault))
            return cf_reader_fail(reader, "%s", fault.go_text.bytes);
    return true;
}

/* The pod that an update replaces; *old is NULL where the pod is created. */
static bool read_old(struct cf_reader *reader, const struct kp_profile *profile,
                     const struct cf_node *request, struct cf_check_reply *reply,
                     const struct cf_check_reply **old)
{
    const struct cf_node *node;

    if (!cf_member_node(reader, request, "old", CF_MAP, &node))
        return false;
    if (node == NULL)
        return true;
    if (cf_check_node(reader->arena, profile, node, reply) != KP_OK)
        return cf_reader_fail(reader, "out of memory");
    if (reply->undecodable.len > 0)
        return cf_reader_fail(reader, "`old`: %.*s", KP_ARG(reply->undecodable));
    *old = reply;
    return true;
}

bool cf_question_check(struct cf_reader *reader, const struct kp_profile *profile,
                       const struct cf_node *request, struct cf_out *ok)
{
    const struct cf_node *pod = cf_node_find(request, "pod");
    const struct cf_node *answer = NULL;
    const struct cf_node *presets = NULL;
    const struct cf_check_reply *old = NULL;
    struct cf_check_reply old_reply;
    struct cf_check_reply reply;
    struct cf_pod decoded;
    struct kp_text yaml = KP_TEXT_NONE;
    enum kp_err err;

    if (!cf_member_text(reader, request, "yaml", &yaml))
        return false;
    if ((pod == NULL) == (yaml.bytes == NULL))
        return cf_reader_fail(reader, "either `pod` or `yaml`, and only one of them");
    if (!read_presets(reader, profile, request, &presets) ||
        !read_old(reader, profile, request, &old_reply, &old))
        return false;
    err = pod ? cf_pod_decode(reader->arena, profile, pod, &decoded)
              : cf_pod_decode_yaml(reader->arena, profile, yaml, &decoded);
    if (err == KP_OK)
        err = cf_check_decoded(reader->arena, profile, &decoded, presets, old, &reply);
    if (err == KP_OK)
        answer = cf_check_ok(reader->arena, &reply);
    if (answer == NULL)
        return cf_reader_fail(reader, "out of memory");
    cf_out_put(ok, cf_node_json(reader->arena, answer));
    return true;
}
