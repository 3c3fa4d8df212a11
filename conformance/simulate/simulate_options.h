/* simulate_options.h: the command line of `simulate`. */
#pragma once

#include "conformance/simulate/sim_page.h"
#include "conformance/simulate/worlds.h"
#include "conformance/text/human.h"
#include "conformance/text/versions.h"

enum { CF_SAID_MAX = 32 };

struct cf_sim_options {
    char **files;
    int file_count;
    struct cf_world_said said[CF_SAID_MAX];
    size_t said_count;
    bool patch;
    size_t columns;
    int colour; /* enum cf_colour */
    const char *script;
    struct cf_out answers; /* a line each */
    const char *pod;
    int64_t for_ns;
    int64_t pull_ns;
    struct cf_versions versions;
    int format; /* enum cf_sim_format */
    bool every_probe;
    bool worst_case;
};

/* Read it.  Returns: an exit code, or -1: go on. */
int cf_sim_options_read(struct cf_sim_options *args, int argc, char **argv);

/* Where that stands which is laid over what is assumed, or the pod alone. */
const char *cf_sim_source_name(const struct cf_sim_options *options);

/* Of the pods on each version: those without the container that an option means. */
struct cf_sim_left_out {
    size_t pods; /* all of them */
    size_t without;
    struct kp_text container; /* the last that was not there */
};

/* Say so.  Returns: an exit code: a container that no pod has is a usage error. */
int cf_sim_print_left_out(const struct cf_sim_left_out *left_out, size_t versions);
