/* question.c: questions as requests, and their replies judged. */
#include "conformance/protocol/columns.h"
#include "conformance/table/case_question.h"

#include <string.h>

/* ---- asking ---------------------------------------------------------------------------------- */

/* A pod as its author wrote it: what is not a whole pod is a spec. */
static struct cf_node *whole_pod(struct cf_arena *arena, const struct cf_node *written)
{
    struct cf_node *pod;
    struct cf_node *metadata;

    if (cf_node_find(written, "spec") || written->kind != CF_MAP)
        return cf_node_copy(arena, written);
    pod = cf_node_new(arena, CF_MAP, written->at);
    metadata = cf_node_new(arena, CF_MAP, written->at);
    if (!pod || !metadata)
        return NULL;
    cf_node_put(metadata, KP_TEXT("name"), cf_node_string(arena, KP_TEXT("p")));
    cf_node_put(metadata, KP_TEXT("namespace"), cf_node_string(arena, KP_TEXT("ns")));
    cf_node_put(pod, KP_TEXT("apiVersion"), cf_node_string(arena, KP_TEXT("v1")));
    cf_node_put(pod, KP_TEXT("kind"), cf_node_string(arena, KP_TEXT("Pod")));
    cf_node_put(pod, KP_TEXT("metadata"), metadata);
    cf_node_put(pod, KP_TEXT("spec"), cf_node_copy(arena, written));
    return pod;
}

/* The pod that is asked about, as a pod, a spec or a probe; NULL: it is text. */
static const struct cf_node *pod_of(const struct cf_case *item, struct cf_arena *arena)
{
    const struct cf_node *probe = cf_node_find(item->node, "probe");
    int type;

    if (item->pods)
        return item->pods[0];
    if (probe && item->layer == CF_LAYER_CHECK)
        return cf_case_probe_spec(arena, probe, &type);
    return cf_node_find(item->node, "pod");
}

static void put_copy(struct cf_arena *arena, struct cf_node *request, const struct cf_case *item,
                     const char *key)
{
    const struct cf_node *found = cf_node_find(item->node, key);

    if (found)
        cf_node_put(request, kp_text_of(key), cf_node_copy(arena, found));
}

/* PodPresets as they are written, but for what is the same in all of them. */
static void put_presets(struct cf_arena *arena, struct cf_node *request, const struct cf_case *item)
{
    const struct cf_node *written = cf_node_find(item->node, "presets");
    struct cf_node *list = written ? cf_node_copy(arena, written) : NULL;

    for (struct cf_node *one = list ? list->first : NULL; one; one = one->next) {
        cf_node_set(one, KP_TEXT("apiVersion"),
                    cf_node_string(arena, KP_TEXT("settings.k8s.io/v1alpha1")));
        cf_node_set(one, KP_TEXT("kind"), cf_node_string(arena, KP_TEXT("PodPreset")));
    }
    if (list)
        cf_node_put(request, KP_TEXT("presets"), list);
}

struct kp_text cf_question_members(const struct cf_case *item, struct cf_arena *arena)
{
    static const struct cf_place nowhere = {0, 0};
    struct cf_node *request = cf_node_new(arena, CF_MAP, nowhere);
    const struct cf_node *pod = pod_of(item, arena);
    struct kp_text json;

    if (!request)
        return KP_TEXT_NONE;
    put_copy(arena, request, item, "port");
    put_copy(arena, request, item, "ports");
    put_copy(arena, request, item, "hook");
    put_copy(arena, request, item, "yaml");
    put_presets(arena, request, item);
    if (cf_node_find(item->node, "old"))
        cf_node_put(request, KP_TEXT("old"), whole_pod(arena, cf_node_find(item->node, "old")));
    if (pod)
        cf_node_put(request, KP_TEXT("pod"),
                    item->pods ? cf_node_copy(arena, item->pods[0]) : whole_pod(arena, pod));
    if (item->layer == CF_LAYER_ACTIONS)
        cf_actions_members(item, arena, request);
    if (item->layer == CF_LAYER_EVENTS || item->layer == CF_LAYER_KUBECTL)
        cf_kept_members(item, arena, request);
    json = cf_node_json(arena, request);
    return json.len < 2 ? KP_TEXT_NONE : (struct kp_text){json.bytes + 1, json.len - 2};
}

/* ---- judging --------------------------------------------------------------------------------- */

static struct kp_text quoted_line(struct cf_arena *arena, const char *what, struct kp_text text)
{
    return cf_arena_format(arena, "%s: %.*s", what, KP_ARG(text));
}

/* The text of an item of a list, which may be an object with `text`. */
static struct kp_text text_of(const struct cf_node *node)
{
    const struct cf_node *text = node && node->kind == CF_MAP ? cf_node_find(node, "text") : node;

    return text ? text->text : KP_TEXT_NONE;
}

static void compare_lists(struct cf_columns *c, const char *what, const struct cf_node *wanted,
                          const struct cf_node *got)
{
    for (size_t i = 0; cf_node_at(wanted, i) || cf_node_at(got, i); i++) {
        const struct cf_node *left = cf_node_at(wanted, i);
        const struct cf_node *right = cf_node_at(got, i);

        cf_columns_add(c, left ? quoted_line(c->arena, what, text_of(left)) : KP_TEXT_NONE,
                       right ? quoted_line(c->arena, what, text_of(right)) : KP_TEXT_NONE);
    }
}

static struct kp_text stored_line(struct cf_arena *arena, struct kp_text path,
                                  const struct cf_node *node)
{
    struct kp_text value = node ? cf_node_json(arena, node) : KP_TEXT("null");

    return cf_arena_format(arena, "%.*s: %.*s", KP_ARG(path), KP_ARG(value));
}

