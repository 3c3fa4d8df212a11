/* pod_quantity_test.c: the quantities of the API.  The rows are what k8s.io/apimachinery v0.37.2
 * made of the texts. */
#include "conformance/pod/pod_tree.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

#define SHAPE                                                                                      \
    "quantities must match the regular expression "                                                \
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
#define SUFFIX "unable to parse quantity's suffix"
#define NUMERIC "unable to parse numeric part of quantity"

/* clang-format off */
static const struct {
    const char *text;
    const char *stored; /* NULL: none */
    const char *fault;
} rows[] = {
    {"", NULL, SHAPE},
    {" ", NULL, SHAPE},
    {"1", "1", NULL},
    {" 1", "1", NULL},
    {"\011 1 \012\015\013\014", NULL, SHAPE}, /* a server sees them as JSON escapes them */
    {"  15  ", "15", NULL},
    {"-1", "-1", NULL},
    {"+1", "+1", NULL},
    {"007", "007", NULL},
    {"-007m", "-007m", NULL},
    {"+.5", "500m", NULL},
    {".5", "500m", NULL},
    {"5.", "5.", NULL},
    {"1.", "1.", NULL},
    {".", "0", NULL},
    {"-", "0", NULL},
    {"+", "0", NULL},
    {"0", "0", NULL},
    {"-0", "0", NULL},
    {"0.0", "0", NULL},
    {"000", "0", NULL},
    {"0k", "0", NULL},
    {"k", "0", NULL},
    {"-.m", "0", NULL},
    {"Ti", "0", NULL},
    {"-Ti", "0", NULL},
    {"Pi", NULL, NUMERIC},
    {"Ei", NULL, NUMERIC},
    {"+.Ei", NULL, NUMERIC},
    {"0Ei", "0", NULL},
    {".0Ei", "0", NULL},
    {"1.Ei", "1Ei", NULL},
    {"n", "0", NULL},
    {"E", "0", NULL},
    {"e-9", "0", NULL},
    {"e-10", NULL, NUMERIC},
    {"0.e-10", "0", NULL},
    {"-e-10", NULL, NUMERIC},
    {"1n", "1n", NULL},
    {"1u", "1u", NULL},
    {"1m", "1m", NULL},
    {"1k", "1k", NULL},
    {"1M", "1M", NULL},
    {"1G", "1G", NULL},
    {"1T", "1T", NULL},
    {"1P", "1P", NULL},
    {"1E", "1E", NULL},
    {"1Ki", "1Ki", NULL},
    {"1Mi", "1Mi", NULL},
    {"1Gi", "1Gi", NULL},
    {"1Ti", "1Ti", NULL},
    {"1Pi", "1Pi", NULL},
    {"1Ei", "1Ei", NULL},
    {"1K", NULL, SUFFIX},
    {"1mi", NULL, SUFFIX},
    {"1ki", NULL, SUFFIX},
    {"1e", NULL, SUFFIX},
    {"1E+", NULL, SUFFIX},
    {"1e1", "10", NULL},
    {"1e+1", "10", NULL},
    {"1000.5e1", "1000.5e1", NULL},
    {"1e019", "10e18", NULL},
    {"1e018", "1e018", NULL},
    {"1e000000001", "10", NULL},
    {"1e0000000001", "10", NULL},
    {"5000000000", "5G", NULL},
    {"3000000M", "3T", NULL},
    {"1E1", "10", NULL},
    {"1e3", "1e3", NULL},
    {"1e-3", "1e-3", NULL},
    {"1E-3", "1E-3", NULL},
    {"1e+3", "1e+3", NULL},
    {"1e03", "1e03", NULL},
    {"1e19", "10e18", NULL},
    {"1e9", "1e9", NULL},
    {"1e-9", "1e-9", NULL},
    {"1e-10", "1e-9", NULL},
    {"12e6", "12e6", NULL},
    {"1000e3", "1e6", NULL},
    {"1e1x", NULL, SHAPE},
    {"1e12345", "1e12345", NULL},
    {"1e4294967297", "10", NULL},
    {"1e0004294967297", "10", NULL},
    {"1e4294967296", "1e4294967296", NULL},
    {"1e4294967299", "1e4294967299", NULL},
    {"1e-4294967297", "100e-3", NULL},
    {"1e9223372036854775807", "100e-3", NULL},
    {"1e9223372036854775808", NULL, SUFFIX},
    {"1e-9223372036854775808", "1e-9223372036854775808", NULL},
    {"1e-9223372036854775809", NULL, SUFFIX},
    {"1e-12345", "1e-9", NULL},
    /* by the same rule: upstream has not the memory for these two */
    {"1e-2147483647", "1e-9", NULL},
    {"1e-2147483648", "1e-9", NULL},
    {"1000e24", "1e27", NULL},
    {"100e25", "1e27", NULL},
    {"004Ki", "004Ki", NULL},
    {"008Ki", "8Ki", NULL},
    {"0012Mi", "0012Mi", NULL},
    {"016Gi", "16Gi", NULL},
    {"1Z", NULL, SHAPE},
    {"1Zi", NULL, SHAPE},
    {"1e:", NULL, SHAPE},
    {"1e/", NULL, SHAPE},
    {"1e0", "1e0", NULL},
    {"1e-0", "1e-0", NULL},
    {"10e-1", "1", NULL},
    {"1000", "1k", NULL},
    {"1000m", "1", NULL},
    {"1500m", "1500m", NULL},
    {"1000k", "1M", NULL},
    {"1000000", "1M", NULL},
    {"100500", "100500", NULL},
    {"0.1", "100m", NULL},
    {"0.001", "1m", NULL},
    {"0.0001", "100u", NULL},
    {"0.0000001", "100n", NULL},
    {"0.000000001", "1n", NULL},
    {"0.0000000001", "1n", NULL},
    {"1.23", "1230m", NULL},
    {"1.234", "1.234", NULL},
    {"1.2345", "1234500u", NULL},
    {"1.0000", "1", NULL},
    {"1.000", "1", NULL},
    {"12.000", "12", NULL},
    {"1000.000", "1k", NULL},
    {"1024", "1024", NULL},
    {"1024Ki", "1Mi", NULL},
    {"1025Ki", "1025Ki", NULL},
    {"1000Ki", "1000Ki", NULL},
    {"8Ki", "8Ki", NULL},
    {"16Ki", "16Ki", NULL},
    {"12Ki", "12Ki", NULL},
    {"9Ki", "9Ki", NULL},
    {"1.5Ki", "1536", NULL},
    {"1.5Gi", "1536Mi", NULL},
    {"0.5Ki", "512", NULL},
    {"0.9765625Ki", "1k", NULL},
    {"9007199254740991Ki", "9007199254740991Ki", NULL}, /* an int64 still */
    {"9007199254740992Ki", "9223372036854775807", NULL},
    {"-0.9765625Ki", "-1k", NULL},
    {"0.0009765625Mi", "1Ki", NULL},
    {"0.5Mi", "512Ki", NULL},
    {"1536Mi", "1536Mi", NULL},
    {"1024Mi", "1Gi", NULL},
    {"1048576Ki", "1Gi", NULL},
    {"1023.5Ki", "1048064", NULL},
    {"2048Ki", "2Mi", NULL},
    {"1000Gi", "1000Gi", NULL},
    {"1.1Ki", "1126400m", NULL},
    {"0.0001Ki", "102400u", NULL},
    {"8", "8", NULL},
    {"8Ei", "9223372036854775807", NULL},
    {"7Ei", "7Ei", NULL},
    {"9Ei", "9223372036854775807", NULL},
    {"1023Ei", "9223372036854775807", NULL},
    {"123456789012345Ki", "123456789012345Ki", NULL},
    {"123456789012Ki", "123456789012Ki", NULL},
    {"12345678901Ki", "12345678901Ki", NULL},
    {"99999999999Ki", "99999999999Ki", NULL},
    {"99999999999999", "99999999999999", NULL},
    {"999999999999999", "999999999999999", NULL},
    {"99999999999999999", "99999999999999999", NULL},
    {"9999999999999999", "9999999999999999", NULL},
    {"999999999999999999", "999999999999999999", NULL},
    {"340282366920938463463374607431.768211455", "340282366920938463463374607431768211455n", NULL},
    {"-340282366920938463463374607431.768211455", "-340282366920938463463374607431768211455n", NULL},
    {"9223372036854775807", "9223372036854775807", NULL},
    {"9223372036854775808", "9223372036854775808", NULL},
    {"100000000000000000000", "100E", NULL},
    {"123456789.123456789", "123456789.123456789", NULL},
    {"1234567890.123456789", "1234567890123456789n", NULL},
    {"12345678.1234567891", "12345678123456790n", NULL},
    {"1.000000000000000001", "1000000001n", NULL},
    {"1000000000000000", "1P", NULL},
    {"1000000000000001", "1000000000000001", NULL},
    {"0.123", "123m", NULL},
    {"00.123", "123m", NULL},
    {"0.120", "120m", NULL},
    {"0.1000", "100m", NULL},
    {"1,5", NULL, SHAPE},
    {"1 k", NULL, SHAPE},
    {"1kk", NULL, SUFFIX},
    {"1x", NULL, SHAPE},
    {"x", NULL, SHAPE},
    {"--1", NULL, SUFFIX},
    {"1-", NULL, SUFFIX},
    {"1+", NULL, SUFFIX},
    {"1e1.5", NULL, SHAPE},
    {"1/", NULL, SHAPE},
    {"1:", NULL, SHAPE},
    {"0x10", NULL, SHAPE},
    {"1i", NULL, SUFFIX},
    {"1Kii", NULL, SUFFIX},
    {"1\303\251", NULL, SHAPE},
    {"5.0Ki", "5Ki", NULL},
    {"15000e-3", "15", NULL},
    {"3e30", "3e30", NULL},
    {"1.5e3", "1500", NULL},
    {"1.5E-3", "1500e-6", NULL},
    {"100e6", "100e6", NULL},
    {"0.1e-9", "1e-9", NULL},
    {"1n0", NULL, SUFFIX},
    {"10n", "10n", NULL},
    {"1000n", "1u", NULL},
    {"1001n", "1001n", NULL},
    {"0.001n", "1n", NULL},
    {"1.5n", "2n", NULL},
    {"-1.5", "-1500m", NULL},
    {"-1.5Ki", "-1536", NULL},
    {"-1024", "-1024", NULL},
    {"-1000", "-1k", NULL},
    {"+1000", "1k", NULL},
    {"+1Ki", "+1Ki", NULL},
    {"+1.5k", "1500", NULL},
    {"-0.0000000001", "-1n", NULL},
};

