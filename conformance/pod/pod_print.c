#include "conformance/pod/pod_print.h"

#include "conformance/pod/pod_tree.h"
#include "conformance/text/yaml.h"

static struct cf_node *print_struct(struct cf_arena *arena, int minor, enum cf_api_type type,
                                    const struct cf_node *node);

/* Go's zero value of a field that is no pointer. */
static bool is_zero(const struct cf_api_field *field, const struct cf_node *node)
{
    if (!node)
        return true;
    if (field->shape == CF_API_LIST || field->shape == CF_API_MAP)
        return node->count == 0;
    if (field->shape == CF_API_PTR)
        return false;
    switch (field->kind) {
    case CF_API_STRING:
        return node->text.len == 0;
    case CF_API_BOOL:
        return !node->truth;
    case CF_API_INT32:
    case CF_API_INT64:
        return kp_text_equal(node->text, KP_TEXT("0"));
    default:
        return false;
    }
}

/* What a field without a value looks like, or NULL: it is left out. */
static struct cf_node *print_empty(struct cf_arena *arena, int minor,
                                   const struct cf_api_field *field)
{
    static const struct cf_place nowhere = {0};

    if (field->empty == CF_API_ZERO)
        return NULL;
    if (field->shape == CF_API_ONE) /* omitempty does not leave out structs */
        switch (field->kind) {
        case CF_API_STRUCT:
            return print_struct(arena, minor, field->of, NULL);
        case CF_API_TIME:
            return cf_node_new(arena, CF_NULL, nowhere);
        case CF_API_QUANTITY:
            return cf_node_string(arena, KP_TEXT("0"));
        default:
            break;
        }
    if (field->empty == CF_API_OMIT)
        return NULL;
    if (field->shape != CF_API_ONE)
        return cf_node_new(arena, CF_NULL, nowhere);
    switch (field->kind) {
    case CF_API_BOOL:
        return cf_node_bool(arena, false);
    case CF_API_INT32:
    case CF_API_INT64:
    case CF_API_INTSTR:
        return cf_node_int(arena, 0);
    default:
        return cf_node_string(arena, KP_TEXT(""));
    }
}

static struct cf_node *print_value(struct cf_arena *arena, int minor,
                                   const struct cf_api_field *field, const struct cf_node *node)
{
    struct cf_node *list;

    if (field->shape == CF_API_MAP)
        return cf_node_sorted(arena, node);
    if (field->kind != CF_API_STRUCT)
        return cf_node_copy(arena, node);
    if (field->shape != CF_API_LIST)
        return print_struct(arena, minor, field->of, node);
    list = cf_node_new(arena, CF_LIST, (struct cf_place){0});
    for (const struct cf_node *item = node->first; item; item = item->next)
        cf_node_append(list, print_struct(arena, minor, field->of, item));
    return list;
}

static struct cf_node *print_struct(struct cf_arena *arena, int minor, enum cf_api_type type,
                                    const struct cf_node *node)
{
    struct cf_node *map = cf_node_new(arena, CF_MAP, (struct cf_place){0});

    for (const struct cf_api_field *field = cf_api_fields(type); field->owner == type; field++) {
        const struct cf_node *value = node ? cf_node_find(node, field->name) : NULL;

        if (!cf_api_has(field, minor))
            continue;
        cf_node_put(map, kp_text_of(field->name),
                    is_zero(field, value) && !(value && field->empty == CF_API_KEEP)
                        ? print_empty(arena, minor, field)
                        : print_value(arena, minor, field, value));
    }
    return map;
}

struct cf_node *cf_api_print(struct cf_arena *arena, const struct kp_profile *profile,
                             enum cf_api_type type, const struct cf_node *node)
{
    struct cf_node *printed = print_struct(arena, profile->minor, type, node);

    return arena->failed ? NULL : printed;
}

struct cf_node *cf_pod_print(struct cf_arena *arena, const struct kp_profile *profile,
                             const struct cf_pod *pod)
{
    return cf_api_print(arena, profile, CF_API_Pod, pod->tree);
}
