/* yaml_json.c: what the server's JSON decoder sees of a document, and the strict one of repeats. */
#include "conformance/text/yaml.h"

#include <stdlib.h>
#include <string.h>

struct strict {
    struct cf_arena *arena;
    struct kp_text text;
};

/* A value's own repeats are reported before its key's. */
static void report_repeats(struct strict *strict, const struct cf_node *node)
{
    for (const struct cf_node *child = node->first; child; child = child->next) {
        struct cf_node number = {.kind = CF_NUMBER, .text = child->key};
        int64_t value;
        const char *quote = cf_node_int_value(&number, &value) ? "" : "\"";

        report_repeats(strict, child);
        if (child->duplicate)
            strict->text = cf_arena_format(
                strict->arena, "%.*s\n  line %d: key %s%.*s%s already set in map",
                KP_ARG(strict->text), child->at.line, quote, KP_ARG(child->key), quote);
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
    const struct cf_node *a = *(const struct cf_node *const *)left;
    const struct cf_node *b = *(const struct cf_node *const *)right;
    size_t shorter = a->key.len < b->key.len ? a->key.len : b->key.len;
    int by_bytes = shorter > 0 ? memcmp(a->key.bytes, b->key.bytes, shorter) : 0;

    return by_bytes != 0 ? by_bytes : a->key.len < b->key.len ? -1 : a->key.len > b->key.len;
}

static bool sort_members(struct cf_arena *arena, const struct cf_node *from, struct cf_node *map)
{
    struct cf_node **sorted = cf_arena_array(arena, from->count, sizeof(struct cf_node *));
    const struct cf_node *child = from->first;
    size_t members = 0;

    for (; sorted && child; child = child->next) {
        if (!child->duplicate)
            sorted[members++] = cf_node_sorted(arena, child);
        if (arena->failed)
            return false;
    }
    if (!sorted)
        return false;
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
