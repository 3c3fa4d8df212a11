/* question_check.c: layer check. */
#include "check.h"
#include "questions.h"

bool cf_question_check(struct cf_reader *reader, const struct kp_profile *profile,
                       const struct cf_node *request, struct cf_out *ok)
{
    const struct cf_node *pod = cf_node_find(request, "pod");
    const struct cf_node *answer = NULL;
    struct cf_check_reply reply;
    struct kp_text yaml = KP_TEXT_NONE;
    enum kp_err err;

    if (!cf_member_text(reader, request, "yaml", &yaml))
        return false;
    if ((pod == NULL) == (yaml.bytes == NULL))
        return cf_reader_fail(reader, "either `pod` or `yaml`, and only one of them");
    err = pod ? cf_check_node(reader->arena, profile, pod, &reply)
              : cf_check_yaml(reader->arena, profile, yaml, &reply);
    if (err == KP_OK)
        answer = cf_check_ok(reader->arena, &reply);
    if (answer == NULL)
        return cf_reader_fail(reader, "out of memory");
    cf_out_put(ok, cf_node_json(reader->arena, answer));
    return true;
}
