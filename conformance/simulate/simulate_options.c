#include "conformance/simulate/simulate_options.h"

#include "conformance/text/cli.h"
#include "conformance/text/print.h"

#include <getopt.h>
#include <string.h>

#define NAME "simulate"
#define WORST_MAX_NS (3600 * KP_NS_PER_S)

static int read_answers(void *ctx, const struct cf_option *option, const char *word)
{
    struct cf_sim_options *options = ctx;

    (void)option;
    if (!strchr(word, ':'))
        return cf_usage(NAME, "--answers: '%s' is no CONTAINER/TYPE: ANSWERS", word);
    cf_out_printf(&options->answers, "%s\n", word);
    return CF_EXIT_OK;
}

/* "90s", or "api=90s" of one container. */
static int read_world(void *ctx, const struct cf_option *option, const char *word)
{
    struct cf_sim_options *options = ctx;
    struct cf_world_said *said = &options->said[options->said_count];
    const char *equals = strchr(word, '=');

    if (options->said_count == CF_SAID_MAX)
        return cf_usage(NAME, "--%s: that is more than %d worlds", option->name, CF_SAID_MAX);
    if (equals && option->kind == CF_DELETED_AT)
        return cf_usage(NAME, "--deleted-at: a pod is deleted with all of its containers");
    *said = (struct cf_world_said){.word = (enum cf_world_word)option->kind};
    if (equals)
        said->container = (struct kp_text){word, (size_t)(equals - word)};
    options->said_count++;
    return cf_take_duration(NAME, option, equals ? equals + 1 : word, &said->ns);
}

static int read_versions(void *ctx, const struct cf_option *option, const char *word)
{
    struct cf_sim_options *options = ctx;
    struct kp_text bad;

    (void)option;
    return cf_versions_read(&options->versions, word, &bad) ? CF_EXIT_OK
                                                            : cf_usage_version(NAME, bad);
}

int cf_sim_options_read(struct cf_sim_options *args, int argc, char **argv)
{
    static const char *const formats[] = {[CF_SIM_TEXT] = "text",
                                          [CF_SIM_JSON] = "json",
                                          [CF_SIM_SVG] = "svg",
                                          [CF_SIM_HTML] = "html",
                                          NULL};
    static const char *const colours[] = {[CF_COLOUR_AUTO] = "auto",
                                          [CF_COLOUR_ALWAYS] = "always",
                                          [CF_COLOUR_NEVER] = "never",
                                          NULL};
    const struct cf_option options[] = {
        {"script", .word = &args->script},
        {"for", .ns = &args->for_ns, .min_ns = 1},
        {"k8s", .read = read_versions},
        {"json", .choice = &args->format, .choices = formats, .as = "json"},
        {"format", 'f', .choice = &args->format, .choices = formats},
        {"worst-case", .flag = &args->worst_case},
        {"all", .flag = &args->every_probe},
        {"pod", .word = &args->pod},
        {"pull", .ns = &args->pull_ns},
        {"answers", .read = read_answers},
        {"starts-in", .min_ns = 1, .read = read_world, .kind = CF_STARTS_IN},
        {"hangs-at", .min_ns = 1, .read = read_world, .kind = CF_HANGS_AT},
        {"answers-in", .min_ns = 1, .read = read_world, .kind = CF_ANSWERS_IN},
        {"down-for", .min_ns = 1, .read = read_world, .kind = CF_DOWN_FOR},
        {"stops-in", .min_ns = 1, .read = read_world, .kind = CF_STOPS_IN},
        {"traffic-for", .min_ns = 1, .read = read_world, .kind = CF_TRAFFIC_FOR},
        {"deleted-at", .min_ns = 1, .read = read_world, .kind = CF_DELETED_AT},
        {"patch", .flag = &args->patch},
        {"color", .choice = &args->colour, .choices = colours},
        {0}};
    int exit = cf_read_options(NAME, argc, argv, options, args);

    if (exit >= 0)
        return exit;
    if (optind == argc)
        return cf_usage(NAME, "no file");
    args->files = argv + optind;
    args->file_count = argc - optind;
    if (args->patch && args->said_count == 0)
        return cf_usage(
            NAME, "--patch wants a world: --starts-in, --answers-in, --down-for, --stops-in or "
                  "--traffic-for");
    if (args->patch && args->format != CF_SIM_TEXT)
        return cf_usage(NAME, "--patch writes YAML: it has no --format");
    if (args->worst_case && args->for_ns > WORST_MAX_NS)
        return cf_usage(NAME, "--worst-case plays thousands of times: --for is at most 1h with it");
    return -1;
}

const char *cf_sim_source_name(const struct cf_sim_options *options)
{
    if (!options->script)
        return options->answers.len > 0 ? "--answers" : NAME;
    return strcmp(options->script, "-") == 0 ? "<stdin>" : options->script;
}

int cf_sim_print_left_out(const struct cf_sim_left_out *left_out, size_t versions)
{
    size_t pods = left_out->pods / versions;
    size_t without = left_out->without / versions;
    struct kp_text name = left_out->container;

    if (left_out->without == 0)
        return CF_EXIT_OK;
    if (left_out->without < left_out->pods) {
        cf_print(stderr,
                 "probetest " NAME ": left out %zu of %zu pods: no container '%.*s'"
                 " with a probe\n",
                 without, pods, KP_ARG(name));
        return CF_EXIT_OK;
    }
    if (pods == 1)
        return cf_usage(NAME, "the pod has no container '%.*s' with a probe", KP_ARG(name));
    return cf_usage(NAME, "none of %zu pods has a container '%.*s' with a probe", pods,
                    KP_ARG(name));
}
