/* contract_command.c: `probetest contract`: what the documentation promises, with its cases. */
#include "conformance/table/guard.h"
#include "conformance/table/standing.h"
#include "conformance/text/cli.h"
#include "conformance/text/print.h"

#include <getopt.h>

static const char opening[] =
    "What Kubernetes' documentation promises of probes: what a user may rely on in\n"
    "anything that says that it implements them. What a kubelet does besides is not\n"
    "here.\n"
    "\n"
    "Under each sentence stand its cases (`probetest show contract-leaves`), which\n"
    "speak in windows of time, and the rules behind it with the place that promises\n"
    "them. P- are rules of probes, S- of what follows from their results, D- of fields\n"
    "that are left out, E- of ports (`probetest explain P-039` has one whole).\n"
    "\n"
    "The places: \"reference\" is the API reference of core/v1; \"probes\" is the page\n"
    "Liveness, Readiness, and Startup Probes (before: Configure ...), \"lifecycle\" the\n"
    "page Pod Lifecycle, \"init containers\" the page of that name, all of\n"
    "kubernetes.io/docs; KEP-n is a proposal of kubernetes/enhancements.\n"
    "\n"
    "Two sentences of the page \"probes\" are not here, since no kubelet keeps them:\n"
    "that the delays of liveness and readiness begin once a startup probe has\n"
    "succeeded (they begin with the container: P-043), and that 11 redirects are a\n"
    "success (the chain ends with the tenth request, which is a failure: P-010).\n"
    "\n";

static int put(const struct cf_suite *suite)
{
    struct cf_out out = {0};
    size_t count;

    cf_out_put_string(&out, opening);
    count = cf_put_contract(&out, suite);

    if (count > 0) {
        cf_out_printf(&out, "\n%zu cases: probetest run --tier contract -- ADAPTER ARGS...\n",
                      count);
        cf_print_text(stdout, cf_out_text(&out));
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
    exit = cf_suite_open(&suite, cases);
    if (exit == CF_EXIT_OK)
        exit = put(&suite);
    cf_suite_deinit(&suite);
    return exit;
}
