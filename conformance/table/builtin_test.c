#include "conformance/table/builtin.h"

#include "conformance/table/case.h"
#include "conformance/text/file.h"
#include "fakes/unit.h"

#include <string.h>

/* The files that were packed; byte for byte as they stand in the tree where they are not YAML. */
static void each_file_is_the_one_in_the_tree(void)
{
    struct kp_text table;
    struct kp_text name;
    struct kp_text text;
    struct cf_arena arena = {.mem = cf_libc_mem()};
    size_t count = 0;

    table = cf_builtin_table(&arena);
    while (cf_builtin_next(&table, &name, &text)) {
        const char *path = cf_arena_format(&arena, "conformance/%.*s", KP_ARG(name)).bytes;
        struct kp_text file = KP_TEXT_NONE;

        CHECK(cf_file_read(&arena, path, (size_t)4 << 20, &file) == NULL);
        CHECK(memcmp(name.bytes, "cases/", 6) == 0 || kp_text_equal(file, text));
        count++;
    }
    CHECK(count > 20);
    CHECK_INT(table.len, 0);
    cf_arena_deinit(&arena);
}

static void it_reads_as_the_folder_does(void)
{
    struct cf_suite built = {.arena.mem = cf_libc_mem()};
    struct cf_suite read = {.arena.mem = cf_libc_mem()};

    CHECK_INT(cf_suite_load(&built, NULL), KP_OK);
    CHECK_INT(cf_suite_load(&read, "conformance/cases"), KP_OK);
    if (CHECK_INT(built.case_count, read.case_count))
        for (size_t i = 0; i < built.case_count; i++) {
            CHECK(kp_text_equal(built.cases[i].id, read.cases[i].id));
            CHECK(kp_text_equal(built.cases[i].topic, read.cases[i].topic));
            CHECK_STRING(built.cases[i].file, read.cases[i].file);
            CHECK_INT(built.cases[i].at.line, read.cases[i].at.line);
            CHECK_TEXT(cf_node_json(&built.arena, built.cases[i].node),
                       cf_node_json(&read.arena, read.cases[i].node));
        }
    cf_suite_deinit(&built);
    cf_suite_deinit(&read);
}

const struct unit_test builtin_test[] = {
    {"each file is the one in the tree", each_file_is_the_one_in_the_tree},
    {"it reads as the folder does", it_reads_as_the_folder_does},
    {0},
};
