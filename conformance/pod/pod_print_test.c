#include "conformance/pod/pod_print.h"

#include "conformance/pod/pod_api.h"
#include "conformance/pod/pod_tree.h"
#include "conformance/text/cli.h"
#include "fakes/unit.h"

#include <stdio.h>

/* The zero value of a field's kind as the decoder leaves it, or NULL. */
static struct cf_node *zero_of(struct cf_arena *arena, const struct cf_api_field *field)
{
    switch (field->kind) {
    case CF_API_STRING:
        return cf_node_string(arena, KP_TEXT(""));
    case CF_API_BOOL:
        return cf_node_bool(arena, false);
    case CF_API_INT32:
    case CF_API_INT64:
        return cf_node_int(arena, 0);
    default:
        return NULL;
    }
}

static struct kp_text printed(struct cf_arena *arena, const struct cf_api_field *field,
                              struct cf_node *value)
{
    struct kp_profile profile = {.minor = field->until};
    struct cf_node *node = cf_node_new(arena, CF_MAP, (struct cf_place){0});

    if (value)
        cf_node_put(node, kp_text_of(field->name), value);
    return cf_node_json(arena, cf_api_print(arena, &profile, field->owner, node));
}

/* Go's structs: a plain field that is zero is as one that was not said; a pointer to it is not. */
static void a_zero_is_as_nothing_but_for_pointers(void)
{
    int looked_at = 0;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    for (enum cf_api_type type = CF_API_NONE + 1; type < CF_API_TYPES; type++)
        for (const struct cf_api_field *field = cf_api_fields(type); field->owner == type;
             field++) {
            struct cf_node *zero = zero_of(&arena, field);
            bool plain = field->shape == CF_API_ONE;

            if (!zero || (!plain && field->shape != CF_API_PTR))
                continue;
            looked_at++;
            if (!CHECK_INT(
                    kp_text_equal(printed(&arena, field, zero), printed(&arena, field, NULL)),
                    plain))
                printf("  %s.%s\n", cf_api_type_name(type), field->name);
        }
    CHECK(looked_at > 300);
    cf_arena_deinit(&arena);
}

/* IntOrString's zero is the number. */
static void a_port_that_is_not_said_is_zero(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};

    CHECK_TEXT(
        printed(&arena, cf_api_find(CF_API_TCPSocketAction, KP_TEXT("port"), KP_MINOR_MAX), NULL),
        KP_TEXT("{\"port\":0}"));
    cf_arena_deinit(&arena);
}

const struct unit_test pod_print_test[] = {
    {"a zero is as nothing but for pointers", a_zero_is_as_nothing_but_for_pointers},
    {"a port that is not said is zero", a_port_that_is_not_said_is_zero},
    {0},
};
