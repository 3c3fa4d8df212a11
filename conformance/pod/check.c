#include "conformance/pod/check.h"

#include "conformance/pod/pod_print.h"
#include "conformance/pod/pod_tree.h"
#include "conformance/pod/pod_warnings.h"
#include "conformance/pod/podpreset.h"
#include "core/api/validate.h"

enum { PLACES_MAX = 1000 };
enum part { FIELD, DETAIL, LINE };

struct collected {
    struct cf_check_error error;
    struct collected *next;
};

struct collector {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct cf_node *source;
    struct collected *first;
    struct collected **end;
    size_t count;
};

/* Text of known size: the first pass counts, the second writes. */
static struct kp_text worded(struct cf_arena *arena, const struct kp_profile *profile,
                             const struct kp_field_error *error, enum part part)
{
    struct kp_buf buf = {0};

    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            buf = cf_arena_buf(arena, buf.need);
            if (!buf.bytes)
                return KP_TEXT("");
        }
        if (part == FIELD)
            kp_path_put(&buf, error->path);
        else if (part == DETAIL)
            kp_field_error_put_detail(&buf, error);
        else
            kp_field_error_put(&buf, profile, error);
    }
    return kp_buf_text(&buf);
}

static void collect(void *ctx, const struct kp_field_error *error)
{
    struct collector *collector = ctx;
    struct collected *item = cf_arena_alloc(collector->arena, sizeof *item);

    if (!item)
        return;
    item->error = (struct cf_check_error){
        .field = worded(collector->arena, collector->profile, error, FIELD),
        .type = kp_text_of(kp_field_error_type_name(error->type)),
        .detail = worded(collector->arena, collector->profile, error, DETAIL),
        .text = worded(collector->arena, collector->profile, error, LINE),
    };
    /* Finding a place walks the document: beyond so many it would take too long. */
    if (collector->count < PLACES_MAX)
        item->error.at = cf_node_place(collector->source, item->error.field);
    *collector->end = item;
    collector->end = &item->next;
    collector->count++;
}

/* What an update may change is taken out of a printed pod's spec.  No memory: the arena says so. */
static struct kp_text fixed_spec(struct cf_arena *arena, const struct cf_node *pod)
{
    static const char *const lists[] = {"initContainers", "containers"};
    struct cf_node *spec = cf_node_copy(arena, cf_node_find(pod, "spec"));

    cf_node_remove(spec, KP_TEXT("activeDeadlineSeconds"));
    cf_node_remove(spec, KP_TEXT("tolerations"));
    cf_node_remove(spec, KP_TEXT("schedulingGates"));
    for (size_t i = 0; i < 2; i++) {
        struct cf_node *list = cf_node_find(spec, lists[i]);

        for (struct cf_node *one = list ? list->first : NULL; one; one = one->next)
            cf_node_remove(one, KP_TEXT("image"));
    }
    return spec ? cf_node_json(arena, spec) : KP_TEXT_NONE;
}

static enum kp_err validate_pod(struct cf_arena *arena, const struct kp_profile *profile,
                                const struct cf_check_reply *old,
                                const struct cf_check_reply *reply, struct kp_field_error_sink sink)
{
    const struct cf_node *pod;
    bool same;

    if (!old)
        return kp_pod_validate(profile, arena->mem, reply->decoded.pod, sink);
    pod = cf_pod_print(arena, profile, &reply->decoded);
    if (!pod)
        return KP_ENOMEM;
    same = kp_text_equal(fixed_spec(arena, pod), fixed_spec(arena, old->pod));
    if (arena->failed)
        return KP_ENOMEM;
    return kp_pod_validate_update(profile, arena->mem, reply->decoded.pod, old->decoded.pod, same,
                                  sink);
}

