/* exec_group_test.c: those that a command begins, and that outlive it. */
#include "fakes/rig.h"

/* Of its group none is left that cannot be asked to end, whether its time is over or it is given
 * up: each of them holds the pipe. */
static void nothing_of_a_command_is_left(void)
{
    for (int cancels = 0; cancels < 2; cancels++) {
        struct pollfd ready = {.events = POLLIN};
        char script[160];
        struct kp_text words[] = {{"sh", 2}, {"-c", 2}, {script, 0}};
        const struct kp_exec_action exec = {{words, 3}};
        struct rig rig;
        kp_attempt_id id;
        int ends[2];
        char byte;

        CHECK_INT(pipe(ends), 0);
        ready.fd = ends[0];
        words[2].len = (size_t)snprintf(script, sizeof script,
                                        "(trap '' TERM HUP INT; echo x >/proc/self/fd/%d; "
                                        "while :; do sleep 30; done) & wait",
                                        ends[1]);
        rig_init(&rig, "1.36", &(struct kp_handler){.exec = &exec});
        rig.attempt.timeout_ns = 60 * KP_NS_PER_S;
        id = rig_start(&rig);
        while (rig.result.count == 0 && poll(&ready, 1, 0) == 0)
            kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
        CHECK_INT(rig.result.count, 0);
        CHECK_INT(read(ends[0], &byte, 1), 1);
        CHECK_INT(read(ends[0], &byte, 1), 1);
        if (cancels)
            kp_handlers_cancel(rig.handlers, id);
        else
            rig_clock_pass(60 * KP_NS_PER_S);
        rig_drain(&rig);
        rig_clock_set(RIG_CLOCK_RUNS);
        CHECK_INT(rig.result.count, !cancels);
        rig_end(&rig);
        close(ends[1]);
        CHECK_INT(poll(&ready, 1, 20000), 1);
        CHECK(ready.revents & POLLHUP);
        close(ends[0]);
    }
}

/* What holds one of its streams open is waited for, when it has ended and the other one has, too.
 */
static void what_comes_late_is_waited_for(void)
{
    static const char *const scripts[] = {
        "(exec >&-; read x; echo late >&2) </proc/self/fd/%d & echo $$ >/proc/self/fd/%d; echo a",
        "(exec 2>&-; read x; echo late) </proc/self/fd/%d & echo $$ >/proc/self/fd/%d; echo a >&2"};

    for (size_t i = 0; i < 2; i++) {
        int go_on[2];
        int pids[2];
        struct pollfd ready = {.events = POLLIN};
        char pid[16] = "";
        char script[160];
        struct kp_text words[] = {{"sh", 2}, {"-c", 2}, {script, 0}};
        const struct kp_exec_action exec = {{words, 3}};
        struct rig rig;

        CHECK_INT(pipe(go_on), 0);
        CHECK_INT(pipe(pids), 0);
        ready.fd = pids[0];
        words[2].len = (size_t)snprintf(script, sizeof script, scripts[i], go_on[0], pids[1]);
        rig_init(&rig, "1.36", &(struct kp_handler){.exec = &exec});
        rig_start(&rig);
        while (rig.result.count == 0 && poll(&ready, 1, 0) == 0)
            kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
        CHECK(read(pids[0], pid, sizeof pid - 1) > 1);
        while (rig.result.count == 0 &&
               kill(atoi(pid), 0) == 0) /* it is reaped when it has ended */
            kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
        for (int more = 0; more < 3; more++)
            kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
        CHECK_INT(rig.result.count, 0);
        CHECK_INT(write(go_on[1], "\n", 1), 1);
        rig_drain(&rig);
        CHECK_STRING(rig.result.output, i == 0 ? "a\nlate\n" : "late\na\n");
        rig_end(&rig);
        for (int end = 0; end < 2; end++) {
            close(go_on[end]);
            close(pids[end]);
        }
    }
}

/* Upstream: Go, os/exec Cmd.childStdin. */
static void a_command_cannot_write_to_its_input(void)
{
    static const struct kp_text words[] = {
        {"sh", 2}, {"-c", 2}, {"{ echo x >&0; } 2>/dev/null && echo yes || echo no", 50}};
    static const struct kp_exec_action exec = {{words, 3}};
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.exec = &exec});
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_STRING(rig.result.output, "no\n");
    rig_end(&rig);
}

/* This process stands in for a container, whose variables its commands have. */
static void a_command_has_the_variables_of_its_surroundings(void)
{
    static const struct kp_text words[] = {{"sh", 2}, {"-c", 2}, {"echo $PROBETEST_SEEN", 20}};
    static const struct kp_exec_action exec = {{words, 3}};
    struct rig rig;

    setenv("PROBETEST_SEEN", "yes", 1);
    rig_init(&rig, "1.36", &(struct kp_handler){.exec = &exec});
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_STRING(rig.result.output, "yes\n");
    rig_end(&rig);
    unsetenv("PROBETEST_SEEN");
}

const struct unit_test exec_group_test[] = {
    {"nothing of a command is left", nothing_of_a_command_is_left},
    {"what comes late is waited for", what_comes_late_is_waited_for},
    {"a command has the variables of its surroundings",
     a_command_has_the_variables_of_its_surroundings},
    {"a command cannot write to its input", a_command_cannot_write_to_its_input},
    {0},
};
