#include "conformance/text/yaml_aliases.h"

#include "fakes/unit.h"

/* Worked out by hand from allowedAliasRatio: 0.99 up to 400,000, 0.10 from 4,000,000 on. */
static void a_share_of_the_nodes_may_come_from_aliases(void)
{
    static const struct {
        double decoded;
        double from_aliases;
        bool allowed;
    } rows[] = {
        {1000, 1000, true},       {1001, 1001, false},       {1001, 990, true},
        {1001, 991, false},       {2000, 1980, true},        {2000, 1981, false},
        {400000, 396000, true},   {400000, 396001, false},   {400010, 396008, true},
        {400010, 396009, false},  {407086, 402301, true},    {407086, 402302, false},
        {2200000, 1198999, true}, {2200000, 1199001, false}, {3999999, 400000, true},
        {3999999, 400001, false}, {4000000, 400000, true},   {4000000, 400001, false},
        {5000000, 500000, true},  {5000000, 500001, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_aliases aliases = {rows[i].decoded - 1, rows[i].from_aliases - 1, 1};

        CHECK_INT(cf_aliases_count(&aliases), rows[i].allowed);
        CHECK_INT(aliases.decoded, (int64_t)rows[i].decoded);
        CHECK_INT(aliases.from_aliases, (int64_t)rows[i].from_aliases);
    }
}

static void what_stands_there_itself_does_not_come_from_aliases(void)
{
    struct cf_aliases aliases = {.decoded = 7, .from_aliases = 3};

    CHECK(cf_aliases_count(&aliases));
    CHECK_INT(aliases.decoded, 8);
    CHECK_INT(aliases.from_aliases, 3);
    aliases.depth = 2;
    CHECK(cf_aliases_count(&aliases));
    CHECK_INT(aliases.from_aliases, 4);
}

const struct unit_test yaml_aliases_test[] = {
    {"a share of the nodes may come from aliases", a_share_of_the_nodes_may_come_from_aliases},
    {"what stands there itself does not come from aliases",
     what_stands_there_itself_does_not_come_from_aliases},
    {0},
};
