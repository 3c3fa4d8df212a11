/* crowd_test.c: two thousand attempts at once. */
#define _GNU_SOURCE
#include "fakes/rig.h"

#include <sys/resource.h>

#define MANY 2000 /* a fortieth of it under valgrind */

static void many_are_in_flight_in_one_thread(void)
{
    const size_t many = rig_is_simulated() ? MANY / 40 : MANY;
    struct rlimit files = {0};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    size_t threads = rig_count_entries("/proc/self/task");
    int server = rig_listen(&get.port.number);
    size_t started = 0;
    struct rig rig;
    kp_attempt_id id;

    rig_clock_set(RIG_CLOCK_LEAPS);
    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig.attempt.timeout_ns = 2 * KP_NS_PER_S;
    getrlimit(RLIMIT_NOFILE, &files);
    while (started < many && started + 100 < files.rlim_cur &&
           kp_handlers_start(rig.handlers, &rig.attempt, &id) == KP_OK)
        started++;
    CHECK_INT(kp_handlers_in_flight(rig.handlers), started);
    kp_handlers_step(rig.handlers, kp_handlers_now_ns() + 50 * KP_NS_PER_MS);
    CHECK_INT(rig.result.count, 0);
    CHECK_INT(rig_count_entries("/proc/self/task"), threads);
    rig_drain(&rig);
    CHECK_INT(rig.result.count, started);
    CHECK_INT(rig.result.answer, KP_ANSWER_FAILURE);
    CHECK(strstr(rig.result.output, "(Client.Timeout exceeded while awaiting headers)") != NULL);
    CHECK_INT(rig.result.took_ns / KP_NS_PER_MS, rig.attempt.timeout_ns / KP_NS_PER_MS);
    rig_end(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    close(server);
}

const struct unit_test crowd_test[] = {
    {"two thousand are in flight in one thread", many_are_in_flight_in_one_thread},
    {0},
};
