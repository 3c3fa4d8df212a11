/* simulate.c: `probetest simulate`: what the kubelet will do with this pod, when, and by which
 * rule. */
#include "conformance/pod/lint.h"
#include "conformance/pod/manifest_file.h"
#include "conformance/simulate/advice.h"
#include "conformance/simulate/budget_print.h"
#include "conformance/simulate/sim_brief.h"
#include "conformance/simulate/sim_file.h"
#include "conformance/simulate/sim_outcome.h"
#include "conformance/simulate/sim_page.h"
#include "conformance/simulate/sim_table.h"
#include "conformance/simulate/simulate_options.h"
#include "conformance/simulate/world_effects.h"
#include "conformance/table/case_read.h"
#include "conformance/text/cli.h"
#include "conformance/text/file.h"
#include "conformance/text/human.h"
#include "conformance/text/inputs.h"
#include "conformance/text/print.h"
#include "conformance/text/versions.h"
#include "core/kubelet/hook_text.h"

#include <stdlib.h>
#include <string.h>

#define NAME "simulate"
#define PAGE_COLUMNS 120
#define SCRIPT_BYTES_MAX ((size_t)16 << 20)

/* ---- one pod on one version ------------------------------------------------------------------ */

#define ANSWERS "--answers"

static bool says_more(const struct cf_sim_options *options)
{
    return options->script || options->answers.len > 0;
}

/* Which presets are merged, or which conflict keeps all of them out. */
static void put_presets(struct cf_out *out, const struct cf_podpreset_outcome *presets)
{
    if (presets->applied)
        cf_out_printf(out, "  PodPresets that are merged: %.*s  [A-003]\n", KP_ARG(presets->names));
    else if (presets->log.len > 0)
        cf_out_printf(out, "  no PodPreset is merged: %.*s  [A-005]\n", KP_ARG(presets->log));
}

static void put_more(struct cf_out *out, const struct cf_sim_options *options)
{
    struct kp_text rest = cf_out_text(&options->answers);

    if (options->script)
        cf_out_printf(out, "  and over that what %s says\n", cf_sim_source_name(options));
    while (rest.len > 0) {
        const char *end = memchr(rest.bytes, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.bytes) : rest.len;

        cf_out_printf(out, "  and over that %.*s\n", (int)len, rest.bytes);
        rest = (struct kp_text){rest.bytes + len + 1, rest.len - len - 1};
    }
}

static void put_title(struct cf_out *out, const struct cf_sim_options *options, struct kp_text name,
                      const struct kp_profile *profile)
{
    cf_out_printf(out, "%.*s on Kubernetes ", KP_ARG(name));
    cf_put_profile(out, profile);
    cf_out_put_string(out, ", ");
    cf_put_duration(out, options->for_ns, false);
    cf_out_put_string(out, " from its creation");
}

/* What all plays of one pod on one version have in common. */
struct subject {
    struct cf_arena *arena;
    const struct cf_sim_options *options;
    const struct kp_profile *profile;
    const struct cf_manifest_pod *pod;
    struct cf_sim_script assumed;
    struct cf_worlds worlds;
};

/* All that is assumed. */
static void put_assumed(struct cf_out *out, const struct subject *subject)
{
    const struct cf_sim_options *options = subject->options;
    const struct cf_sim_script *assumed = &subject->assumed;
    const struct kp_profile *profile = subject->profile;
    const struct kp_pod *pod = subject->pod->pod;

    put_presets(out, &subject->pod->presets);
    if (subject->worlds.any)
        cf_out_put_string(out, "  assumed beside it:\n");
    for (size_t i = 0; i < assumed->assumption_count; i++)
        cf_out_printf(out, "  %.*s: %.*s\n", KP_ARG(assumed->assumptions[i].container),
                      KP_ARG(assumed->assumptions[i].sentence));
    put_more(out, options);
    for (size_t i = 0; i < kp_pod_container_count(pod); i++) {
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            if (!pod->containers[i].probes[type])
                continue;
            cf_out_printf(out, "  %.*s: %s: ", KP_ARG(pod->containers[i].name),
                          kp_probe_type_name((enum kp_probe_type)type).bytes);
            cf_put_probe(out, profile, pod->containers[i].probes[type]);
            cf_out_put_char(out, '\n');
        }
    }
}