/* Rounded up to thousandths. */
static const struct {
    const char *text;
    const char *in_milli;
} milli_rows[] = {
    {"1", "1"},
    {"1m", "1m"},
    {"0", "0"},
    {"1n", "1m"},
    {"100u", "1m"},
    {"1500u", "2m"},
    {"1001u", "2m"},
    {"999999999n", "1"},
    {"1.5", "1500m"},
    {"1.0001", "1001m"},
    {"1.0005Ki", "1024512m"},
    {"0.1Ki", "102400m"},
    {"1e-4", "1e-3"},
    {"15e-4", "2e-3"},
    {"-1500u", "-2m"},
    {"-100u", "-1m"},
    {"1.9999999", "2"},
    {"x", "x"},
    {"", ""},
    {"1x", "1x"},
    {"1e-10", "1e-3"},
    {"1024.0001Ki", "1048576103m"},
    {"123456789.123456789", "123456789124m"},
};
/* clang-format on */

static void quantities_are_stored_as_the_api_server_does(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct cf_arena arena;

    arena = (struct cf_arena){.mem = &mem};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text got;
        bool is_one = cf_quantity_canonical(&arena, kp_text_of(rows[i].text), &got);

        CHECK_INT(is_one, rows[i].stored != NULL);
        CHECK_TEXT(got, kp_text_of(rows[i].stored ? rows[i].stored : rows[i].fault));
    }
    cf_arena_deinit(&arena);
}

