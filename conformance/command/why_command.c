/* why_command.c: `probetest why`. */
#include "conformance/pod/manifest_file.h"
#include "conformance/pod/manifest_names.h"
#include "conformance/text/cli.h"
#include "conformance/text/inputs.h"
#include "conformance/text/print.h"
#include "conformance/text/versions.h"
#include "conformance/why/why_put.h"

#include <getopt.h>
#include <string.h>

#define NAME "why"

enum { FEW = 4 }; /* pods, of which each container is printed */

struct options {
    const char *pod;
    const char *container;
    bool json;
};

struct sheet {
    struct cf_arena *arena;
    const struct options *options;
    const struct kp_profile *profile;
    const struct cf_histories *all;
    struct cf_out out;
    bool brief;  /* of many containers those that nothing ended are counted alone */
    size_t calm; /* so many */
    size_t printed;
};

/* As often as it has been restarted, and once more; one that ran long is restarted at once. */
static size_t restarts_of(const struct cf_verdict *verdict)
{
    size_t restarts = verdict->status ? (size_t)verdict->status->restart_count + 1 : 0;

    if (verdict->ran_ns > 1200 * KP_NS_PER_S && restarts > 2)
        return 2;
    return restarts < CF_WHY_RESTARTS_MAX ? restarts : CF_WHY_RESTARTS_MAX;
}

static enum kp_err play_loop(struct sheet *sheet, size_t index, struct cf_why *why)
{
    const struct cf_verdict *verdict = &why->verdict;

    if (!verdict->end || verdict->ran_ns < 0 || why->history->refused.len > 0)
        return KP_OK;
    return cf_why_loop(sheet->arena, sheet->profile, &why->history->fresh, index, verdict,
                       restarts_of(verdict), &why->loop);
}

static enum kp_err tell(struct sheet *sheet, const struct cf_history *history, size_t index)
{
    struct cf_kill_age kills = {.earliest_ns = KP_NEVER, .soonest_ns = KP_NEVER};
    struct cf_why why = {.all = sheet->all, .history = history};

    if (history->refused.len == 0 && index < kp_pod_container_count(&history->fresh) &&
        cf_why_kill_age(sheet->arena, sheet->profile, &history->fresh, index, &kills) != KP_OK)
        return KP_ENOMEM;
    why.verdict = cf_judge(history, index, kills);
    if (play_loop(sheet, index, &why) != KP_OK)
        return KP_ENOMEM;
    sheet->printed++;
    if (sheet->brief && why.verdict.cause == CF_CAUSE_NOTHING) {
        sheet->calm++;
        return KP_OK;
    }
    if (sheet->options->json) {
        cf_why_put_json(sheet->arena, &sheet->out, &why);
    } else {
        if (sheet->out.len > 0)
            cf_out_put_char(&sheet->out, '\n');
        cf_why_put_text(sheet->arena, &sheet->out, &why);
    }
    return KP_OK;
}

static bool is_called(struct kp_text name, const char *word)
{
    return !word || kp_text_equal(name, kp_text_of(word));
}

/* Those that have nothing to explain, unless they are asked for: an init container that is done,
 * and what `kubectl debug` put in. */
static bool is_done(const struct cf_history *history, size_t index)
{
    const struct kp_pod *pod = history->pod;
    const struct kp_container_status *status =
        pod->status ? kp_status_find(pod->status, pod->containers[index].name) : NULL;

    if (pod->containers[index].kind == KP_EPHEMERAL)
        return true;
    return pod->containers[index].kind == KP_INIT && status && status->restart_count == 0 &&
           status->state.kind == KP_STATE_TERMINATED && status->state.exit_code == 0;
}

