#include "conformance/advice/fix.h"
#include "fakes/unit.h"

static void a_name_that_yaml_takes_for_something_else_is_quoted(void)
{
    static const struct row {
        const char *name;
        const char *yaml;
    } rows[] = {
        {"web", "containers:\n- name: web\n"},       {"0x10", "containers:\n- name: \"0x10\"\n"},
        {"1e3", "containers:\n- name: \"1e3\"\n"},   {"no", "containers:\n- name: \"no\"\n"},
        {"null", "containers:\n- name: \"null\"\n"}, {"no-one", "containers:\n- name: no-one\n"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kp_container container = {.name = kp_text_of(rows[i].name),
                                               .kind = KP_REGULAR};
        struct cf_out out = {0};

        cf_fix_begin(&out, &container);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].yaml));
        cf_out_deinit(&out);
    }
}

const struct unit_test fix_test[] = {
    {"a name that YAML takes for something else is quoted",
     a_name_that_yaml_takes_for_something_else_is_quoted},
    {0},
};
