/*
 * guard.h: where the table is, and that it is whole: the hash of each of its files.
 *
 * The table that belongs to the command (conformance/cases, or where it was installed) is held
 * against the hashes that were taken when the command was built, so whoever adds a case touches one
 * file and runs `make`.  Any other folder is held against its file MANIFEST, in sha256sum's format,
 * if it has one; `make install` writes one beside the cases.
 */
#ifndef CF_GUARD_H
#define CF_GUARD_H

#include "conformance/text/arena.h"

/* Where the table is: $PROBETEST_CASES, conformance/cases, or where it was installed. */
const char *cf_cases_folder(void);

/* A file and the hash that it must have. */
struct cf_guarded {
    struct kp_text name;
    struct kp_text hash;
    bool seen;
};

struct cf_guard {
    bool own;     /* the folder is the command's */
    bool guarded; /* there is a manifest at all */
    struct cf_guarded *files;
    size_t count;
};

/* Take up the manifest of a folder.  Returns: NULL, or what is wrong with it; in the arena. */
const char *cf_guard_begin(struct cf_guard *guard, struct cf_arena *arena, const char *folder);
/* A file of the folder.  Returns: NULL, or why it is not what the manifest says. */
const char *cf_guard_check(struct cf_guard *guard, const char *name, struct kp_text text);
/* The next file that the manifest has and the folder has not, or NULL. */
const char *cf_guard_missing(struct cf_guard *guard, struct cf_arena *arena);

#endif
