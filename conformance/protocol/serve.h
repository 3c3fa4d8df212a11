/*
 * serve.h: the built-in engine behind the adapter protocol, so that other runners can be tried
 * against it, and it is judged through the same interface as everybody else.
 */
#pragma once

#include "core/base/mem.h"
#include "core/base/text.h"

struct cf_serve;

/* mem: outlives it.  NULL: no memory. */
struct cf_serve *cf_serve_new(const struct kp_mem *mem);
void cf_serve_free(struct cf_serve *serve);

/*
 * Answer one request.
 *
 * line:     without its newline; any bytes at all.
 * Returns:  the reply with its newline, borrowed until the next call.  Always exactly one line.
 */
struct kp_text cf_serve_line(struct cf_serve *serve, struct kp_text line);
