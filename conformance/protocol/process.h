/*
 * process.h: a child that talks in lines over pipes: started in a process group of its own, asked
 * with a deadline, and ended with everything that it started.
 *
 * Whatever the child does, a call returns: it may flood stderr, stop reading, die, fork, ignore
 * SIGTERM.
 */
#pragma once

#include "conformance/text/out.h"

#include <sys/types.h>

#define CF_STDERR_TAIL 2048

struct cf_process {
    pid_t pid; /* 0: none runs */
    int to;
    int from;
    int err;                   /* -1: it closed its stderr */
    struct cf_out held;        /* read and not yet taken */
    size_t taken;              /* bytes of it that were */
    char tail[CF_STDERR_TAIL]; /* the end of what it logged */
    size_t tail_len;
    int slice_ms;      /* the longest wait at once; 0: 50, and late_ns is not measured */
    int64_t late_ns;   /* the worst delay by the machine while the current line was awaited */
    int sched;         /* its queue for a processor, where the system has one; else -1 */
    int64_t queued_ns; /* what it has spent there in all */
    bool forced;       /* it did not leave by itself when it was stopped */
};

enum cf_talk {
    CF_TALK_OK,
    CF_TALK_ENDED,      /* it died, or closed its stdout */
    CF_TALK_TIMEOUT,    /* no whole line in time */
    CF_TALK_TOO_LONG,   /* a line beyond CF_LINE_BYTES_MAX */
    CF_TALK_STRAY,      /* it had spoken before a request */
    CF_TALK_INTERRUPTED /* cf_interrupt was called */
};

/*
 * Start a command, found along PATH.  From now on this program ignores SIGPIPE: a child may close
 * its stdin at any time.
 *
 * argv:     ended by NULL.
 * Returns:  0, or the errno that says why not: nothing runs then.
 */
int cf_process_start(struct cf_process *process, char *const *argv);

/*
 * Say something and wait for one line.
 *
 * request:  sent as it is: ends with a newline.
 * line:     out, without its newline; borrowed until the next call.
 */
enum cf_talk cf_process_ask(struct cf_process *process, struct kp_text request, int timeout_ms,
                            struct kp_text *line);
/* How many bytes of a line came whose newline did not. */
size_t cf_process_begun(const struct cf_process *process);
/* What it said unasked up to now, or a part of it; borrowed until the next call. */
struct kp_text cf_process_stray(struct cf_process *process);

/*
 * End it and all of its group, and reap it.
 *
 * patience_ms: how long it may take to leave by itself once its stdin is closed; then comes
 * SIGTERM, and after as long again SIGKILL.  0: SIGKILL at once.
 * Returns:  its wait status; -1: none ran.
 */
int cf_process_stop(struct cf_process *process, int patience_ms);

/* "exited with code 3", "was killed by signal 11 (Segmentation fault)"; buf holds 80 bytes. */
const char *cf_process_describe(int wait_status, char *buf, size_t size);

/*
 * For the whole program: adopt what children leave behind, so that cf_process_sweep can find it,
 * and give them a TMPDIR of their own; let SIGINT and SIGTERM interrupt.
 */
void cf_process_setup(void);
/* Kill and reap every descendant that is left, and remove that TMPDIR; call when no process runs
 * any more. */
void cf_process_sweep(void);
bool cf_interrupted(void);
