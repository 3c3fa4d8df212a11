/* inputs_test.c: which files a command line names. */
#include "conformance/text/cli.h"
#include "conformance/text/inputs.h"
#include "fakes/unit.h"

#include <string.h>

static void a_folder_is_gone_through_in_order(void)
{
    char folder[] = "conformance/examples";
    char dash[] = "-";
    char *words[] = {dash, folder};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_inputs inputs;

    CHECK_INT(cf_inputs_find(&arena, "test", words, 2, &inputs), CF_EXIT_OK);
    CHECK(inputs.count >= 4);
    CHECK_STRING(inputs.paths[0], "-");
    for (size_t i = 2; i < inputs.count; i++)
        CHECK(strcmp(inputs.paths[i - 1], inputs.paths[i]) < 0);
    cf_arena_deinit(&arena);
}

const struct unit_test inputs_test[] = {
    {"a folder is gone through in order", a_folder_is_gone_through_in_order},
    {0},
};
