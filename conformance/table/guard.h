/*
 * guard.h: that a table in a folder is whole: each file held against MANIFEST, in sha256sum's
 * format, where the folder has one.  A release's table as data has.
 */
#pragma once

#include "conformance/text/arena.h"

/* A file and the hash that it must have. */
struct cf_guarded {
    struct kp_text name;
    struct kp_text hash;
    bool seen;
};

struct cf_guard {
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