/* What stands behind it in a longer text is none of its own. */
static void a_quantity_ends_where_it_ends(void)
{
    static const char *const texts[] = {"1.5", "1-5", "15"};
    struct kp_mem mem = fake_alloc_plain();
    struct cf_arena arena;

    arena = (struct cf_arena){.mem = &mem};
    for (size_t i = 0; i < 3; i++) {
        struct kp_text got;

        CHECK(cf_quantity_canonical(&arena, (struct kp_text){texts[i], 1}, &got));
        CHECK_TEXT(got, KP_TEXT("1"));
    }
    cf_arena_deinit(&arena);
}

static void what_is_finer_than_a_thousandth_is_rounded_up(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct cf_arena arena;

    arena = (struct cf_arena){.mem = &mem};
    for (size_t i = 0; i < sizeof milli_rows / sizeof milli_rows[0]; i++) {
        struct kp_text got = cf_quantity_in_milli(&arena, kp_text_of(milli_rows[i].text));
        struct kp_text stored;

        CHECK_TEXT(cf_quantity_canonical(&arena, got, &stored) ? stored : got,
                   kp_text_of(milli_rows[i].in_milli));
    }
    cf_arena_deinit(&arena);
}

const struct unit_test pod_quantity_test[] = {
    {"quantities are stored as the API server does", quantities_are_stored_as_the_api_server_does},
    {"a quantity ends where it ends", a_quantity_ends_where_it_ends},
    {"what is finer than a thousandth is rounded up",
     what_is_finer_than_a_thousandth_is_rounded_up},
    {0}};
