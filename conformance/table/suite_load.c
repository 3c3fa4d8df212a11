/* suite_load.c: where the table comes from: a folder, or the command itself. */
#include "conformance/table/builtin.h"
#include "conformance/table/case_read.h"
#include "conformance/table/guard.h"
#include "conformance/text/cli.h"
#include "conformance/text/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CASE_FILE_BYTES_MAX ((size_t)4 << 20)

static enum kp_err load_file(struct cf_suite *suite, struct cf_guard *guard, const char *folder,
                             const char *name)
{
    const char *path = cf_arena_format(&suite->arena, "%s/%s", folder, name).bytes;
    struct kp_text text = KP_TEXT_NONE;
    const char *why = path ? cf_file_read(&suite->arena, path, CASE_FILE_BYTES_MAX, &text) : NULL;
    struct cf_reading reading = {.suite = suite, .arena = &suite->arena, .file = path};
    enum kp_err err;

    if (suite->arena.failed)
        return KP_ENOMEM;
    if (why) {
        cf_fault_at(&reading, (struct cf_place){0, 0}, "cannot be read: %s", why);
        return KP_EINPUT;
    }
    err = cf_suite_add(suite, path, text);
    why = cf_guard_check(guard, name, text);
    if (!why || err == KP_ENOMEM)
        return err;
    cf_fault_at(&reading, (struct cf_place){0, 0}, "%s", why);
    return KP_EINPUT;
}

/* ---- the files of a folder ------------------------------------------------------------------- */

#define FOLDERS_DEEP 2 /* (layer)/(topic).yaml, and one more */

struct file_list {
    const char **names; /* below the folder: "pod/kill.yaml" */
    size_t count;
    size_t cap;
};

static int is_wanted(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_folder(const char *path)
{
    struct stat what;

    return lstat(path, &what) == 0 && S_ISDIR(what.st_mode);
}

static bool is_case_file(const char *name)
{
    size_t len = strlen(name);

    return len > 5 && strcmp(name + len - 5, ".yaml") == 0;
}

static void add_file(struct cf_arena *arena, struct file_list *list, const char *name)
{
    const char **names = cf_arena_grow(arena, list->names, &list->cap, list->count, sizeof *names);

    if (!names)
        return;
    list->names = names;
    list->names[list->count++] = name;
}

/*
 * Add the case files of a folder and of the folders in it, in the order of their names.  A link to
 * a folder is not followed.
 *
 * Returns:  false: it cannot be read, and errno says why.
 */
static bool list_files(struct cf_arena *arena, const char *folder, const char *below, int deep,
                       struct file_list *list)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_wanted, by_bytes);

    for (int i = 0; i < count; i++) {
        const char *name = cf_arena_format(arena, "%s%s", below, entries[i]->d_name).bytes;
        const char *path = cf_arena_format(arena, "%s/%s", folder, entries[i]->d_name).bytes;

        free(entries[i]);
        if (!name || !path)
            continue;
        if (is_case_file(name))
            add_file(arena, list, name);
        else if (deep > 0 && is_folder(path))
            list_files(arena, path, cf_arena_format(arena, "%s/", name).bytes, deep - 1, list);
    }
    free(entries);
    return count >= 0;
}

static enum kp_err add_folder_fault(struct cf_suite *suite, const char *folder, const char *error)
{
    struct cf_reading reading = {.suite = suite, .arena = &suite->arena, .file = NULL};

    reading.file = cf_arena_text(&suite->arena, kp_text_of(folder)).bytes;
    cf_fault_at(&reading, (struct cf_place){0, 0}, "%s", error);
    return KP_EINPUT;
}

/* Is anything of the manifest not there? */
static enum kp_err find_missing(struct cf_suite *suite, struct cf_guard *guard, const char *folder)
{
    enum kp_err err = KP_OK;

    for (const char *name; (name = cf_guard_missing(guard, &suite->arena)) != NULL;)
        err = add_folder_fault(suite, cf_arena_format(&suite->arena, "%s/%s", folder, name).bytes,
                               "it is gone: MANIFEST has it");
    return err;
}

const char *cf_cases_folder(void)
{
    const char *said = getenv("PROBETEST_CASES");

    if (said && said[0])
        return said;
    return access("conformance/cases/README.md", R_OK) == 0 ? "conformance/cases" : NULL;
}

/* The table that is built in, as if it were read from the tree. */
static enum kp_err load_builtin(struct cf_suite *suite)
{
    struct kp_text table = cf_builtin_table(&suite->arena);
    enum kp_err worst = KP_OK;
    struct kp_text name;
    struct kp_text text;

    suite->folder = "conformance/cases";
    while (cf_builtin_next(&table, &name, &text)) {
        const char *path = cf_arena_format(&suite->arena, "conformance/%.*s", KP_ARG(name)).bytes;
        enum kp_err err = KP_OK;

        if (!path)
            err = KP_ENOMEM;
        else if (strncmp(path, suite->folder, strlen(suite->folder)) == 0)
            err = cf_suite_add(suite, path, text);
        if (err != KP_OK && worst != KP_ENOMEM)
            worst = err;
    }
    return suite->arena.failed ? KP_ENOMEM : worst;
}

static enum kp_err load_folder(struct cf_suite *suite, const char *folder)
{
    struct file_list list = {0};
    struct cf_guard guard;
    const char *error;
    bool listed = list_files(&suite->arena, folder, "", FOLDERS_DEEP, &list);
    enum kp_err worst = KP_OK;

    if ((!listed && errno == ENOMEM) || suite->arena.failed) {
        suite->arena.failed = true;
        return KP_ENOMEM;
    }
    if (!listed)
        return add_folder_fault(suite, folder, "no such folder of cases; --cases names it");
    suite->folder = folder;
    error = cf_guard_begin(&guard, &suite->arena, folder);
    if (error)
        worst = add_folder_fault(suite, cf_arena_format(&suite->arena, "%s/MANIFEST", folder).bytes,
                                 error);
    for (size_t i = 0; i < list.count; i++) {
        enum kp_err err = load_file(suite, &guard, folder, list.names[i]);

        if (err != KP_OK && worst != KP_ENOMEM)
            worst = err;
    }
    if (find_missing(suite, &guard, folder) != KP_OK && worst == KP_OK)
        worst = KP_EINPUT;
    return worst == KP_OK && suite->case_count == 0
               ? add_folder_fault(suite, folder, "no case in this folder")
               : worst;
}

enum kp_err cf_suite_load(struct cf_suite *suite, const char *folder)
{
    return folder ? load_folder(suite, folder) : load_builtin(suite);
}

int cf_suite_open(struct cf_suite *suite, const char *folder)
{
    *suite = (struct cf_suite){.arena.mem = cf_libc_mem()};
    if (cf_suite_load(suite, folder) == KP_OK)
        return CF_EXIT_OK;
    cf_suite_print_faults(suite);
    return CF_EXIT_SUITE;
}
