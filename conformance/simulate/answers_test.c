/* answers_test.c: what `simulate`, `budget` and `lint` tell, as the documentation and
 * conformance/answers say it. */
#include "conformance/text/cli.h"
#include "conformance/text/file.h"
#include "fakes/unit.h"
#include "fakes/unit_command.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20, TEXT_MAX = 1 << 16 };

/* Until there: its table, line by line, is not told. */
static size_t up_to_table(const char *text)
{
    const char *table = strstr(text, "\n         TIME  READY");
    size_t len = table ? (size_t)(table - text) + 1 : strlen(text);

    while (len > 1 && text[len - 1] == '\n' && text[len - 2] == '\n')
        len--;
    return len;
}

static void check_command(const char *where, const char *line, size_t (*until)(const char *text),
                          struct kp_text want)
{
    const char *name_end = strchr(line, ' ');
    char name[20] = "";
    const struct cf_command *command;
    struct unit_said said;

    memcpy(name, line, name_end && name_end - line < 20 ? (size_t)(name_end - line) : 0);
    command = cf_command_find(name);
    if (!CHECK(command != NULL))
        return;
    said = unit_command(command->run, line, NULL);
    if (CHECK(said.out != NULL && said.err != NULL)) {
        CHECK_STRING(said.err, "");
        if (!CHECK_TEXT(((struct kp_text){said.out, until(said.out)}), want))
            printf("  %s: %s\n", where, line);
    }
    unit_said_free(&said);
}

/* ---- conformance/answers ----------------------------------------------------------------------
 */

/* `# $ probetest WORDS` in the second line, what it tells behind `# > `. */
static void check_answer(struct cf_arena *arena, const char *path)
{
    char want[TEXT_MAX] = "";
    char line[600] = "";
    struct kp_text bytes;
    const char *rest;

    if (!CHECK(cf_file_read(arena, path, BYTES_MAX, &bytes) == NULL))
        return;
    rest = cf_arena_text(arena, bytes).bytes;
    for (; (rest = strchr(rest, '\n')) && rest[1] == '#'; rest++) {
        const char *end = strchr(rest + 1, '\n');
        int len = (int)(end - rest - 1);

        if (strncmp(rest, "\n# $ probetest ", 15) == 0)
            snprintf(line, sizeof line, "%.*s %s", len - 14, rest + 15, path);
        else if (strncmp(rest, "\n# >", 4) == 0)
            snprintf(want + strlen(want), sizeof want - strlen(want), "%.*s\n",
                     len > 4 ? len - 4 : 0, rest + 5);
    }
    check_command(path, line, up_to_table, kp_text_of(want));
}

/* A test each, so that a change is tried on those alone that it bears on. */
#define ANSWERS(X)                                                                                 \
    X(dependency_down)                                                                             \
    X(drain)                                                                                       \
    X(exec_timeout_airflow)                                                                        \
    X(exec_timeout_new)                                                                            \
    X(exec_timeout_old)                                                                            \
    X(flapping)                                                                                    \
    X(gc_pause)                                                                                    \
    X(hang)                                                                                        \
    X(hang_long_grace)                                                                             \
    X(hang_probe_grace)                                                                            \
    X(hang_tcp)                                                                                    \
    X(hang_tcp_backlog)                                                                            \
    X(jvm_boot)                                                                                    \
    X(kubelet_restart)                                                                             \
    X(migration)                                                                                   \
    X(migration_300s)                                                                              \
    X(slow_answers)                                                                                \
    X(slow_start_argocd)                                                                           \
    X(slow_start_boot_budget)                                                                      \
    X(slow_start_camel_k)                                                                          \
    X(slow_start_defaults)                                                                         \
    X(slow_start_lakefs)                                                                           \
    X(slow_start_neutron)                                                                          \
    X(slow_start_one_failure)                                                                      \
    X(startup_probe)

