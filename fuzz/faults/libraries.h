/*
 * libraries.h: the memory of the libraries below the handlers: it fails where it is told to, in
 * the thread that told, and what is not given back is counted.
 */
#pragma once

#include "fakes/alloc.h"

#include <stdbool.h>

enum library { LIBCURL, OPENSSL };

/* Before anybody uses them; false: they did not take it. */
bool libraries_begin(void);
/* From now on a library's allocations are counted, and fail, as `state` says; NULL: none. */
void libraries_watch(enum library library, struct fake_alloc *state);