static int read_script(struct cf_suite *suite, const struct cf_sim_options *options,
                       const struct cf_manifest_pod *pod, struct fake_script *script)
{
    const char *name = cf_sim_source_name(options);
    struct kp_text bytes = KP_TEXT_NONE;
    const char *why = options->script
                          ? cf_file_read(&suite->arena, options->script, SCRIPT_BYTES_MAX, &bytes)
                          : NULL;

    if (why) {
        cf_print(stderr, "%s: %s\n", name, why);
        return CF_EXIT_USAGE;
    }
    if ((!options->script || cf_sim_file_read(suite, name, bytes, pod->tree, script) == KP_OK) &&
        (options->answers.len == 0 ||
         cf_sim_answers_read(suite, ANSWERS, cf_out_text(&options->answers), pod->tree, script) ==
             KP_OK))
        return CF_EXIT_OK;
    cf_suite_print_faults(suite);
    return CF_EXIT_USAGE;
}

/* In order: text and JSON go straight to `text`, the others onto the page. */
struct sheet {
    struct cf_out text;
    struct cf_sim_table table;
    struct cf_sim_page page;
    size_t empty; /* of the files, on each version: without a pod that is asked for, among others */
    struct cf_sim_left_out left_out;
};

static struct kp_text head_of(const struct subject *subject)
{
    struct cf_out head = {0};
    struct kp_text text;

    put_title(&head, subject->options, subject->pod->object, subject->profile);
    cf_worlds_put(&head, subject->pod->pod, &subject->worlds, SIZE_MAX);
    cf_out_put_char(&head, '\n');
    put_assumed(&head, subject);
    cf_out_put_char(&head, '\n');
    text = cf_arena_text(subject->arena, cf_out_text(&head));
    cf_out_deinit(&head);
    return text;
}