static void answer(const char *name)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    char path[300];

    snprintf(path, sizeof path, "conformance/answers/%s.yaml", name);
    for (char *at = path; *at; at++)
        *at = *at == '_' ? '-' : *at;
    check_answer(&arena, path);
    cf_arena_deinit(&arena);
}

#define TEST(name)                                                                                 \
    static void answer_##name(void)                                                                \
    {                                                                                              \
        answer(#name);                                                                             \
    }
ANSWERS(TEST)
#undef TEST

static void every_answer_is_tried(void)
{
#define ONE(name) +1
    const int tried = ANSWERS(ONE);
#undef ONE
    struct dirent *entry;
    DIR *folder = opendir("conformance/answers");
    int files = 0;

    while (folder && (entry = readdir(folder)))
        files += strstr(entry->d_name, ".yaml") != NULL;
    if (folder)
        closedir(folder);
    CHECK_INT(tried, files);
}

/* ---- pages ------------------------------------------------------------------------------------
 */

static size_t lines_max; /* of what a page shows */

static size_t up_to_lines(const char *text)
{
    const char *at = text;

    for (size_t i = 0; *at && i < lines_max; i++)
        at = strchr(at, '\n') + 1;
    return (size_t)(at - text);
}

/* `$ probetest WORDS [| head -N] [# why]`, and what it tells until the block's end, or an empty
 * line before the next command. */
static bool check_block(const char *path, const char *at)
{
    const char *end = strchr(at, '\n') + 1;
    const char *stop = strstr(end, "```");
    const char *next = strstr(end - 1, "\n$ ");
    const char *head;
    char line[600];
    char *cut;

    snprintf(line, sizeof line, "%.*s", (int)(end - 1 - at), at);
    if ((cut = strstr(line, " #")))
        *cut = '\0';
    head = strstr(line, " | head -");
    if (!head && strchr(line, '|'))
        return false;
    lines_max = head ? strtoul(head + 9, NULL, 10) : SIZE_MAX;
    if ((cut = strstr(line, " | ")))
        *cut = '\0';
    if (strncmp(line, "lint", 4) != 0 && strncmp(line, "budget", 6) != 0 &&
        strncmp(line, "simulate", 8) != 0)
        return false;
    if (next && next < stop)
        stop = next + 1;
    if (stop[-2] == '\n')
        stop--;
    check_command(path, line, up_to_lines, (struct kp_text){end, (size_t)(stop - end)});
    return true;
}

static void show_page(const char *path, int wanted)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct kp_text bytes;
    int blocks = 0;

    if (CHECK(cf_file_read(&arena, path, BYTES_MAX, &bytes) == NULL)) {
        const char *at = cf_arena_text(&arena, bytes).bytes;

        while ((at = strstr(at, "\n$ probetest "))) {
            at += 13;
            blocks += check_block(path, at);
        }
    }
    CHECK_INT(blocks, wanted);
    cf_arena_deinit(&arena);
}

static void the_readme_is_right(void)
{
    show_page("README.md", 1);
}

static void the_page_of_simulate_is_right(void)
{
    show_page("docs/simulate.md", 4);
}

static void the_page_of_lint_is_right(void)
{
    show_page("docs/lint.md", 2);
}

static void the_questions_are_answered(void)
{
    show_page("docs/faq.md", 2);
}

static void the_page_of_scripts_is_right(void)
{
    show_page("docs/scripts.md", 2);
}

const struct unit_test answers_test[] = {
#define ROW(name) {"conformance/answers: " #name, answer_##name},
    ANSWERS(ROW)
#undef ROW
        {"every answer is tried", every_answer_is_tried},
    {"the README is right", the_readme_is_right},
    {"the page of simulate is right", the_page_of_simulate_is_right},
    {"the page of lint is right", the_page_of_lint_is_right},
    {"the questions are answered", the_questions_are_answered},
    {"the page of scripts is right", the_page_of_scripts_is_right},
    {0},
};