static enum kp_err validate(struct cf_arena *arena, const struct kp_profile *profile,
                            const struct cf_check_reply *old, struct cf_check_reply *reply)
{
    struct collector collector = {
        .arena = arena, .profile = profile, .source = reply->decoded.source};
    struct kp_field_error_sink sink = {collect, &collector};
    struct cf_check_error *errors;
    enum kp_err err;

    collector.end = &collector.first;
    err = validate_pod(arena, profile, old, reply, sink);
    errors = cf_arena_array(arena, collector.count, sizeof *errors);
    if (err == KP_ENOMEM || arena->failed)
        return KP_ENOMEM;
    for (const struct collected *item = collector.first; item; item = item->next)
        errors[reply->error_count++] = item->error;
    reply->errors = errors;
    return KP_OK;
}

/* ---- what the pod strategy writes ---------------------------------------------------------------
 */

static bool same_amount(const struct cf_node *requests, const struct cf_node *limits,
                        const char *name)
{
    const struct cf_node *request = cf_node_find(requests, name);
    const struct cf_node *limit = cf_node_find(limits, name);

    /* Where there is a limit, defaulting has put a request. */
    return limit && request && !kp_text_equal(limit->text, KP_TEXT("0")) &&
           kp_text_equal(request->text, limit->text);
}

static bool any_amount(const struct cf_node *list)
{
    static const char *const names[] = {"cpu", "memory"};

    for (size_t i = 0; i < 2; i++) {
        const struct cf_node *amount = cf_node_find(list, names[i]);

        if (amount && !kp_text_equal(amount->text, KP_TEXT("0")))
            return true;
    }
    return false;
}

/* Upstream: pkg/apis/core/v1/helper/qos GetPodQOS. */
static const char *qos_class(const struct kp_profile *profile, const struct kp_pod *pod)
{
    size_t first = profile->qos_of_init ? 0 : pod->init_count;
    size_t count = pod->init_count + pod->regular_count;
    bool any = false;
    bool all = count > first;

    for (size_t i = first; i < count; i++) {
        const struct cf_node *resources = cf_node_find(pod->containers[i].raw, "resources");
        const struct cf_node *requests = cf_node_find(resources, "requests");
        const struct cf_node *limits = cf_node_find(resources, "limits");

        any = any || any_amount(requests) || any_amount(limits);
        all =
            all && same_amount(requests, limits, "cpu") && same_amount(requests, limits, "memory");
    }
    return all ? "Guaranteed" : any ? "Burstable" : "BestEffort";
}

static struct cf_node *member_map(struct cf_arena *arena, struct cf_node *map, const char *name)
{
    struct cf_node *found = cf_node_find(map, name);

    if (!found) {
        found = cf_node_new(arena, CF_MAP, (struct cf_place){0});
        cf_node_put(map, kp_text_of(name), found);
    }
    return found;
}

/* PrepareForCreate: kind, namespace, generation and a fresh status. */
static enum kp_err prepare(struct cf_arena *arena, const struct kp_profile *profile,
                           struct cf_pod *pod)
{
    struct cf_node *metadata = member_map(arena, pod->tree, "metadata");
    struct cf_node *status = cf_node_new(arena, CF_MAP, (struct cf_place){0});
    struct cf_node *namespace_ = cf_node_find(metadata, "namespace");

    if (!metadata || !status)
        return KP_ENOMEM;
    cf_node_set(pod->tree, KP_TEXT("kind"), cf_node_string(arena, KP_TEXT("Pod")));
    cf_node_set(pod->tree, KP_TEXT("apiVersion"), cf_node_string(arena, KP_TEXT("v1")));
    if (!namespace_ || namespace_->text.len == 0)
        cf_node_set(metadata, KP_TEXT("namespace"), cf_node_string(arena, KP_TEXT("default")));
    if (profile->pod_generation)
        cf_node_set(metadata, KP_TEXT("generation"), cf_node_int(arena, 1));
    cf_node_put(status, KP_TEXT("phase"), cf_node_string(arena, KP_TEXT("Pending")));
    cf_node_put(status, KP_TEXT("qosClass"),
                cf_node_string(arena, kp_text_of(qos_class(profile, pod->pod))));
    cf_node_set(pod->tree, KP_TEXT("status"), status);
    return arena->failed ? KP_ENOMEM : KP_OK;
}

