/*
 * shell.h: what the simplest of containers do, read from their own command.
 *
 * Tutorials run `sh -c "touch F; sleep 30; rm -rf F; sleep 600"` and probe with `cat F`.  Such a
 * script says all that a simulation needs: which files are there when, and when the container ends.
 * What is not that simple is left alone.
 */
#pragma once

#include "core/base/mem.h"
#include "core/model/trace.h"

/* A file that comes or goes at an age of the container. */
struct fake_file_change {
    int64_t age_ns;
    struct kp_text path; /* borrowed from the command */
    bool exists;
};

#define FAKE_FILE_CHANGES 64

struct fake_shell {
    struct fake_file_change changes[FAKE_FILE_CHANGES];
    size_t change_count;
    int64_t ends_ns; /* age at which the script ends by itself, or KP_NEVER */
    int32_t exit_code;
};

/*
 * Read a container's command and args.
 *
 * Understood: sh -c (or bash, ash, /bin/sh ...) of touch, rm, sleep, echo, true, false, exit, `>
 * FILE`, joined by ; && or newlines, and an endless loop of sleeps at the end. Returns:  false: it
 * is something else, and nothing is known of it.
 */
bool fake_shell_read(struct fake_shell *shell, const struct kp_container *container);

/*
 * What an exec probe finds in such a container.
 *
 * age_ns:   since the container's start.
 * code:     out: the exit code.
 * output:   what the command prints; put into buf.
 * Returns:  false: the command is not one that only looks at files (cat, ls, test, stat, `[`), so
 * nothing is known.
 */
bool fake_shell_exec(const struct fake_shell *shell, const struct kp_text_list *command,
                     int64_t age_ns, int32_t *code, struct kp_buf *output);
