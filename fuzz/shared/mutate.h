/* mutate.h: changes that know what lines of YAML or JSON look like. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own changes; there is none in a replay. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/*
 * Repeat, drop or swap lines, put a field of a pod where one fits, another spelling in place of a
 * value; else what libFuzzer does.  For LLVMFuzzerCustomMutator.
 */
size_t mutate_lines(uint8_t *data, size_t size, size_t max_size, unsigned seed);
