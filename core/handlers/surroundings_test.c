/* surroundings_test.c: what a program that uses libcurl finds in its surroundings, and a probe does
 * not. */
#include "fakes/rig.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct sent {
    char bytes[1024];
    size_t len;
};

static void note_sent(void *ctx, enum kp_wire direction, struct kp_text bytes)
{
    struct sent *sent = ctx;
    size_t room = sizeof sent->bytes - 1 - sent->len;

    if (direction != KP_WIRE_SENT || bytes.len > room)
        return;
    memcpy(sent->bytes + sent->len, bytes.bytes, bytes.len);
    sent->len += bytes.len;
}

static void set_all(const char *const *names, size_t count, const char *value)
{
    for (size_t i = 0; i < count; i++)
        CHECK_INT(value ? setenv(names[i], value, 1) : unsetenv(names[i]), 0);
}

/* A .netrc with a password for the host, and proxies that nobody answers at. */
static void files_and_environment_have_no_say(void)
{
    static const char *const proxies[] = {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"};
    const size_t count = sizeof proxies / sizeof proxies[0];
    const char *home = getenv("HOME");
    char *before = home ? strdup(home) : NULL;
    char folder[RIG_FOLDER];
    char path[RIG_FOLDER + 16];
    char wanted[256];
    struct kp_http_get_action get = {
        .host = KP_TEXT("localhost"), .port = {.kind = KP_INTSTR_INT}, .path = KP_TEXT("/")};
    int server = rig_listen(&get.port.number);
    struct sent sent = {0};
    struct rig rig;
    FILE *file;
    int fd;

    CHECK(rig_make_folder(folder));
    snprintf(path, sizeof path, "%s/.netrc", folder);
    file = fopen(path, "w");
    if (CHECK(file)) {
        fputs("machine localhost login me password secret\ndefault login me password secret\n",
              file);
        fclose(file);
    }
    set_all(proxies, count, "http://127.0.0.1:1");
    setenv("HOME", folder, 1);
    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig.attempt.wire = note_sent;
    rig.attempt.ctx = &sent;
    rig.attempt.finished = NULL;
    rig_start(&rig);
    fd = rig_accept(&rig, server);
    CHECK(fd >= 0);
    if (fd >= 0)
        close(fd);
    rig_drain(&rig);
    rig_end(&rig);
    snprintf(
        wanted, sizeof wanted,
        "GET / HTTP/1.1\r\nHost: localhost:%d\r\nUser-Agent: kube-probe/1.36\r\nAccept: */*\r\n"
        "Connection: close\r\n\r\n",
        (int)get.port.number);
    CHECK_STRING(sent.bytes, wanted);
    set_all(proxies, count, NULL);
    if (before)
        setenv("HOME", before, 1);
    free(before);
    unlink(path);
    rmdir(folder);
    close(server);
}

const struct unit_test surroundings_test[] = {
    {"files and environment have no say", files_and_environment_have_no_say},
    {0},
};
