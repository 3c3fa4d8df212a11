/* yaml_json.c: what the server's JSON decoder sees of a document, and the strict one of repeats. */
#include "conformance/text/yaml.h"

#include <stdlib.h>
#include <string.h>

struct strict {
    struct cf_arena *arena;
    struct kp_text text;
};

/* As Go's %#v. */
static struct kp_text show_key(struct cf_arena *arena, const struct cf_node *member)
{
    struct kp_buf buf = {0};

    if (member->key_kind != CF_STRING)
        return member->key;
    kp_buf_put_quoted(&buf, member->key);
    buf = (struct kp_buf){cf_arena_alloc(arena, buf.need), buf.need, 0};
    if (!buf.bytes)
        return KP_TEXT("");
    kp_buf_put_quoted(&buf, member->key);
    return kp_buf_text(&buf);
}

/* A value's own repeats are reported before its key's. */
static void report_repeats(struct strict *strict, const struct cf_node *node)
{
    for (const struct cf_node *child = node->first; child; child = child->next) {
        report_repeats(strict, child);
        if (child->duplicate)
            strict->text = cf_arena_format(
                strict->arena, "%.*s\n  line %d: key %.*s already set in map", KP_ARG(strict->text),
                child->at.line, KP_ARG(show_key(strict->arena, child)));
    }
}

/* What strict decoding says of keys given twice, a line each; "" where there are none (V-042). */
struct kp_text cf_yaml_strict_text(struct cf_arena *arena, const struct cf_node *document)
{
    struct strict strict = {arena, KP_TEXT("yaml: unmarshal errors:")};

    if (!cf_node_first_duplicate(document))
        return KP_TEXT("");
    report_repeats(&strict, document);
    return strict.text;
}

static int compare_members(const void *left, const void *right)
{
    return cf_node_order(*(const struct cf_node *const *)left,
                         *(const struct cf_node *const *)right);
}

static bool sort_members(struct cf_arena *arena, const struct cf_node *from, struct cf_node *map)
{
    size_t members = 0;
    const struct cf_node *child;
    struct cf_node **sorted = cf_arena_array(arena, from->count, sizeof(struct cf_node *));

    if (!sorted)
        return false;
    for (child = from->first; child; child = child->next) {
        if (!child->duplicate)
            sorted[members++] = cf_node_sorted(arena, child);
        if (arena->failed)
            return false;
    }
    qsort(sorted, members, sizeof *sorted, compare_members);
    /* A repeated key: its last value takes the place of the first. */
    for (child = from->first; child; child = child->next) {
        struct cf_node key = {.key = child->key};
        struct cf_node *key_at = &key;
        struct cf_node **found =
            child->duplicate ? bsearch(&key_at, sorted, members, sizeof *sorted, compare_members)
                             : NULL;

        if (found)
            *found = cf_node_sorted(arena, child);
    }
    for (size_t i = 0; i < members; i++)
        cf_node_append(map, sorted[i]);
    return !arena->failed;
}

struct cf_node *cf_node_sorted(struct cf_arena *arena, const struct cf_node *node)
{
    struct cf_node *copy = cf_node_bare(arena, node);

    if (!copy)
        return NULL;
    copy->duplicate = false;
    if (node->kind == CF_MAP)
        return sort_members(arena, node, copy) ? copy : NULL;
    for (const struct cf_node *child = node->first; child; child = child->next)
        cf_node_append(copy, cf_node_sorted(arena, child));
    return copy;
}
