#include "conformance/simulate/simulate_options.h"

#include "conformance/table/case_read.h"
#include "conformance/text/cli.h"
#include "conformance/text/say.h"

#include <getopt.h>
#include <string.h>

#define NAME "simulate"
#define WORST_MAX_NS (3600 * KP_NS_PER_S)

static int read_span(const char *option, const char *word, int64_t min_ns, int64_t *ns)
{
    if (cf_parse_duration(kp_text_of(word), ns) && *ns >= min_ns)
        return CF_EXIT_OK;
    return cf_usage(NAME, "--%s: '%s' is no duration such as 2.3s, 90s or 1h, up to 1111h", option,
                    word);
}

static int read_for(void *ctx, const char *word)
{
    struct cf_sim_options *options = ctx;

    return read_span("for", word, 1, &options->for_ns);
}

static int read_pull(void *ctx, const char *word)
{
    struct cf_sim_options *options = ctx;

    return read_span("pull", word, 0, &options->pull_ns);
}

static int read_answers(void *ctx, const char *word)
{
    struct cf_sim_options *options = ctx;

    if (!strchr(word, ':'))
        return cf_usage(NAME, "--answers: '%s' is no CONTAINER/TYPE: ANSWERS", word);
    cf_out_printf(&options->answers, "%s\n", word);
    return CF_EXIT_OK;
}

/* "90s", or "api=90s" of one container. */
static int read_world(struct cf_sim_options *options, const char *option, enum cf_world_word word,
                      const char *text)
{
    const char *equals = strchr(text, '=');
    struct cf_world_said *said = &options->said[options->said_count];

    if (options->said_count == CF_SAID_MAX)
        return cf_usage(NAME, "--%s: that is more than %d worlds", option, CF_SAID_MAX);
    *said = (struct cf_world_said){.word = word};
    if (equals)
        said->container = (struct kp_text){text, (size_t)(equals - text)};
    options->said_count++;
    return read_span(option, equals ? equals + 1 : text, 1, &said->ns);
}

static int read_starts_in(void *ctx, const char *word)
{
    return read_world(ctx, "starts-in", CF_STARTS_IN, word);
}

static int read_hangs_at(void *ctx, const char *word)
{
    return read_world(ctx, "hangs-at", CF_HANGS_AT, word);
}

static int read_answers_in(void *ctx, const char *word)
{
    return read_world(ctx, "answers-in", CF_ANSWERS_IN, word);
}

static int read_down_for(void *ctx, const char *word)
{
    return read_world(ctx, "down-for", CF_DOWN_FOR, word);
}

static int read_stops_in(void *ctx, const char *word)
{
    return read_world(ctx, "stops-in", CF_STOPS_IN, word);
}

static int read_traffic_for(void *ctx, const char *word)
{
    return read_world(ctx, "traffic-for", CF_TRAFFIC_FOR, word);
}

static int read_deleted_at(void *ctx, const char *word)
{
    struct cf_sim_options *options = ctx;
    int exit = read_world(options, "deleted-at", CF_DELETED_AT, word);

    if (exit == CF_EXIT_OK && options->said[options->said_count - 1].container.len > 0)
        return cf_usage(NAME, "--deleted-at: a pod is deleted with all of its containers");
    return exit;
}

static int read_versions(void *ctx, const char *word)
{
    struct cf_sim_options *options = ctx;
    struct kp_text bad;

    return cf_versions_read(&options->versions, word, &bad) ? CF_EXIT_OK
                                                            : cf_usage_version(NAME, bad);
}

static int read_format(void *ctx, const char *word)
{
    static const char *const names[] = {[CF_SIM_TEXT] = "text",
                                        [CF_SIM_JSON] = "json",
                                        [CF_SIM_SVG] = "svg",
                                        [CF_SIM_HTML] = "html"};
    struct cf_sim_options *options = ctx;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(word, names[i]) == 0) {
            options->format = (enum cf_sim_format)i;
            return CF_EXIT_OK;
        }
    return cf_usage(NAME, "--format: '%s' is none of text, json, svg and html", word);
}

static int read_colour(void *ctx, const char *word)
{
    struct cf_sim_options *options = ctx;

    return cf_colour_read(word, &options->colour)
               ? CF_EXIT_OK
               : cf_usage(NAME, "--color: '%s' is none of auto, always and never", word);
}

int cf_sim_options_read(struct cf_sim_options *asked, int argc, char **argv)
{
    const struct cf_option options[] = {{"script", .word = &asked->script},
                                        {"for", .read = read_for},
                                        {"k8s", .read = read_versions},
                                        {"json", .read = read_format, .as = "json"},
                                        {"format", 'f', .read = read_format},
                                        {"worst-case", .flag = &asked->worst_case},
                                        {"all", .flag = &asked->every_probe},
                                        {"pod", .word = &asked->pod},
                                        {"pull", .read = read_pull},
                                        {"answers", .read = read_answers},
                                        {"starts-in", .read = read_starts_in},
                                        {"hangs-at", .read = read_hangs_at},
                                        {"answers-in", .read = read_answers_in},
                                        {"down-for", .read = read_down_for},
                                        {"stops-in", .read = read_stops_in},
                                        {"traffic-for", .read = read_traffic_for},
                                        {"deleted-at", .read = read_deleted_at},
                                        {"patch", .flag = &asked->patch},
                                        {"color", .read = read_colour},
                                        {0}};
    int exit = cf_read_options(NAME, argc, argv, options, asked);

    if (exit >= 0)
        return exit;
    if (optind == argc)
        return cf_usage(NAME, "no file");
    asked->files = argv + optind;
    asked->file_count = argc - optind;
    if (asked->patch && asked->said_count == 0)
        return cf_usage(
            NAME, "--patch wants a world: --starts-in, --answers-in, --down-for, --stops-in or "
                  "--traffic-for");
    if (asked->patch && asked->format != CF_SIM_TEXT)
        return cf_usage(NAME, "--patch writes YAML: it has no --format");
    if (asked->worst_case && asked->for_ns > WORST_MAX_NS)
        return cf_usage(NAME, "--worst-case plays thousands of times: --for is at most 1h with it");
    return -1;
}

const char *cf_sim_source_name(const struct cf_sim_options *options)
{
    if (!options->script)
        return options->answers.len > 0 ? "--answers" : NAME;
    return strcmp(options->script, "-") == 0 ? "<stdin>" : options->script;
}

int cf_sim_tell_left_out(const struct cf_sim_left_out *left_out, size_t versions)
{
    size_t pods = left_out->pods / versions;
    size_t without = left_out->without / versions;
    struct kp_text name = left_out->container;

    if (left_out->without == 0)
        return CF_EXIT_OK;
    if (left_out->without < left_out->pods) {
        cf_say(stderr,
               "probetest " NAME ": left out %zu of %zu pods: no container '%.*s'"
               " with a probe\n",
               without, pods, (int)name.len, name.bytes);
        return CF_EXIT_OK;
    }
    if (pods == 1)
        return cf_usage(NAME, "the pod has no container '%.*s' with a probe", (int)name.len,
                        name.bytes);
    return cf_usage(NAME, "none of %zu pods has a container '%.*s' with a probe", pods,
                    (int)name.len, name.bytes);
}
