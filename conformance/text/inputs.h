/* inputs.h: the files that a command line names: files, folders, and - for standard input. */
#pragma once

#include "conformance/text/arena.h"

struct cf_inputs {
    const char **paths;
    size_t count;
};

/*
 * Folders are gone through: their .yaml, .yml and .json files, packed with gzip or not, by name,
 * and those of folders in them; what begins with a dot is passed over.
 *
 * command:  whose error it is.
 * out:      in the arena, but for the words themselves.
 * Returns:  CF_EXIT_OK; CF_EXIT_USAGE, after a line on stderr: a folder cannot be read, or has no
 *           such file.
 */
int cf_inputs_find(struct cf_arena *arena, const char *command, char **words, int count,
                   struct cf_inputs *out);
