#include "fakes/shell.h"
#include "fakes/unit.h"

static bool read_script(struct fake_shell *shell, const char *script)
{
    struct kp_text command[] = {KP_TEXT("/bin/sh"), KP_TEXT("-c"), kp_text_of(script)};
    struct kp_container container = {.args = {command, 3}};

    return fake_shell_read(shell, &container);
}

static int exit_of(const struct fake_shell *shell, const char *program, const char *path,
                   int64_t age_s)
{
    struct kp_text words[] = {kp_text_of(program), kp_text_of(path)};
    struct kp_text_list command = {words, 2};
    char bytes[128];
    struct kp_buf output = {bytes, sizeof bytes, 0};
    int32_t code = -1;

    return fake_shell_exec(shell, &command, age_s * KP_NS_PER_S, &code, &output) ? code : -1;
}

static void the_tutorial_is_understood(void)
{
    struct fake_shell shell;

    CHECK(read_script(&shell, "touch /tmp/healthy; sleep 30; rm -rf /tmp/healthy; sleep 600"));
    CHECK_INT(shell.ends_ns, 630 * KP_NS_PER_S);
    CHECK_INT(shell.exit_code, 0);
    CHECK_INT(exit_of(&shell, "cat", "/tmp/healthy", 0), 0);
    CHECK_INT(exit_of(&shell, "cat", "/tmp/healthy", 29), 0);
    CHECK_INT(exit_of(&shell, "cat", "/tmp/healthy", 30), 1);
    CHECK_INT(exit_of(&shell, "cat", "/etc/passwd", 0), -1);
    CHECK_INT(exit_of(&shell, "wget", "/tmp/healthy", 0), -1);
}

static void endings_are_found(void)
{
    static const struct {
        const char *script;
        int64_t ends_ns;
        int code;
    } rows[] = {
        {"sleep 1.5; exit 3", 1500000000, 3},
        {"sleep 2m && exit 255", 120 * KP_NS_PER_S, 255},
        {"echo hello > /tmp/a\nsleep infinity", KP_NEVER, 0},
        {"touch /a; while true; do sleep 1; done", KP_NEVER, 0},
        {"sleep 10s", 10 * KP_NS_PER_S, 0},
        {"", 0, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fake_shell shell;

        CHECK(read_script(&shell, rows[i].script));
        CHECK_INT(shell.ends_ns, rows[i].ends_ns);
        CHECK_INT(shell.exit_code, rows[i].code);
    }
}

static void what_is_not_simple_is_left_alone(void)
{
    static const char *const scripts[] = {
        "nginx -g 'daemon off;'",
        "sleep $N",
        "sleep 5 &",
        "trap exit TERM; sleep 5",
        "a | b",
        "sleep x",
        "touch 'a",
        "while true; do ./work; done",
        "if true; then exit 1; fi",
    };

    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        struct fake_shell shell;

        CHECK(!read_script(&shell, scripts[i]));
    }
}

const struct unit_test shell_test[] = {
    {"the tutorial is understood", the_tutorial_is_understood},
    {"endings are found", endings_are_found},
    {"what is not simple is left alone", what_is_not_simple_is_left_alone},
    {0},
};