static int print_all(struct sheet *sheet)
{
    const struct options *options = sheet->options;

    for (size_t i = 0; i < sheet->all->count; i++) {
        const struct cf_history *history = &sheet->all->list[i];

        if (!cf_pod_is_called(history->pod, options->pod))
            continue;
        for (size_t k = 0; k < kp_pod_container_count(history->pod); k++) {
            if (!is_called(history->pod->containers[k].name, options->container) ||
                (!options->container && is_done(history, k)))
                continue;
            if (tell(sheet, history, k) != KP_OK)
                return cf_no_memory(NAME);
        }
    }
    if (sheet->calm > 0)
        cf_out_printf(&sheet->out, "%s%zu of %zu containers: nothing has ended them\n",
                      sheet->out.len > 0 ? "\n" : "", sheet->calm, sheet->printed);
    if (sheet->printed > 0)
        return cf_write_out(NAME, NULL, sheet->out.bytes, sheet->out.len);
    if (!options->pod && !options->container)
        return cf_usage(NAME, "the pod has no containers: is its file cut off?");
    return cf_usage(NAME, "no such %s in it", options->container ? "container" : "pod");
}

static int read_file(struct cf_arena *arena, const struct kp_profile *profile, const char *path,
                     struct cf_histories *all)
{
    struct cf_manifest_file file;
    struct cf_fault fault;
    int code = cf_manifest_file_open(arena, path, &file);
    enum kp_err err;

    if (code != CF_EXIT_OK)
        return code;
    err = cf_history_read(arena, profile, file.bytes, all, &fault);
    if (err == KP_ENOMEM)
        return cf_no_memory(NAME);
    if (err == KP_OK)
        return CF_EXIT_OK;
    cf_print(stderr, "%s:%d:%d: %.*s\n", file.name, fault.at.line, fault.at.column,
             KP_ARG(fault.message));
    return CF_EXIT_USAGE;
}

/* All that was read, by the name of the first file. */
static int refuse_empty(const struct cf_histories *all, const struct cf_inputs *files)
{
    const char *first = strcmp(files->paths[0], "-") == 0 ? "standard input" : files->paths[0];
    const char *others = files->count > 1 ? " or the other files" : "";

    char bytes[300]; /* 63 that are quoted to four each, and the quotes */
    struct kp_buf kind = {bytes, sizeof bytes, 0};

    if (all->passed) {
        cf_manifest_put_kind(&kind, all->passed->text);
        return cf_usage(NAME,
                        "no pod in %s%s, but kind %.*s; `kubectl get pod NAME -o yaml` "
                        "prints one with its history",
                        first, others, KP_ARG(kp_buf_text(&kind)));
    }
    return cf_usage(NAME,
                    "no pod in %s%s%s; `kubectl get pod NAME -o yaml` prints one with its "
                    "history",
                    first, others, all->events_seen ? ", only events" : "");
}

static int read_all(struct cf_arena *arena, const struct options *options,
                    const struct kp_profile *profile, const struct cf_inputs *files)
{
    struct cf_histories all = {0};
    struct sheet sheet = {.arena = arena, .options = options, .profile = profile, .all = &all};
    int worst = CF_EXIT_OK;
    int code;

    for (size_t i = 0; i < files->count; i++) {
        code = read_file(arena, profile, files->paths[i], &all);
        worst = code > worst ? code : worst;
    }
    if (all.count == 0)
        return worst > CF_EXIT_OK ? worst : refuse_empty(&all, files);
    if (cf_history_join(arena, &all) != KP_OK)
        return cf_no_memory(NAME);
    sheet.brief = all.count > FEW && !options->json && !options->pod && !options->container;
    code = print_all(&sheet);
    cf_out_deinit(&sheet.out);
    return code > worst ? code : worst;
}

int cf_why_command(int argc, char **argv)
{
    struct kp_profile profile;
    struct options args = {0};
    const struct cf_option options[] = {{"k8s", .profile = &profile},
                                        {"pod", .word = &args.pod},
                                        {"container", 'c', .word = &args.container},
                                        {"json", .flag = &args.json},
                                        {0}};
    struct cf_inputs files;
    struct cf_arena arena = {.mem = cf_libc_mem()};
    int code = cf_read_options(NAME, argc, argv, options, NULL);

    if (code >= 0)
        return code;
    if (optind == argc)
        return cf_usage(NAME, "wanted a file, or - for what is piped: kubectl get pod NAME -o yaml "
                              "| probetest why -");
    code = cf_inputs_find(&arena, NAME, argv + optind, argc - optind, &files);
    if (code == CF_EXIT_OK)
        code = read_all(&arena, &args, &profile, &files);
    cf_arena_deinit(&arena);
    return code;
}
