#include "conformance/text/inputs.h"

#include "conformance/text/cli.h"
#include "conformance/text/print.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 32, FILES_MAX = 10000 };

struct finding {
    struct cf_arena *arena;
    struct cf_inputs *out;
    size_t room;
};

static bool add(struct finding *finding, const char *path)
{
    struct cf_inputs *out = finding->out;

    const char **paths =
        cf_arena_grow(finding->arena, out->paths, &finding->room, out->count, sizeof *paths);

    if (!paths)
        return false;
    out->paths = paths;
    out->paths[out->count++] = path;
    return true;
}

/* A word may be a link to a folder; a link in a folder is not followed to another. */
static bool is_folder(const char *path, int (*look)(const char *path, struct stat *status))
{
    struct stat status;

    return look(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool has_ending(const char *path)
{
    struct kp_text name = kp_text_of(path);

    name.len -= kp_text_ends(name, ".gz") ? sizeof ".gz" - 1 : 0;
    return kp_text_ends(name, ".yaml") || kp_text_ends(name, ".yml") || kp_text_ends(name, ".json");
}

static int by_name(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;

    return strcmp(*left, *right);
}

/* The names in a folder, sorted; NULL: it cannot be read. */
static struct cf_inputs *names_of(struct cf_arena *arena, const char *path)
{
    struct cf_inputs *names = cf_arena_alloc(arena, sizeof *names);
    struct finding finding = {arena, names, 0};
    DIR *folder = opendir(path);
    const struct dirent *entry;

    if (!folder || !names) {
        if (folder)
            closedir(folder);
        return NULL;
    }
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            add(&finding, cf_arena_text(arena, kp_text_of(entry->d_name)).bytes);
    closedir(folder);
    if (names->count > 0)
        qsort(names->paths, names->count, sizeof *names->paths, by_name);
    return names;
}

static int go_through(struct finding *finding, const char *command, const char *path, int depth)
{
    struct cf_inputs *names = depth < DEPTH_MAX ? names_of(finding->arena, path) : NULL;

    if (!names) {
        cf_print(stderr, "%s: %s\n", path,
                 depth < DEPTH_MAX ? strerror(errno) : "folders in one another without end");
        return CF_EXIT_USAGE;
    }
    for (size_t i = 0; i < names->count; i++) {
        const char *below = cf_arena_format(finding->arena, "%s/%s", path, names->paths[i]).bytes;
        int code = CF_EXIT_OK;

        if (!below)
            return cf_no_memory(command);
        if (is_folder(below, lstat))
            code = go_through(finding, command, below, depth + 1);
        else if (has_ending(below) && finding->out->count == FILES_MAX)
            code = cf_usage(command, "%s: more than %d files", path, FILES_MAX);
        else if (has_ending(below) && !add(finding, below))
            code = cf_no_memory(command);
        if (code != CF_EXIT_OK)
            return code;
    }
    return CF_EXIT_OK;
}

static bool is_among(char **words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], words[count]) == 0)
            return true;
    return false;
}

int cf_inputs_find(struct cf_arena *arena, const char *command, char **words, int count,
                   struct cf_inputs *out)
{
    struct finding finding = {arena, out, 0};

    *out = (struct cf_inputs){0};
    for (int i = 0; i < count; i++) {
        size_t before = out->count;
        int code = CF_EXIT_OK;

        if (words[i][0] == '\0')
            return cf_usage(command, "the name of a file is empty");
        if (i > 0 && strcmp(words[i], "-") == 0 && is_among(words, i))
            return cf_usage(command, "-, standard input, is given twice");
        if (!is_folder(words[i], stat)) {
            if (!add(&finding, words[i]))
                return cf_no_memory(command);
            continue;
        }
        code = go_through(&finding, command, words[i], 0);
        if (code != CF_EXIT_OK)
            return code;
        if (out->count == before) {
            cf_print(stderr,
                     "%s: no .yaml, .yml or .json file; is it `kubectl kustomize %s | "
                     "probetest %s -`?\n",
                     words[i], words[i], command);
            return CF_EXIT_USAGE;
        }
    }
    return CF_EXIT_OK;
}
