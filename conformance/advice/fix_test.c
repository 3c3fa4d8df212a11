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
        const struct cf_fix fix = {
            .of[KP_LIVENESS] = {.fields = CF_FIX_FAILURE, .probe.failure_threshold = 3}};
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK_TEXT(
            cf_fix_text(&arena, &container, &fix),
            cf_arena_format(&arena, "%s  livenessProbe:\n    failureThreshold: 3\n", rows[i].yaml));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test fix_test[] = {
    {"a name that YAML takes for something else is quoted",
     a_name_that_yaml_takes_for_something_else_is_quoted},
    {0},
};
