/* probe_command.c: `probetest probe`: does this pod pass its probes, as the kubelet would see it?
 */
#include "conformance/pod/lint.h"
#include "conformance/pod/manifest_file.h"
#include "conformance/probe/probe_watch.h"
#include "conformance/protocol/wire.h"
#include "conformance/text/cli.h"
#include "conformance/text/print.h"
#include "conformance/text/versions.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#define NAME "probe"
#define WATCH_NS (366 * 24 * 3600 * KP_NS_PER_S) /* where --for does not say */

struct options {
    const char *file;
    const char *container;
    const char *pod;
    const char *pod_ip;
    int type;
    int64_t for_ns;
    struct kp_profile profile;
    bool watch;
    bool json;
};

/* ---- the command line ------------------------------------------------------------------------ */

/* Returns an exit code, or -1: go on. */
static int read_command_line(struct options *args, int argc, char **argv)
{
    static const char *const types[] = {
        [KP_LIVENESS] = "liveness", [KP_READINESS] = "readiness", [KP_STARTUP] = "startup", NULL};
    const struct cf_option options[] = {{"container", 'c', .word = &args->container},
                                        {"type", .choice = &args->type, .choices = types},
                                        {"pod-ip", .word = &args->pod_ip},
                                        {"pod", .word = &args->pod},
                                        {"k8s", .profile = &args->profile},
                                        {"watch", .flag = &args->watch},
                                        {"for", .ns = &args->for_ns, .min_ns = 1},
                                        {"json", .flag = &args->json},
                                        {0}};
    int exit = cf_read_options(NAME, argc, argv, options, NULL);

    if (exit >= 0)
        return exit;
    if (optind + 1 != argc)
        return cf_usage(NAME, optind == argc ? "no file" : "more than one file");
    if (args->for_ns > 0 && !args->watch)
        return cf_usage(NAME, "--for is for --watch");
    args->file = argv[optind];
    return -1;
}

/* ---- one pod --------------------------------------------------------------------------------- */

static int no_memory(void)
{
    cf_print(stderr, "probetest " NAME ": out of memory or descriptors\n");
    return CF_EXIT_USAGE;
}

/* Probes that are not chosen are taken out of the pod, and nothing is pulled. */
static void prepare_pod(const struct options *options, struct kp_pod *pod)
{
    struct kp_container *containers = (struct kp_container *)pod->containers;

    for (size_t i = 0; i < kp_pod_container_count(pod); i++) {
        containers[i].image_pull_policy = KP_TEXT("IfNotPresent");
        for (int type = 0; type < KP_PROBE_TYPES; type++)
            if ((options->type >= 0 && options->type != type) ||
                (options->container &&
                 !kp_text_equal(containers[i].name, kp_text_of(options->container))))
                containers[i].probes[type] = NULL;
    }
}

static void print_head(const struct options *options, const struct kp_pod *pod)
{
    struct cf_out version = {0};

    cf_put_profile(&version, &options->profile);
    cf_print(stdout, "%.*s on Kubernetes %.*s, at %s%s\n", KP_ARG(pod->name), KP_ARG(version),
             options->pod_ip[0] ? options->pod_ip : "no address",
             options->watch ? ", in real time: what is killed here is only said to be" : "");
    cf_out_deinit(&version);
}

static int watch_pod(const struct options *options, const struct cf_probe_choice *choice)
{
    bool healthy = false;
    const char *why = NULL;
    const struct cf_probe_watching watching = {
        .for_ns = options->for_ns > 0 ? options->for_ns : WATCH_NS, .to = stdout};
    enum kp_err err = cf_probe_watch(cf_libc_mem(), choice, &watching, &healthy, &why);

    if (err == KP_EINPUT)
        cf_print(stderr, "%s: %s\n", options->file, why);
    if (err == KP_ENOMEM)
        return no_memory();
    return err != KP_OK ? CF_EXIT_USAGE : healthy ? CF_EXIT_OK : CF_EXIT_FAILED;
}

static int shoot_pod(const struct cf_probe_choice *choice)
{
    struct cf_out out = {0};
    bool healthy = false;
    enum kp_err err = cf_probe_attempt(cf_libc_mem(), choice, &out, &healthy);

    if (err == KP_OK)
        (void)cf_write_out(NAME, NULL, out.bytes, out.len);
    cf_out_deinit(&out);
    if (err != KP_OK)
        return no_memory();
    return healthy ? CF_EXIT_OK : CF_EXIT_FAILED;
}

static int probe_pod(const struct options *options, struct kp_pod *pod)
{
    struct cf_probe_choice choice = {.profile = &options->profile,
                                     .pod = pod,
                                     .container = options->container,
                                     .type = options->type,
                                     .pod_ip = kp_text_of(options->pod_ip),
                                     .json = options->json};

    if (cf_probe_choice_count(&choice) == 0)
        return cf_usage(NAME, "%s: the pod has no %s%s%s%s", options->file,
                        options->type >= 0 ? cf_word(&cf_probe_type_words, options->type) : "",
                        options->type >= 0 ? " probe" : "probe",
                        options->container ? " of a container " : "",
                        options->container ? options->container : "");
    if (!options->json)
        print_head(options, pod);
    fflush(stdout);
    prepare_pod(options, pod);
    return options->watch ? watch_pod(options, &choice) : shoot_pod(&choice);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The pod that is meant; NULL: the usage error is printed. */
static struct kp_pod *choose_pod(const struct options *options, const struct cf_manifest *manifest)
{
    struct kp_pod *chosen = NULL;
    size_t count = 0;

    for (size_t i = 0; i < manifest->pod_count; i++) {
        const struct cf_manifest_pod *pod = &manifest->pods[i];

        if (!cf_manifest_pod_is_called(pod, options->pod))
            continue;
        chosen = pod->pod;
        count++;
    }
    if (count == 1)
        return chosen;
    if (count == 0)
        cf_usage(NAME, "%s has no pod '%s'", options->file, options->pod);
    else
        cf_usage(NAME, "%s has %zu pods; choose one with --pod NAME", options->file, count);
    return NULL;
}

static int probe_file(const struct options *options, struct cf_arena *arena)
{
    struct cf_manifest_file file;
    struct cf_manifest manifest;
    struct kp_pod *pod;
    int code = cf_manifest_file_open(arena, options->file, &file);

    if (code == CF_EXIT_OK)
        code = cf_manifest_file_read(arena, NAME, &options->profile, &file, &manifest);
    if (code != CF_EXIT_OK)
        return code;
    if (cf_lint_refuse(arena, &options->profile, &manifest) != KP_OK)
        return CF_EXIT_USAGE;
    pod = choose_pod(options, &manifest);
    return pod ? probe_pod(options, pod) : CF_EXIT_USAGE;
}

int cf_probe_command(int argc, char **argv)
{
    struct options options = {.pod_ip = "127.0.0.1", .type = -1};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    int code = read_command_line(&options, argc, argv);

    if (code >= 0)
        return code;
    options.json = options.json || (options.watch && !isatty(STDOUT_FILENO));
    code = probe_file(&options, &arena);
    cf_arena_deinit(&arena);
    return code;
}
