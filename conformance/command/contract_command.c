#include "conformance/command/contract_command.h"

#include "conformance/table/guard.h"
#include "conformance/table/standing.h"
#include "conformance/text/cli.h"
#include "conformance/text/say.h"

#include <getopt.h>

static int put(const struct cf_suite *suite)
{
    struct cf_out out = {0};
    size_t count = cf_put_contract(&out, suite);

    if (count > 0) {
        cf_out_printf(&out, "\n%zu cases: probetest run --tier contract -- ADAPTER ARGS...\n",
                      count);
        cf_say_text(stdout, cf_out_text(&out));
    }
    cf_out_deinit(&out);
    return count > 0 ? CF_EXIT_OK : cf_usage("contract", "this table has no contract");
}

int cf_contract_command(int argc, char **argv)
{
    const char *cases = cf_cases_folder();
    const struct cf_option options[] = {{"cases", .word = &cases}, {0}};
    int exit = cf_read_options("contract", argc, argv, options, NULL);
    struct cf_suite suite;

    if (exit >= 0)
        return exit;
    if (optind < argc)
        return cf_usage("contract", "'%s': it takes no selection", argv[optind]);
    cf_suite_init(&suite, cf_libc_mem());
    if (cf_suite_load(&suite, cases) == KP_OK) {
        exit = put(&suite);
    } else {
        cf_suite_complain(&suite);
        exit = CF_EXIT_SUITE;
    }
    cf_suite_deinit(&suite);
    return exit;
}
