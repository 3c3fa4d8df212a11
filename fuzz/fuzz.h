/* fuzz.h: what every target has: its entry, and a check that ends the run. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A broken promise is a crash, so that the fuzzer keeps the input. */
#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* libFuzzer's entry: everything comes from the bytes and from nothing else. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* libFuzzer's hook for changes that know the format; only some targets have one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
