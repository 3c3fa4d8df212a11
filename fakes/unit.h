/*
 * unit.h: how a test beside its module is written: an array of named functions, and checks that
 * print both values.
 *
 * x_test.c defines `const struct unit_test x_test[] = {{"a sentence", function}, ..., {0}};` and no
 * main.
 */
#pragma once

#include "core/base/err.h"
#include "core/rules/profile.h"

struct unit_test {
    const char *sentence;
    void (*run)(void);
};

struct unit_suite {
    const char *name;
    const struct unit_test *tests;
};

/* Made by the Makefile from the names of the test files; ended by a zero row. */
extern const struct unit_suite unit_suites[];

/* Each prints got and want where they differ, fails the test, and goes on. */
#define CHECK(condition) unit_check((condition), #condition, __FILE__, __LINE__)
#define CHECK_INT(got, want)                                                                       \
    unit_check_int((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)
#define CHECK_TEXT(got, want) unit_check_text((got), (want), #got, __FILE__, __LINE__)
#define CHECK_STRING(got, want)                                                                    \
    unit_check_text(kp_text_of(got), kp_text_of(want), #got, __FILE__, __LINE__)

bool unit_check(bool holds, const char *what, const char *file, int line);
bool unit_check_int(int64_t got, int64_t want, const char *what, const char *file, int line);
bool unit_check_text(struct kp_text got, struct kp_text want, const char *what, const char *file,
                     int line);

/* The profile of a version that there is: "1.36". */
static inline struct kp_profile unit_profile(const char *k8s)
{
    struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, kp_text_of(k8s)), KP_OK);
    return profile;
}
