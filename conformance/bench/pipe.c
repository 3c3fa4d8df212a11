/*
 * pipe.c: what the runner adds to the round trip over the pipe: the same child, the same
 * bytes, once with bare write and read, once through the adapter with all its guards.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include "conformance/protocol/adapter.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRIPS 20000
#define ROUNDS 5

/* ---- the child: answers at once, by looking for no more than id, op and to ----------------- */

static long after(const char *line, const char *key)
{
    const char *at = strstr(line, key);

    return at ? strtol(at + strlen(key), NULL, 10) : 0;
}

static int child(void)
{
    char line[4096];
    char reply[4096];

    while (fgets(line, sizeof line, stdin)) {
        long id = after(line, "\"id\":");
        int len;

        if (strstr(line, "\"op\":\"advance\""))
            len = snprintf(reply, sizeof reply,
                           "{\"id\":%ld,\"ok\":{\"at\":%ld,\"effects\":[{\"e\":\"probe\",\"n\":%ld,"
                           "\"container\":\"web\",\"cid\":\"c1\",\"type\":\"liveness\","
                           "\"attempt\":1}]}}\n",
                           id, after(line, "\"to\":"), id);
        else if (strstr(line, "\"op\":\"hello\""))
            len = snprintf(
                reply, sizeof reply,
                "{\"id\":%ld,\"ok\":{\"protocol\":1,\"name\":\"x\",\"layers\":[\"probe\"]}}\n", id);
        else if (strstr(line, "\"op\":\"open\""))
            len = snprintf(reply, sizeof reply, "{\"id\":%ld,\"ok\":{\"at\":0,\"effects\":[]}}\n",
                           id);
        else
            len = snprintf(reply, sizeof reply, "{\"id\":%ld,\"ok\":{}}\n", id);
        if (write(STDOUT_FILENO, reply, (size_t)len) != len)
            return 1;
    }
    return 0;
}

/* ---- both ways ---------------------------------------------------------------------------- */

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double bare_us(const char *self)
{
    int to[2];
    int from[2];
    double start;
    char line[4096];
    pid_t pid;

    if (pipe(to) != 0 || pipe(from) != 0 || (pid = fork()) < 0)
        return -1;
    if (pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[1]);
        close(from[0]);
        execl(self, self, "--child", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    start = now_us();
    for (int i = 1; i <= TRIPS; i++) {
        int len = snprintf(line, sizeof line,
                           "{\"id\":%d,\"op\":\"advance\",\"to\":%d,\"events\":[{\"e\":\"answer\","
                           "\"n\":%d,\"result\":\"success\"}]}\n",
                           i, i * 1000, i);

        if (write(to[1], line, (size_t)len) != len || read(from[0], line, sizeof line) <= 0)
            return -1;
    }
    start = (now_us() - start) / TRIPS;
    close(to[1]);
    close(from[0]);
    return start;
}

static void count(void *ctx, const struct kp_effect *effect)
{
    *(int *)ctx += effect->kind == KP_EFFECT_PROBE;
}

static double runner_us(char *self)
{
    static char flag[] = "--child";
    static const struct kp_container containers[] = {{.name = {"web", 3}, .kind = KP_REGULAR}};
    static const struct kp_pod pod = {.containers = containers, .regular_count = 1};
    const struct kp_pod *pods[] = {&pod};
    const struct fake_open open = {.pods = pods, .pod_count = 1};
    const struct cf_hello hello = {.protocol = 1, .k8s = {"1.36", 4}};
    char *argv[] = {self, flag, NULL};
    struct cf_adapter *adapter = cf_adapter_new(argv, NULL);
    struct fake_impl impl = cf_adapter_impl(adapter);
    int probes = 0;
    struct kp_sink sink = {count, &probes};
    int64_t at_ns;
    double start;

    cf_adapter_begin(adapter);
    if (!cf_adapter_hello(adapter, &hello) || !impl.open(impl.ctx, &open, sink, &at_ns))
        return -1;
    start = now_us();
    for (int i = 1; i <= TRIPS; i++) {
        struct kp_event answer = {.kind = KP_EVENT_ANSWER, .container = -1};

        answer.u.answer.n = (uint32_t)i;
        if (!impl.advance(impl.ctx, i * KP_NS_PER_S, &answer, 1, sink, &at_ns))
            return -1;
    }
    start = (now_us() - start) / TRIPS;
    impl.close(impl.ctx);
    cf_adapter_free(adapter);
    return probes == TRIPS ? start : -1;
}

/* Both ways and both processes: else the scheduler's choice of processors is what is measured. */
static void stay_on_one_processor(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(sched_getcpu() > 0 ? (size_t)sched_getcpu() : 0, &set);
    sched_setaffinity(0, sizeof set, &set);
}

int main(int argc, char **argv)
{
    double bare = 1e9;
    double runner = 1e9;

    if (argc > 1 && strcmp(argv[1], "--child") == 0)
        return child();
    stay_on_one_processor();
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < ROUNDS; i++) {
        double a = bare_us(argv[0]);
        double b = runner_us(argv[0]);

        if (a < 0 || b < 0) {
            fputs("pipe: the child does not answer\n", stderr);
            return 1;
        }
        bare = a < bare ? a : bare;
        runner = b < runner ? b : runner;
    }
    printf("round trip over the pipe      %6.2f us\n"
           "the same through the runner   %6.2f us: it adds %.2f of the bare one (at most 1.5)\n",
           bare, runner, runner / bare - 1);
    return 0;
}
