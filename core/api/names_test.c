#include "core/api/names.h"
#include "fakes/unit.h"

#include <string.h>

enum { BYTES = 300 };

/* So many letters, with `tail` behind them. */
static struct kp_text long_name(char *bytes, char letter, size_t count, const char *tail)
{
    memset(bytes, letter, count);
    memcpy(bytes + count, tail, strlen(tail));
    return (struct kp_text){bytes, count + strlen(tail)};
}

/* What is too long may be wrong beside that: both are said (apimachinery util/validation). */
static void each_fault_is_reported(void)
{
    static const struct {
        enum { LABEL, SUBDOMAIN, PORT, QUALIFIED } kind;
        char letter;
        size_t count;
        const char *tail;
        size_t faults;
    } rows[] = {
        {LABEL, 'a', 63, "", 0},          {LABEL, 'a', 64, "", 1},
        {LABEL, 'A', 64, "", 2},          {SUBDOMAIN, 'a', 253, "", 0},
        {SUBDOMAIN, 'a', 254, "", 1},     {SUBDOMAIN, 'A', 254, "", 2},
        {PORT, 'a', 15, "", 0},           {PORT, 'a', 16, "", 1},
        {PORT, '-', 16, "", 4},           {PORT, 'A', 16, "", 3},
        {QUALIFIED, 'a', 63, "", 0},      {QUALIFIED, 'a', 64, "", 1},
        {QUALIFIED, '+', 64, "", 2},      {QUALIFIED, 'a', 253, "/a", 0},
        {QUALIFIED, 'a', 254, "/a", 1},   {QUALIFIED, 'A', 254, "/a", 2},
        {QUALIFIED, 'A', 254, "/+", 3},   {QUALIFIED, 'A', 254, "/", 4},
        {QUALIFIED, 'a', 254, "/a/b", 1}, {QUALIFIED, 'a', 0, "/a", 1},
        {QUALIFIED, 'a', 0, "-a", 1},     {QUALIFIED, 'a', 0, "a-", 1},
        {QUALIFIED, 'a', 0, "_a", 1},     {QUALIFIED, 'a', 0, "a.", 1},
        {QUALIFIED, 'a', 0, "a-_.B", 0},  {QUALIFIED, 'a', 0, "a.b/c", 0},
        {QUALIFIED, 'a', 0, "-a/c", 1},   {QUALIFIED, 'a', 0, "a-/c", 1},
        {QUALIFIED, 'a', 0, "a..b/c", 1}, {LABEL, 'a', 0, "-a", 1},
        {LABEL, 'a', 0, "a-", 1},         {LABEL, 'a', 0, "z-9", 0},
        {LABEL, 'a', 0, "a.b", 1},        {SUBDOMAIN, 'a', 0, "z-9.0", 0},
        {SUBDOMAIN, 'a', 0, "a..b", 1},   {SUBDOMAIN, 'a', 0, "a.-b", 1},
        {PORT, 'a', 0, "z9", 0},          {PORT, 'a', 0, "9", 1},
        {PORT, 'a', 0, "a--b", 1},        {PORT, 'a', 0, "a-", 1},
        {PORT, 'a', 0, "-a", 1},          {PORT, 'a', 0, "a_b", 1},
        {QUALIFIED, 'a', 0, "//", 1},     {QUALIFIED, 'a', 0, "a//", 1},
    };
    struct kp_profile profile = unit_profile("1.36");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char bytes[BYTES];
        struct kp_text name = long_name(bytes, rows[i].letter, rows[i].count, rows[i].tail);
        struct kp_name_faults faults = rows[i].kind == LABEL ? kp_name_dns_label(&profile, name)
                                       : rows[i].kind == SUBDOMAIN
                                           ? kp_name_dns_subdomain(&profile, name)
                                       : rows[i].kind == PORT ? kp_name_port(&profile, name)
                                                              : kp_name_qualified(&profile, name);

        CHECK_INT(faults.count, rows[i].faults);
    }
}

const struct unit_test names_test[] = {
    {"each fault is reported", each_fault_is_reported},
    {0},
};
