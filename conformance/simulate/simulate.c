#include "conformance/simulate/simulate.h"

#include "conformance/pod/lint.h"
#include "conformance/pod/manifest_file.h"
#include "conformance/simulate/sim_file.h"
#include "conformance/simulate/sim_page.h"
#include "conformance/table/case_read.h"
#include "conformance/text/cli.h"
#include "conformance/text/file.h"
#include "conformance/text/say.h"
#include "conformance/text/versions.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define NAME "simulate"
#define SCRIPT_BYTES_MAX ((size_t)16 << 20)
#define WORST_MAX_NS (3600 * KP_NS_PER_S)

struct options {
    const char *file;
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

/* ---- the command line ------------------------------------------------------------------------ */

static int read_span(const char *option, const char *word, int64_t min_ns, int64_t *ns)
{
    if (cf_parse_duration(kp_text_of(word), ns) && *ns >= min_ns)
        return CF_EXIT_OK;
    return cf_usage(NAME, "--%s: '%s' is no duration such as 2.3s, 90s or 1h, up to 1111h", option,
                    word);
}

static int read_for(void *ctx, const char *word)
{
    struct options *options = ctx;

    return read_span("for", word, 1, &options->for_ns);
}

static int read_pull(void *ctx, const char *word)
{
    struct options *options = ctx;

    return read_span("pull", word, 0, &options->pull_ns);
}

static int read_answers(void *ctx, const char *word)
{
    struct options *options = ctx;

    cf_out_printf(&options->answers, "%s\n", word);
    return CF_EXIT_OK;
}

static int read_versions(void *ctx, const char *word)
{
    struct options *options = ctx;

    return cf_versions_read(&options->versions, word)
               ? CF_EXIT_OK
               : cf_usage(NAME, "--k8s: '%s' is no list of versions from 1.%d to 1.%d", word,
                          KP_MINOR_MIN, KP_MINOR_MAX);
}

static int read_format(void *ctx, const char *word)
{
    static const char *const names[] = {[CF_SIM_TEXT] = "text",
                                        [CF_SIM_JSON] = "json",
                                        [CF_SIM_SVG] = "svg",
                                        [CF_SIM_HTML] = "html"};
    struct options *options = ctx;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(word, names[i]) == 0) {
            options->format = (enum cf_sim_format)i;
            return CF_EXIT_OK;
        }
    return cf_usage(NAME, "--format: '%s' is none of text, json, svg and html", word);
}

/* Returns an exit code, or -1: go on. */
static int read_command_line(struct options *asked, int argc, char **argv)
{
    const struct cf_option options[] = {{"script", .word = &asked->script},
                                        {"for", .read = read_for},
                                        {"k8s", .read = read_versions},
                                        {"json", .read = read_format, .as = "json"},
                                        {"format", .read = read_format},
                                        {"worst-case", .flag = &asked->worst_case},
                                        {"all", .flag = &asked->every_probe},
                                        {"pod", .word = &asked->pod},
                                        {"pull", .read = read_pull},
                                        {"answers", .read = read_answers},
                                        {0}};
    int exit = cf_read_options(NAME, argc, argv, options, asked);

    if (exit >= 0)
        return exit;
    if (optind + 1 != argc)
        return cf_usage(NAME, optind == argc ? "no file" : "more than one file");
    asked->file = argv[optind];
    if (asked->worst_case && asked->for_ns > WORST_MAX_NS)
        return cf_usage(NAME, "--worst-case plays thousands of times: --for is at most 1h with it");
    return -1;
}

/* ---- one pod on one version ------------------------------------------------------------------ */

#define ANSWERS "--answers"

static bool says_more(const struct options *options)
{
    return options->script || options->answers.len > 0;
}

/* Where that stands which is laid over what is assumed, or the pod alone. */
static const char *source_name(const struct options *options)
{
    if (!options->script)
        return options->answers.len > 0 ? ANSWERS : options->file;
    return strcmp(options->script, "-") == 0 ? "<stdin>" : options->script;
}

