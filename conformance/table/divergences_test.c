#include "conformance/table/divergences.h"

#include "fakes/unit.h"

#include <string.h>

/* What is put of an id; "": there is no such row. */
static const char *put(struct cf_out *out, const char *id)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    bool found;

    cf_out_deinit(out);
    *out = (struct cf_out){0};
    found = cf_put_divergence(out, &arena, id);
    cf_out_put_char(out, '\0');
    CHECK_INT(found, out->bytes[0] != '\0');
    cf_arena_deinit(&arena);
    return out->bytes;
}

static void a_row_is_found_by_its_id(void)
{
    static const char wanted[] =
        "O-16\n  S-204: a kill that fails with the gRPC code NotFound has succeeded\n\n"
        "  minors    1.33+\n  outcome   engine\n";
    struct cf_out out = {0};

    CHECK_STRING(put(&out, "O-16"), wanted);
    CHECK_STRING(put(&out, "o-16"), wanted);
    CHECK(strncmp(put(&out, "F-50"), "F-50\n  P-113: a GOAWAY", 22) == 0);
    cf_out_deinit(&out);
}

static void what_is_no_id_finds_nothing(void)
{
    static const char *const wrong[] = {"",      "O",  "O-",  "O-1",  "O-160",
                                        "O-999", "id", "---", "O-16 "};
    struct cf_out out = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_STRING(put(&out, wrong[i]), "");
    cf_out_deinit(&out);
}

const struct unit_test divergences_test[] = {
    {"a row is found by its id", a_row_is_found_by_its_id},
    {"what is no id finds nothing", what_is_no_id_finds_nothing},
    {0},
};
