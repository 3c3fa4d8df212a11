/*
 * manifest_file.h: a file of pods as the commands take it: what is wrong with it stands on stderr,
 * a line each.
 */
#pragma once

#include "conformance/pod/manifest.h"

struct cf_manifest_file {
    const char *name; /* for errors */
    struct kp_text bytes;
    const char *only; /* the one pod that is asked for (--pod); NULL: all */
    bool among;       /* other files are read, too: this one need not have a pod */
};

/*
 * Read the bytes of a file, or of standard input where the path is "-".
 *
 * path:     borrowed as long as `out` is used.
 * out:      its bytes are the arena's.
 * Returns:  CF_EXIT_OK; CF_EXIT_USAGE, after a line on stderr.
 */
int cf_manifest_file_open(struct cf_arena *arena, const char *path, struct cf_manifest_file *out);

/*
 * The pods in it, as one version has them.
 *
 * command:  whose error it is where memory runs out.
 * Returns:  CF_EXIT_OK, perhaps with warnings on stderr; also where out->empty, if it is one among
 *           others; CF_EXIT_USAGE, after a line there.
 */
int cf_manifest_file_read(struct cf_arena *arena, const char *command,
                          const struct kp_profile *profile, const struct cf_manifest_file *file,
                          struct cf_manifest *out);

/*
 * Of files that were read, report how many have no pod, or that none has the one that is wanted.
 *
 * only:     its name, or NULL.
 * Returns:  CF_EXIT_USAGE where none of them has any; else CF_EXIT_OK.
 */
int cf_manifest_print_empty(const char *command, const char *only, size_t empty, size_t files);