/* */
static void put_presets(struct cf_out *out, const struct cf_podpreset_outcome *presets)
{
    if (presets->applied)
        cf_out_printf(out, "  PodPresets that are merged: %.*s  [A-003]\n", (int)presets->names.len,
                      presets->names.bytes);
    else if (presets->log.len > 0)
        cf_out_printf(out, "  no PodPreset is merged: %.*s  [A-005]\n", (int)presets->log.len,
                      presets->log.bytes);
}

static void put_more(struct cf_out *out, const struct options *options)
{
    struct kp_text rest = cf_out_text(&options->answers);

    if (options->script)
        cf_out_printf(out, "  and over that what %s says\n", source_name(options));
    while (rest.len > 0) {
        const char *end = memchr(rest.bytes, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.bytes) : rest.len;

        cf_out_printf(out, "  and over that %.*s\n", (int)len, rest.bytes);
        rest = (struct kp_text){rest.bytes + len + 1, rest.len - len - 1};
    }
}

static void put_head(struct cf_out *out, const struct options *options,
                     const struct cf_manifest_pod *of, const struct kp_profile *profile,
                     const struct cf_sim_script *assumed)
{
    const struct kp_pod *pod = of->pod;
    char bytes[40];
    struct kp_buf span = {bytes, sizeof bytes - 1, 0};

    kp_buf_put_duration(&span, options->for_ns);
    bytes[span.need] = '\0';
    cf_out_printf(out, "%.*s on Kubernetes 1.%d", (int)pod->name.len, pod->name.bytes,
                  profile->minor);
    if (profile->patch != kp_profile_last_patch(profile->minor))
        cf_out_printf(out, ".%d", profile->patch);
    cf_out_printf(out, ", %s from its creation\n", bytes);
    put_presets(out, &of->presets);
    for (size_t i = 0; i < assumed->assumption_count; i++)
        cf_out_printf(out, "  %.*s: %.*s\n", (int)assumed->assumptions[i].container.len,
                      assumed->assumptions[i].container.bytes,
                      (int)assumed->assumptions[i].sentence.len,
                      assumed->assumptions[i].sentence.bytes);
    put_more(out, options);
    for (size_t i = 0; i < kp_pod_container_count(pod); i++) {
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            if (!pod->containers[i].probes[type])
                continue;
            cf_out_printf(out, "  %.*s: %s: ", (int)pod->containers[i].name.len,
                          pod->containers[i].name.bytes,
                          kp_probe_type_name((enum kp_probe_type)type).bytes);
            cf_put_probe(out, profile, pod->containers[i].probes[type]);
            cf_out_put_char(out, '\n');
        }
    }
    cf_out_put_char(out, '\n');
}

static int read_script(struct cf_suite *suite, const struct options *options,
                       const struct cf_manifest_pod *pod, struct fake_script *script)
{
    const char *name = source_name(options);
    struct kp_text bytes = KP_TEXT_NONE;
    const char *why = options->script
                          ? cf_file_read(&suite->arena, options->script, SCRIPT_BYTES_MAX, &bytes)
                          : NULL;

    if (why) {
        cf_say(stderr, "%s: %s\n", name, why);
        return CF_EXIT_USAGE;
    }
    if ((!options->script || cf_sim_file_read(suite, name, bytes, pod->tree, script) == KP_OK) &&
        (options->answers.len == 0 ||
         cf_sim_answers_read(suite, ANSWERS, cf_out_text(&options->answers), pod->tree, script) ==
             KP_OK))
        return CF_EXIT_OK;
    cf_suite_complain(suite);
    return CF_EXIT_USAGE;
}

/* What all plays of one pod on one version have in common. */
struct subject {
    struct cf_arena *arena;
    const struct options *options;
    const struct kp_profile *profile;
    const struct cf_manifest_pod *pod;
    struct cf_sim_script assumed;
};

