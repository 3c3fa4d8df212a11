/* case.c: bytes as a file of cases: loaded, or errors; each has a place inside. */
#include "conformance/table/case.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/mutate.h"
#include "fuzz/shared/pod_promises.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_lines(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kp_text bytes = {(const char *)data, size};
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    enum kp_err err;

    err = cf_suite_add(&suite, "input.yaml", bytes);
    PROMISE(err == KP_OK || err == KP_EINPUT);
    PROMISE((err == KP_OK) == (suite.fault_count == 0));
    for (size_t i = 0; i < suite.fault_count; i++)
        PROMISE(place_is_inside(bytes, WRITTEN_YAML, suite.faults[i].at) &&
                suite.faults[i].message.len > 0);
    cf_suite_deinit(&suite);
    return 0;
}
