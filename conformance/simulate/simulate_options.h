/* simulate_options.h: the command line of `simulate`. */
#ifndef CF_SIMULATE_OPTIONS_H
#define CF_SIMULATE_OPTIONS_H

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
    enum cf_colour colour;
    const char *script;
    struct cf_out answers; /* a line each */
    const char *pod;
    int64_t for_ns;
    int64_t pull_ns;
    struct cf_versions versions;
    enum cf_sim_format format;
    bool every_probe;
    bool worst_case;
};

/* Read it.  Returns: an exit code, or -1: go on. */
int cf_sim_options_read(struct cf_sim_options *asked, int argc, char **argv);

#endif