/* In order: text and JSON go straight to `text`, the others onto the page. */
struct sheet {
    struct cf_out text;
    struct cf_sim_page page;
};

static struct kp_text head_of(const struct subject *subject)
{
    struct cf_out head = {0};
    struct kp_text text;

    put_head(&head, subject->options, subject->pod, subject->profile, &subject->assumed);
    text = cf_arena_text(subject->arena, cf_out_text(&head));
    cf_out_deinit(&head);
    return text;
}

static int end_play(const struct options *options, enum kp_err err, const char *why)
{
    if (err == KP_EINPUT)
        cf_say(stderr, "%s: %s\n", source_name(options), why);
    return err == KP_OK ? CF_EXIT_OK : err == KP_ENOMEM ? cf_no_memory(NAME) : CF_EXIT_USAGE;
}

/* What to ask next where nothing dies: of the first probe that can kill. */
static void put_what_if(struct cf_out *out, const struct kp_pod *pod)
{
    for (size_t i = 0; i < kp_pod_container_count(pod); i++) {
        const struct kp_container *container = &pod->containers[i];
        const char *type = container->probes[KP_LIVENESS]  ? "liveness"
                           : container->probes[KP_STARTUP] ? "startup"
                                                           : NULL;

        if (!type)
            continue;
        cf_out_printf(out, "; and if " ANSWERS " '%.*s/%s: success until 60s, failure'?",
                      (int)container->name.len, container->name.bytes, type);
        return;
    }
}

/* What most people ask, before the whole scenario. */
static void put_answer(struct cf_out *out, const struct options *options,
                       const struct cf_sim_trace *trace)
{
    if (!cf_sim_put_kills(out, trace)) {
        cf_out_put_string(out, "no kill");
        if (!says_more(options))
            put_what_if(out, trace->pod);
        cf_out_put_char(out, '\n');
    }
    cf_out_put_char(out, '\n');
}

static int play_once(const struct subject *subject, struct sheet *sheet)
{
    const struct options *options = subject->options;
    struct cf_sim_trace trace = {.profile = subject->profile,
                                 .pod = subject->pod->pod,
                                 .end_ns = options->for_ns,
                                 .every_probe =
                                     options->every_probe || options->format == CF_SIM_JSON};
    const char *why;
    enum kp_err err =
        cf_sim_play(subject->arena, &subject->assumed.script, options->pull_ns, &trace, &why);

    if (err == KP_OK && options->format == CF_SIM_JSON) {
        cf_sim_put_json(&sheet->text, &trace);
    } else if (err == KP_OK && options->format == CF_SIM_TEXT) {
        cf_out_put(&sheet->text, head_of(subject));
        put_answer(&sheet->text, options, &trace);
        cf_sim_put_text(&sheet->text, &trace);
    } else if (err == KP_OK) {
        cf_sim_page_add(&sheet->page, head_of(subject), &trace);
    }
    cf_sim_trace_deinit(&trace);
    return end_play(options, err, why);
}

static int play_worst(const struct subject *subject, struct sheet *sheet)
{
    const struct options *options = subject->options;
    struct cf_sim_worst worst = {
        .profile = subject->profile, .pod = subject->pod->pod, .end_ns = options->for_ns};
    const char *why;
    enum kp_err err = cf_sim_worst_play(subject->arena, &subject->assumed.script, &worst, &why);

    if (err == KP_OK && options->format == CF_SIM_JSON) {
        cf_sim_worst_put_json(&sheet->text, &worst);
    } else if (err == KP_OK && options->format == CF_SIM_TEXT) {
        cf_out_put(&sheet->text, head_of(subject));
        cf_sim_worst_put_text(&sheet->text, &worst);
    } else if (err == KP_OK) {
        cf_sim_page_add_worst(&sheet->page, head_of(subject), &worst);
    }
    return end_play(options, err, why);
}

static int play(struct cf_suite *suite, const struct options *options,
                const struct kp_profile *profile, const struct cf_manifest_pod *pod,
                struct sheet *sheet)
{
    struct subject subject = {
        .arena = &suite->arena, .options = options, .profile = profile, .pod = pod};
    int code = CF_EXIT_OK;