/* Up to where a dump of Go's begins, which depends on the release of a library. */
static struct kp_text before(struct kp_text text, const char *dump)
{
    return (struct kp_text){text.bytes, kp_text_find(text, kp_text_of(dump))};
}

/* The errors of a reply; those of an update end in a dump of what has changed. */
static const struct cf_node *judged_errors(const struct cf_case *item, struct cf_arena *arena,
                                           const struct cf_node *ok)
{
    const struct cf_node *errors = cf_node_find(ok, "errors");
    struct cf_node *list;

    if (!errors || !cf_node_find(item->node, "old"))
        return errors;
    list = cf_node_new(arena, CF_LIST, errors->at);
    for (const struct cf_node *one = errors->first; list && one; one = one->next)
        cf_node_append(list, cf_node_string(arena, before(text_of(one), "\n")));
    return list;
}

static void judge_check(struct cf_columns *c, const struct cf_case *item, const struct cf_node *ok)
{
    static const struct cf_node none = {.kind = CF_LIST};
    const struct cf_node *undecodable = cf_node_find(item->node, "undecodable");
    const struct cf_node *errors = cf_node_find(item->node, "errors");
    const struct cf_node *warnings = cf_node_find(item->node, "warnings");
    const struct cf_node *stored = cf_node_find(item->node, "stored");

    cf_columns_add(
        c, undecodable ? quoted_line(c->arena, "undecodable", undecodable->text) : KP_TEXT_NONE,
        cf_node_find(ok, "undecodable")
            ? quoted_line(c->arena, "undecodable", cf_node_find(ok, "undecodable")->text)
            : KP_TEXT_NONE);
    if (!undecodable)
        compare_lists(c, "error", errors ? errors : &none, judged_errors(item, c->arena, ok));
    if (warnings)
        compare_lists(c, "warning", warnings, cf_node_find(ok, "warnings"));
    for (const struct cf_node *one = stored ? stored->first : NULL; one; one = one->next)
        cf_columns_add(
            c, stored_line(c->arena, one->key, one),
            stored_line(c->arena, one->key, cf_node_follow(cf_node_find(ok, "pod"), one->key)));
}

static void judge_port(struct cf_columns *c, const struct cf_case *item, const struct cf_node *ok)
{
    const struct cf_node *is = cf_node_find(item->node, "is");
    const struct cf_node *port = cf_node_find(ok, "port");
    struct kp_text invalid = text_of(cf_node_find(ok, "invalid"));

    cf_columns_add(
        c,
        is ? quoted_line(c->arena, "is", is->text)
           : quoted_line(c->arena, "invalid", text_of(cf_node_find(item->node, "invalid"))),
        port ? quoted_line(c->arena, "is", port->text)
             : quoted_line(c->arena, "invalid",
                           cf_node_find(item->node, "hook") ? before(invalid, " in &Container{")
                                                            : invalid));
}

static void judge_actions(struct cf_columns *c, const struct cf_case *item,
                          const struct cf_node *ok)
{
    struct cf_node *got = cf_actions_lines(item, c->arena, ok);

    compare_lists(c, "does", cf_actions_wanted(item, c->arena, got), got);
}

static void judge_events(struct cf_columns *c, const struct cf_case *item, const struct cf_node *ok)
{
    compare_lists(c, "kept", cf_kept_wanted(item, c->arena),
                  cf_kept_lines(c->arena, cf_node_find(ok, "events")));
}

/* The columns that the case names; a reply has them all. */
static void judge_kubectl(struct cf_columns *c, const struct cf_case *item,
                          const struct cf_node *ok)
{
    static const char *const names[] = {"READY", "STATUS", "RESTARTS"};
    const struct cf_node *columns = cf_node_find(item->node, "columns");
    const struct cf_node *describe = cf_node_find(item->node, "describe");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct cf_node *wanted = cf_node_find(columns, names[i]);

        if (wanted)
            cf_columns_add(
                c, quoted_line(c->arena, names[i], wanted->text),
                quoted_line(c->arena, names[i],
                            text_of(cf_node_find(cf_node_find(ok, "columns"), names[i]))));
    }
    if (describe)
        compare_lists(c, "describe", describe, cf_node_find(ok, "describe"));
}

/* More rows than any case or reply has. */
static size_t count_rows(const struct cf_case *item, const struct cf_node *ok)
{
    size_t count = 4;

    for (const struct cf_node *one = item->node->first; one; one = one->next)
        count += one->count;
    for (const struct cf_node *one = ok->first; one; one = one->next)
        count += one->count + 1;
    return count;
}

/* Of the layers that have questions. */
static void (*const judges[CF_LAYERS])(struct cf_columns *c, const struct cf_case *item,
                                       const struct cf_node *ok) = {
    [CF_LAYER_PORT] = judge_port,       [CF_LAYER_CHECK] = judge_check,
    [CF_LAYER_ACTIONS] = judge_actions, [CF_LAYER_EVENTS] = judge_events,
    [CF_LAYER_KUBECTL] = judge_kubectl,
};

void cf_question_judge(const struct cf_case *item, const struct cf_node *ok, struct cf_arena *arena,
                       struct cf_outcome *out)
{
    struct cf_columns c;

    if (!cf_columns_begin(&c, arena, count_rows(item, ok), out))
        return;
    judges[item->layer](&c, item, ok);
    cf_columns_end(&c, out);
    if (item->observed) {
        if (out->verdict == CF_PASS)
            out->why = KP_TEXT("as written");
        out->verdict = CF_OBSERVED;
    }
}
