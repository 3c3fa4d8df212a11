/* probe_watch_test.c: a watch that lasts long, and one with many probes at once. */
#include "conformance/probe/probe_watch.h"

#include "conformance/pod/manifest.h"
#include "fakes/rig.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- memory that is counted ------------------------------------------------------------------ */

struct counted {
    size_t live;
    size_t peak;
};

static void *take(void *ctx, size_t size)
{
    struct counted *counted = ctx;
    size_t *block = malloc(sizeof(max_align_t) + size);

    if (!block)
        return NULL;
    *block = size;
    counted->live += size;
    if (counted->live > counted->peak)
        counted->peak = counted->live;
    return (char *)block + sizeof(max_align_t);
}

static void give(void *ctx, void *memory)
{
    struct counted *counted = ctx;
    size_t *block;

    if (!memory)
        return;
    block = (size_t *)(void *)((char *)memory - sizeof(max_align_t));
    counted->live -= *block;
    free(block);
}

/* ---- a watch --------------------------------------------------------------------------------- */

struct stage {
    struct cf_arena arena;
    struct cf_manifest manifest;
    struct kp_profile profile;
    struct counted counted;
    FILE *lines;
    bool healthy;
};

static const int listened[] = {SIGINT, SIGTERM, SIGPIPE};

static void watch(struct stage *stage, const char *yaml, int64_t for_ns, int64_t speed)
{
    const struct kp_mem mem = {take, give, &stage->counted};
    const char *why = NULL;
    struct cf_probe_choice choice = {
        .profile = &stage->profile, .type = -1, .pod_ip = KP_TEXT("127.0.0.1"), .json = true};
    struct cf_probe_watching watching = {.for_ns = for_ns, .to = stage->lines, .speed = speed};
    struct sigaction before[3];

    for (size_t i = 0; i < 3; i++)
        sigaction(listened[i], NULL, &before[i]);
    stage->arena = (struct cf_arena){.mem = cf_libc_mem()};
    stage->counted = (struct counted){0};
    CHECK_INT(kp_profile_init(&stage->profile, KP_TEXT("1.36")), KP_OK);
    if (CHECK_INT(cf_manifest_read(&stage->arena, &stage->profile, "watched", kp_text_of(yaml),
                                   &stage->manifest),
                  KP_OK)) {
        choice.pod = stage->manifest.pods[0].pod;
        CHECK_INT(cf_probe_watch(&mem, &choice, &watching, &stage->healthy, &why), KP_OK);
    }
    for (size_t i = 0; i < 3; i++)
        sigaction(listened[i], &before[i], NULL);
    CHECK_INT(stage->counted.live, 0);
    cf_arena_deinit(&stage->arena);
}

static size_t count_lines(FILE *lines, const char *word)
{
    static char line[65536];
    size_t count = 0;

    rewind(lines);
    while (fgets(line, sizeof line, lines))
        count += strstr(line, word) != NULL;
    return count;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void serve(int listener)
{
    static char reply[11000] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";

    memset(reply + strlen(reply), 'x', 10240);
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        char request[4096];

        if (fd >= 0 && recv(fd, request, sizeof request, 0) > 0)
            send(fd, reply, strlen(reply), MSG_NOSIGNAL);
        close(fd);
    }
}

/*
 * Ten containers, each probed once a second, of which 250 pass in one of waiting: what the
 * machine does meanwhile takes no time.
 */
static void a_watch_that_lasts_long_takes_no_more_memory(void)
{
    enum { SECONDS = 150, CONTAINERS = 10, BYTES_MAX = 1024 * 1024 };
    char yaml[8192] = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n";
    struct stage stage = {.lines = tmpfile()};
    int32_t port;
    int listener = rig_listen(&port);
    pid_t server = fork();
    size_t answers;

    if (server == 0)
        serve(listener);
    for (size_t i = 0, len; i < CONTAINERS; i++) {
        len = strlen(yaml);
        snprintf(yaml + len, sizeof yaml - len,
                 "  - {name: c%zu, image: i, imagePullPolicy: IfNotPresent, readinessProbe: "
                 "{httpGet: {port: %d}, periodSeconds: 1, timeoutSeconds: 3600}}\n",
                 i, (int)port);
    }
    if (CHECK(stage.lines)) {
        rig_clock_set(RIG_CLOCK_STANDS);
        watch(&stage, yaml, SECONDS * KP_NS_PER_S, 250);
        rig_clock_set(RIG_CLOCK_RUNS);
        answers = count_lines(stage.lines, "readiness success: xxxx");
        CHECK(stage.healthy);
        CHECK(count_lines(stage.lines, "\"e\":\"probe\"") - answers <= CONTAINERS);
        CHECK(answers * 10240 > 2 * BYTES_MAX);
        CHECK(stage.counted.peak < BYTES_MAX);
        fclose(stage.lines);
    }
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    close(listener);
}

/* How many of c0, c1 ... have a line that says what became of their probe. */
static size_t count_containers(FILE *lines, size_t containers)
{
    size_t count = 0;
    char word[64];

    for (size_t i = 0; i < containers; i++) {
        snprintf(word, sizeof word, "\"c%zu/1 readiness failure: ", i);
        count += count_lines(lines, word) > 0;
    }
    return count;
}

/* All of them hang until their time, a second, is over. */
static void of_a_hundred_at_once_each_has_its_line(void)
{
    const size_t containers = rig_is_simulated() ? 10 : 100;
    char yaml[32768] = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n";
    struct stage stage = {.lines = tmpfile()};
    int32_t port;
    int listener = rig_listen(&port);

    for (size_t i = 0, len; i < containers; i++) {
        len = strlen(yaml);
        snprintf(yaml + len, sizeof yaml - len,
                 "  - {name: c%zu, image: i, imagePullPolicy: IfNotPresent, readinessProbe: "
                 "{httpGet: {port: %d}, periodSeconds: 60, timeoutSeconds: 1}}\n",
                 i, (int)port);
    }
    if (CHECK(stage.lines)) {
        rig_clock_set(RIG_CLOCK_LEAPS);
        watch(&stage, yaml, 1900 * KP_NS_PER_MS, 1);
        rig_clock_set(RIG_CLOCK_RUNS);
        CHECK(!stage.healthy);
        CHECK_INT(count_containers(stage.lines, containers), containers);
        CHECK_INT(count_lines(stage.lines, "ness failure: "), containers); /* and none has two */
        fclose(stage.lines);
    }
    close(listener);
}

const struct unit_test probe_watch_test[] = {
    {"a watch that lasts long takes no more memory", a_watch_that_lasts_long_takes_no_more_memory},
    {"of a hundred at once each has its line", of_a_hundred_at_once_each_has_its_line},
    {0},
};
