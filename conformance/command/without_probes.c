/*
 * without_probes.c: what stands in for real probes and fault servers where `make PROBES=0` left
 * them out, and with them libcurl, OpenSSL and nghttp2.  The Makefile names what it stands for.
 */
#include "conformance/fire/fire.h"
#include "conformance/protocol/questions.h"
#include "conformance/text/cli.h"
#include "conformance/text/print.h"

#include <errno.h>
#include <stdio.h>

#define WITHOUT "this probetest was built without real probes (make PROBES=0)"

int cf_probe_command(int argc, char **argv)
{
    (void)argc;
    cf_print(stderr, "probetest %s: " WITHOUT "\n", argv[0]);
    return CF_EXIT_USAGE;
}

bool cf_has_probes(void)
{
    return false;
}

bool cf_question_fire(struct cf_reader *reader, const struct kp_profile *profile,
                      const struct cf_node *request, struct cf_out *ok)
{
    (void)profile;
    (void)request;
    (void)ok;
    return cf_reader_fail(reader, WITHOUT);
}

/* run.c asks cf_has_probes() first. */
bool cf_fire_play(const struct cf_case *item, struct cf_subject *subject, struct kp_text version,
                  int slower, struct cf_arena *arena, struct cf_fire_seen *seen)
{
    (void)item;
    (void)subject;
    (void)version;
    (void)slower;
    (void)arena;
    *seen = (struct cf_fire_seen){0};
    errno = ENOTSUP;
    return false;
}

void cf_fire_judge(const struct cf_case *item, const struct cf_fire_seen *seen,
                   const bool parts[CF_FIRE_PARTS], struct cf_arena *arena, struct cf_outcome *out)
{
    (void)item;
    (void)seen;
    (void)parts;
    (void)arena;
    *out = (struct cf_outcome){.verdict = CF_NOT_RUN, .why = KP_TEXT(WITHOUT)};
}

int cf_fire_slower(void)
{
    return 1;
}