static int end_play(const struct cf_sim_options *options, enum kp_err err, const char *why)
{
    if (err == KP_EINPUT)
        cf_print(stderr, "%s: %s\n", cf_sim_source_name(options), why);
    return err == KP_OK ? CF_EXIT_OK : err == KP_ENOMEM ? cf_no_memory(NAME) : CF_EXIT_USAGE;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* What its probes promise, where no world was asked for. */
static int put_budget(struct cf_out *out, const struct subject *subject)
{
    struct cf_budget budget;
    const char *why;
    enum kp_err err =
        cf_budget_find(subject->arena, subject->profile, subject->pod->pod, &budget, &why);

    if (err != KP_OK)
        return end_play(subject->options, err, why);
    for (size_t i = 0; i < budget.count; i++) {
        cf_out_put_char(out, '\n');
        cf_budget_put_text(out, subject->profile, subject->pod->object, subject->pod->pod,
                           &budget.containers[i]);
    }
    return CF_EXIT_OK;
}

static int find_advice(const struct subject *subject, struct cf_advice *advice)
{
    const char *why;
    enum kp_err err = cf_advice_find(subject->arena, subject->profile, subject->pod->pod,
                                     &subject->worlds, advice, &why);

    return end_play(subject->options, err, why);
}

/* Of one over tcpSocket, which fails, say so.  Returns: is it one whose length nobody knows? */
static bool put_hook(struct cf_out *out, struct kp_text container, const char *name,
                     const struct kp_handler *hook)
{
    if (cf_hook_s(hook) >= 0 || kp_hook_has_handler(hook))
        return cf_hook_s(hook) < 0;
    cf_out_printf(out, "%.*s: its %s hook is none that a kubelet runs: fails  [S-226]\n",
                  KP_ARG(container), name);
    return false;
}

/* Hooks that no kubelet runs, and those of which nobody knows how long they take. */
static void put_hooks(struct cf_out *out, const struct kp_pod *pod)
{
    for (size_t i = 0; i < kp_pod_container_count(pod); i++) {
        const struct kp_container *container = &pod->containers[i];
        bool start = put_hook(out, container->name, "postStart", container->post_start);
        bool stop = put_hook(out, container->name, "preStop", container->pre_stop);

        if (start || stop)
            cf_out_printf(out, "%.*s: %s%s%s taken as 0 s\n", KP_ARG(container->name),
                          start ? "postStart" : "", start && stop ? " and " : "",
                          stop ? "preStop" : "");
    }
}

/* The verdict, and what to change or what is promised: ten lines of a pod with one container. */
static int put_answer(struct cf_out *out, const struct subject *subject,
                      const struct cf_sim_trace *trace)
{
    const struct cf_sim_options *options = subject->options;
    size_t from = out->len;
    struct cf_advice advice = {0};
    int code = subject->worlds.any ? find_advice(subject, &advice) : CF_EXIT_OK;

    if (code != CF_EXIT_OK)
        return code;
    put_title(out, options, subject->pod->object, trace->profile);
    cf_worlds_put(out, subject->pod->pod, &subject->worlds, options->columns);
    cf_out_put_char(out, '\n');
    cf_fold_lines(out, from, options->columns);
    cf_sim_put_verdict(out, trace, cf_advice_safe(subject->arena, &advice), options->columns);
    cf_sim_put_next_pod(out, trace, subject->pod);
    cf_sim_put_history(out, subject->pod->source);
    if (!subject->worlds.any)
        return says_more(options) ? CF_EXIT_OK : put_budget(out, subject);
    if (!says_more(options))
        put_hooks(out, subject->pod->pod);
    if (cf_world_put_next_ready(subject->arena, out, trace, &subject->worlds, subject->pod->kind) !=
            KP_OK ||
        cf_world_effects_put(subject->arena, out, trace, &subject->worlds, options->columns) !=
            KP_OK)
        return cf_no_memory(NAME);
    cf_advice_put_text(out, trace->pod, &advice);
    return CF_EXIT_OK;
}

static int put_text(struct cf_out *out, const struct subject *subject,
                    const struct cf_sim_trace *trace)
{
    const struct cf_sim_options *options = subject->options;
    size_t from;
    int code = put_answer(out, subject, trace);

    cf_out_put_char(out, '\n');
    from = out->len;
    if (options->every_probe) {
        put_assumed(out, subject);
        cf_out_put_char(out, '\n');
        cf_sim_put_text(out, trace);
        cf_cut_lines(out, from, options->columns);
    } else {
        cf_sim_put_brief(out, trace, options->columns);
    }
    return code;
}

/* The verdict is the title of the picture; what is promised and assumed stands below it. */
static int put_on_page(struct cf_sim_page *page, const struct subject *subject,
                       const struct cf_sim_trace *trace)
{
    struct cf_out head = {0};
    struct cf_out more = {0};
    struct cf_advice advice = {0};
    int code = subject->worlds.any ? find_advice(subject, &advice) : CF_EXIT_OK;

    put_title(&head, subject->options, subject->pod->object, subject->profile);
    cf_worlds_put(&head, subject->pod->pod, &subject->worlds, SIZE_MAX);
    cf_out_put_char(&head, '\n');
    cf_sim_put_verdict(&head, trace, cf_advice_safe(subject->arena, &advice), PAGE_COLUMNS);
    cf_sim_put_next_pod(&head, trace, subject->pod);
    if (subject->worlds.any && code == CF_EXIT_OK &&
        (cf_world_put_next_ready(subject->arena, &head, trace, &subject->worlds,
                                 subject->pod->kind) != KP_OK ||
         cf_world_effects_put(subject->arena, &head, trace, &subject->worlds, PAGE_COLUMNS) !=
             KP_OK))
        code = cf_no_memory(NAME);
    if (page->format == CF_SIM_HTML && code == CF_EXIT_OK) {
        cf_advice_put_text(&more, trace->pod, &advice);
        code = put_budget(&more, subject);
    }
    put_assumed(&more, subject);
    cf_sim_page_add(page, cf_out_text(&head), cf_out_text(&more), trace);
    cf_out_deinit(&head);
    cf_out_deinit(&more);
    return code;
}

/* ---- plays ----------------------------------------------------------------------------------- */

/* What is assumed, and over it the worlds that were asked for. */
static enum kp_err make_script(const struct subject *subject, struct fake_script *script)
{
    *script = subject->assumed.script;
    return subject->worlds.any ? cf_worlds_apply(subject->arena, subject->profile,
                                                 subject->pod->pod, &subject->worlds, script)
                               : KP_OK;
}

static enum kp_err play_trace(const struct subject *subject, struct cf_sim_trace *trace,
                              const char **why)
{
    struct fake_script script;

    if (make_script(subject, &script) != KP_OK)
        return KP_ENOMEM;
    return cf_sim_play(subject->arena, &script, subject->options->pull_ns, trace, why);
}

/* Play, until it is known of each hang which instance it is that hangs. */
static enum kp_err play_hangs(struct subject *subject, struct cf_sim_trace *trace, const char **why)
{
    const struct cf_sim_options *options = subject->options;
    const struct cf_sim_trace begun = {.profile = subject->profile,
                                       .pod = subject->pod->pod,
                                       .end_ns = options->for_ns,
                                       .every_probe =
                                           options->every_probe || options->format == CF_SIM_JSON};
    enum kp_err err;

    *trace = begun;
    err = play_trace(subject, trace, why);
    while (err == KP_OK && cf_worlds_find_hanging(&subject->worlds, trace)) {
        cf_sim_trace_deinit(trace);
        *trace = begun;
        err = play_trace(subject, trace, why);
    }
    return err;
}

static int play_once(struct subject *subject, struct sheet *sheet)
{
    const struct cf_sim_options *options = subject->options;
    struct cf_sim_trace trace;
    const char *why;
    enum kp_err err = play_hangs(subject, &trace, &why);
    int code = CF_EXIT_OK;

    if (err == KP_OK && options->format == CF_SIM_JSON)
        cf_sim_put_json(&sheet->text, &trace);
    else if (err == KP_OK && options->format == CF_SIM_TEXT) {
        cf_sim_table_add(&sheet->table, subject->pod->object, options->versions.count > 1, &trace);
        code = put_text(&sheet->text, subject, &trace);
    } else if (err == KP_OK)
        code = put_on_page(&sheet->page, subject, &trace);
    cf_sim_trace_deinit(&trace);
    return code == CF_EXIT_OK ? end_play(options, err, why) : code;
}

static int put_patch(struct subject *subject, struct sheet *sheet)
{
    struct cf_advice advice;
    int code = find_advice(subject, &advice);

    if (code != CF_EXIT_OK)
        return code;
    if (sheet->text.len > 0)
        cf_out_put_string(&sheet->text, "---\n");
    cf_out_printf(&sheet->text, "# %.*s/%.*s%s\n", KP_ARG(subject->pod->kind),
                  KP_ARG(subject->pod->object),
                  advice.outlasts_ns > 0         ? ": raise activeDeadlineSeconds"
                  : !cf_advice_is_empty(&advice) ? ""
                  : subject->worlds.unseen       ? ": nothing probes it"
                                                 : ": nothing to change");
    cf_advice_put_patch(&sheet->text, subject->pod, &advice);
    return CF_EXIT_OK;
}

/* A hang is one instance's: it must be the same one in every play, and run by then. */
static bool hangs_alike(const struct cf_worlds *worlds, const struct cf_worst_case *worst,
                        int64_t pull_ns)
{
    for (size_t i = 0; i < worst->row_count; i++) {
        const struct cf_worst_case_row *row = &worst->rows[i];
        const struct cf_container_world *world = &worlds->containers[row->container];
        int64_t at_ns = world->ns[CF_HANGS_AT];

        if (at_ns != KP_NEVER && row->start && row->earliest_ns <= at_ns &&
            (row->latest_ns > at_ns - pull_ns || row->n == CF_WORST_CASE_KILLS_MAX))
            return false;
    }
    return true;
}

static enum kp_err play_all_draws(struct subject *subject, struct cf_worst_case *worst,
                                  const char **why)
{
    struct fake_script script;
    struct cf_sim_trace usual;
    enum kp_err err = play_hangs(subject, &usual, why);

    cf_sim_trace_deinit(&usual);
    if (err == KP_OK)
        err = make_script(subject, &script);
    return err == KP_OK ? cf_worst_case_play(subject->arena, &script, worst, why) : err;
}

static int play_worst(struct subject *subject, struct sheet *sheet)
{
    const struct cf_sim_options *options = subject->options;
    struct cf_worst_case worst = {
        .profile = subject->profile, .pod = subject->pod->pod, .end_ns = options->for_ns};
    const char *why = NULL;
    enum kp_err err = play_all_draws(subject, &worst, &why);

    if (err == KP_OK && !hangs_alike(&subject->worlds, &worst, options->pull_ns))
        return cf_usage(NAME, "--worst-case: chance decides which instance --hangs-at hangs; "
                              "choose an instant before the first restart");
    if (err == KP_OK && options->format == CF_SIM_JSON) {
        cf_worst_case_put_json(&sheet->text, &worst);
    } else if (err == KP_OK && options->format == CF_SIM_TEXT) {
        cf_worst_case_put_text(&sheet->text, head_of(subject), &worst, options->columns);
    } else if (err == KP_OK) {
        cf_sim_page_add_worst(&sheet->page, head_of(subject), &worst);
    }
    return end_play(options, err, why);
}

/* Returns: an exit code, or -1: the pod has not the container that is meant; others may have it. */
static int read_worlds(struct subject *subject, struct cf_sim_left_out *left_out)
{
    const struct cf_sim_options *options = subject->options;
    const char *late;
    struct kp_text unknown;
    enum kp_err err = cf_worlds_make(subject->arena, subject->pod->pod, options->said,
                                     options->said_count, &subject->worlds, &unknown);

    if (err == KP_ENOMEM)
        return cf_no_memory(NAME);
    left_out->pods++;
    if (err == KP_EINPUT) {
        left_out->without++;
        left_out->container = unknown;
        return -1;
    }
    return cf_worlds_is_late(&subject->worlds, options->for_ns, &late)
               ? cf_usage(NAME, "%s begins when the play is over: give a longer --for", late)
               : CF_EXIT_OK;
}

static int play(struct cf_suite *suite, const struct cf_sim_options *options,
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
    if (code == CF_EXIT_OK)
        code = read_worlds(&subject, &sheet->left_out);
    if (code != CF_EXIT_OK)
        return code < 0 ? CF_EXIT_OK : code;
    if (sheet->text.len > 0 && options->format == CF_SIM_TEXT && !options->patch)
        cf_out_put_char(&sheet->text, '\n');
    if (options->patch)
        return put_patch(&subject, sheet);
    return options->worst_case ? play_worst(&subject, sheet) : play_once(&subject, sheet);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int check_selection(const struct cf_sim_options *options, const char *file, size_t count)
{
    if (count == 0)
        return cf_usage(NAME, "%s has no pod '%s'", file, options->pod);
    if (count > 1 && says_more(options))
        return cf_usage(NAME, "%s is for one pod; choose it with --pod NAME",
                        options->script ? "a script" : ANSWERS);
    return CF_EXIT_OK;
}

static int simulate_on(struct cf_suite *suite, const struct cf_sim_options *options,
                       const char *version, const struct cf_manifest_file *file,
                       struct sheet *sheet)
{
    struct cf_manifest manifest = {0};
    struct kp_profile profile;
    size_t count;
    int code;

    if (kp_profile_init(&profile, kp_text_of(version)) != KP_OK)
        return CF_EXIT_USAGE;
    code = cf_manifest_file_read(&suite->arena, NAME, &profile, file, &manifest);
    if (code != CF_EXIT_OK)
        return code;
    count = cf_manifest_count(&manifest, options->pod);
    sheet->empty += count == 0;
    if (file->among && count == 0)
        return CF_EXIT_OK;
    code = check_selection(options, file->name, count);
    if (code == CF_EXIT_OK)
        code = cf_lint_refuse(&suite->arena, &profile, &manifest) == KP_OK ? CF_EXIT_OK
                                                                           : CF_EXIT_USAGE;
    for (size_t i = 0; code == CF_EXIT_OK && i < manifest.pod_count; i++) {
        if (!cf_manifest_pod_is_called(&manifest.pods[i], options->pod))
            continue;
        code = play(suite, options, &profile, &manifest.pods[i], sheet);
    }
    return code;
}

/* One file on all versions. */
static int simulate_file(const struct cf_sim_options *options, const char *path, bool among,
                         struct sheet *sheet)
{
    struct cf_manifest_file file;
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    int code;

    code = cf_manifest_file_open(&suite.arena, path, &file);
    file.only = options->pod;
    file.among = among;
    for (size_t i = 0; code == CF_EXIT_OK && i < options->versions.count; i++) {
        code = simulate_on(&suite, options, options->versions.list[i].name, &file, sheet);
        if (code == CF_EXIT_USAGE && options->versions.count > 1)
            cf_print(stderr, "(on Kubernetes %s)\n", options->versions.list[i].name);
    }
    cf_suite_deinit(&suite);
    return code;
}

/* What is wrong with one file does not keep the others from being answered. */
static int simulate(const struct cf_sim_options *options)
{
    struct sheet sheet = {0};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_inputs inputs;
    int worst = CF_EXIT_OK;
    int written = CF_EXIT_OK;
    int code;

    code = cf_inputs_find(&arena, NAME, options->files, options->file_count, &inputs);
    sheet.page.format = options->format;
    for (size_t i = 0; code == CF_EXIT_OK && i < inputs.count; i++) {
        const struct sheet before = sheet;
        int one = simulate_file(options, inputs.paths[i], inputs.count > 1, &sheet);

        if (one != CF_EXIT_OK) { /* of a file all is printed, or nothing */
            sheet.text.len = before.text.len;
            sheet.table.rows.len = before.table.rows.len;
            sheet.table.pods = before.table.pods;
        }
        worst = one > worst ? one : worst;
    }
    code = worst > code ? worst : code;
    if (code == CF_EXIT_OK && inputs.count > 1)
        code = cf_manifest_print_empty(NAME, options->pod, sheet.empty / options->versions.count,
                                       inputs.count);
    if (code == CF_EXIT_OK)
        code = cf_sim_print_left_out(&sheet.left_out, options->versions.count);
    cf_arena_deinit(&arena);
    if (options->format == CF_SIM_SVG || options->format == CF_SIM_HTML)
        cf_sim_page_put(&sheet.text, &sheet.page);
    cf_sim_table_put(&sheet.table, options->every_probe, &sheet.text);
    if (options->format == CF_SIM_TEXT && !options->patch) {
        cf_put_legend(&sheet.text);
        written = cf_write_answer(NAME, options->colour, cf_out_text(&sheet.text));
    } else if (code == CF_EXIT_OK) {
        written = cf_write_out(NAME, NULL, sheet.text.bytes, sheet.text.len);
    }
    cf_sim_page_deinit(&sheet.page);
    cf_out_deinit(&sheet.table.rows);
    cf_out_deinit(&sheet.text);
    return written > code ? written : code;
}

int cf_simulate_command(int argc, char **argv)
{
    struct cf_sim_options options = {.for_ns = 20 * 60 * KP_NS_PER_S,
                                     .pull_ns = 2300 * KP_NS_PER_MS,
                                     .columns = cf_terminal_columns(stdout)};
    int code;

    (void)cf_versions_read(&options.versions, KP_DEFAULT, NULL);
    code = cf_sim_options_read(&options, argc, argv);
    if (code < 0)
        code = simulate(&options);
    cf_out_deinit(&options.answers);
    return code;
}
