/* pod-yaml.c: bytes as YAML to a checked pod: errors lie inside the input, what is stored is
 * stored again as it is. */
#include "fuzz/fuzz.h"
#include "fuzz/shared/mutate.h"
#include "fuzz/shared/pod_promises.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_lines(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_pod((struct kp_text){(const char *)data, size}, false);
    return 0;
}