    if (cf_sim_script_make(&suite->arena, profile, pod->pod, 0, options->pull_ns,
                           &subject.assumed) != KP_OK)
        return cf_no_memory(NAME);
    if (says_more(options))
        code = read_script(suite, options, pod, &subject.assumed.script);
    if (code != CF_EXIT_OK)
        return code;
    return options->worst_case ? play_worst(&subject, sheet) : play_once(&subject, sheet);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int check_selection(const struct options *options, const struct cf_manifest *manifest)
{
    size_t count = 0;

    for (size_t i = 0; i < manifest->pod_count; i++)
        count += cf_manifest_pod_is_called(&manifest->pods[i], options->pod);
    if (count == 0)
        return cf_usage(NAME, "%s has no pod '%s'", options->file, options->pod);
    if (count > 1 && says_more(options))
        return cf_usage(NAME, "%s is for one pod; choose it with --pod NAME",
                        options->script ? "a script" : ANSWERS);
    return CF_EXIT_OK;
}

static int simulate_on(struct cf_suite *suite, const struct options *options, const char *version,
                       const struct cf_manifest_file *file, struct sheet *sheet)
{
    struct cf_manifest manifest = {0};
    struct kp_profile profile;
    int code;

    if (kp_profile_init(&profile, kp_text_of(version)) != KP_OK)
        return CF_EXIT_USAGE;
    code = cf_manifest_file_read(&suite->arena, NAME, &profile, file, &manifest);
    if (code != CF_EXIT_OK)
        return code;
    code = check_selection(options, &manifest);
    if (code == CF_EXIT_OK)
        code = cf_lint_refuse(&suite->arena, &profile, &manifest) == KP_OK ? CF_EXIT_OK
                                                                           : CF_EXIT_USAGE;
    for (size_t i = 0; code == CF_EXIT_OK && i < manifest.pod_count; i++) {
        if (!cf_manifest_pod_is_called(&manifest.pods[i], options->pod))
            continue;
        if (sheet->text.len > 0 && options->format == CF_SIM_TEXT)
            cf_out_put_char(&sheet->text, '\n');
        code = play(suite, options, &profile, &manifest.pods[i], sheet);
    }
    return code;
}

static int simulate(const struct options *options)
{
    struct cf_manifest_file file;
    struct sheet sheet = {0};
    struct cf_suite suite;
    int code;

    cf_suite_init(&suite, cf_libc_mem());
    code = cf_manifest_file_open(&suite.arena, options->file, &file);
    sheet.page.format = options->format;
    for (size_t i = 0; code == CF_EXIT_OK && i < options->versions.count; i++) {
        code = simulate_on(&suite, options, options->versions.list[i].name, &file, &sheet);
        if (code == CF_EXIT_USAGE && options->versions.count > 1)
            cf_say(stderr, "probetest %s: so it is on Kubernetes %s\n", NAME,
                   options->versions.list[i].name);
    }
    if (options->format == CF_SIM_SVG || options->format == CF_SIM_HTML)
        cf_sim_page_put(&sheet.text, &sheet.page);
    if (code == CF_EXIT_OK) /* nothing is printed unless all of it went well */
        code = cf_write_out(NAME, NULL, sheet.text.bytes, sheet.text.len);
    cf_sim_page_deinit(&sheet.page);
    cf_out_deinit(&sheet.text);
    cf_suite_deinit(&suite);
    return code;
}

int cf_simulate_command(int argc, char **argv)
{
    struct options options = {.for_ns = 20 * 60 * KP_NS_PER_S, .pull_ns = 2300 * KP_NS_PER_MS};
    int code;

    (void)cf_versions_read(&options.versions, "1.36");
    code = read_command_line(&options, argc, argv);
    if (code < 0)
        code = simulate(&options);
    cf_out_deinit(&options.answers);
    return code;
}
