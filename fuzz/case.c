/* case.c: bytes as a file of cases: loaded, or complained of; each complaint has a place. */
#include "conformance/table/case.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_suite suite;
    enum kp_err err;

    cf_suite_init(&suite, cf_libc_mem());
    err = cf_suite_add(&suite, "input.yaml", (struct kp_text){(const char *)data, size});
    PROMISE(err == KP_OK || err == KP_EINPUT);
    PROMISE((err == KP_OK) == (suite.fault_count == 0));
    cf_suite_deinit(&suite);
    return 0;
}