/* Admission plugins that change the pod come between the defaults and validation. */
static enum kp_err admit(struct cf_arena *arena, const struct kp_profile *profile,
                         const struct cf_node *presets, struct cf_check_reply *reply)
{
    struct cf_podpreset_outcome outcome;

    if (!presets)
        return KP_OK;
    return cf_podpreset_apply(arena, profile, presets, &reply->decoded, &outcome);
}

enum kp_err cf_check_decoded(struct cf_arena *arena, const struct kp_profile *profile,
                             const struct cf_pod *pod, const struct cf_node *presets,
                             const struct cf_check_reply *old, struct cf_check_reply *reply)
{
    *reply = (struct cf_check_reply){.decoded = *pod};
    if (!pod->pod) {
        reply->undecodable = pod->fault.go_text;
        reply->at = pod->fault.at;
        return arena->failed ? KP_ENOMEM : KP_OK;
    }
    if (cf_pod_default(arena, profile, &reply->decoded) != KP_OK ||
        admit(arena, profile, presets, reply) != KP_OK ||
        validate(arena, profile, old, reply) != KP_OK ||
        prepare(arena, profile, &reply->decoded) != KP_OK)
        return KP_ENOMEM;
    /* What is refused gets no advice, nor does an update (strategy.go WarningsOnUpdate). */
    if (!old && reply->error_count == 0 && cf_pod_warn(arena, profile, &reply->decoded) != KP_OK)
        return KP_ENOMEM;
    reply->warnings = reply->decoded.warnings;
    reply->warning_count = reply->decoded.warning_count;
    reply->pod = cf_pod_print(arena, profile, &reply->decoded);
    return reply->pod ? KP_OK : KP_ENOMEM;
}

enum kp_err cf_check_yaml(struct cf_arena *arena, const struct kp_profile *profile,
                          struct kp_text yaml, struct cf_check_reply *reply)
{
    struct cf_pod pod;
    enum kp_err err = cf_pod_decode_yaml(arena, profile, yaml, &pod);

    return err == KP_OK ? cf_check_decoded(arena, profile, &pod, NULL, NULL, reply) : err;
}

enum kp_err cf_check_node(struct cf_arena *arena, const struct kp_profile *profile,
                          const struct cf_node *source, struct cf_check_reply *reply)
{
    struct cf_pod pod;
    enum kp_err err = cf_pod_decode(arena, profile, source, &pod);

    return err == KP_OK ? cf_check_decoded(arena, profile, &pod, NULL, NULL, reply) : err;
}

static struct cf_node *error_node(struct cf_arena *arena, const struct cf_check_error *error)
{
    struct cf_node *map = cf_node_new(arena, CF_MAP, (struct cf_place){0});

    cf_node_put(map, KP_TEXT("field"), cf_node_string(arena, error->field));
    cf_node_put(map, KP_TEXT("type"), cf_node_string(arena, error->type));
    cf_node_put(map, KP_TEXT("detail"), cf_node_string(arena, error->detail));
    cf_node_put(map, KP_TEXT("text"), cf_node_string(arena, error->text));
    return map;
}

struct cf_node *cf_check_ok(struct cf_arena *arena, const struct cf_check_reply *reply)
{
    struct cf_node *ok = cf_node_new(arena, CF_MAP, (struct cf_place){0});
    struct cf_node *errors = cf_node_new(arena, CF_LIST, (struct cf_place){0});
    struct cf_node *warnings = cf_node_new(arena, CF_LIST, (struct cf_place){0});

    if (reply->undecodable.len > 0) {
        cf_node_put(ok, KP_TEXT("undecodable"), cf_node_string(arena, reply->undecodable));
        return arena->failed ? NULL : ok;
    }
    for (size_t i = 0; i < reply->error_count; i++)
        cf_node_append(errors, error_node(arena, &reply->errors[i]));
    for (size_t i = 0; i < reply->warning_count; i++)
        cf_node_append(warnings, cf_node_string(arena, reply->warnings[i].text));
    cf_node_put(ok, KP_TEXT("pod"), reply->pod);
    cf_node_put(ok, KP_TEXT("errors"), errors);
    cf_node_put(ok, KP_TEXT("warnings"), warnings);
    return arena->failed ? NULL : ok;
}
