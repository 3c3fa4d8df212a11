#include "core/rules/profile.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

static void a_minor_means_its_last_patch(void)
{
    struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(profile.patch, 4);
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36.2")), KP_OK);
    CHECK_INT(profile.patch, 2);
}

static void a_patch_to_come_is_played_as_the_last_known(void)
{
    struct kp_profile last;
    struct kp_profile later;

    CHECK_INT(kp_profile_init(&last, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(kp_profile_init(&later, KP_TEXT("1.36.999")), KP_OK);
    CHECK_INT(later.patch, 999);
    later.patch = last.patch;
    CHECK(memcmp(&last, &later, sizeof last) == 0);
}

/* Two of the same version are the same bytes, whatever was there before. */
static void a_profile_is_written_whole(void)
{
    struct kp_profile one;
    struct kp_profile other;

    memset(&one, 0, sizeof one);
    memset(&other, 0xff, sizeof other);
    CHECK_INT(kp_profile_init(&one, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(kp_profile_init(&other, KP_TEXT("1.36")), KP_OK);
    CHECK(memcmp(&one, &other, sizeof one) == 0);
}

static void what_is_no_version_is_refused(void)
{
    static const char *const wrong[] = {"",          "1",      "1.",    "1.14",  "1.38",  "2.20",
                                        "1.36.",     "1.36.x", "1.360", "v1.36", "1.036", "1.36.04",
                                        "1.36.1000", "1.36x2", "1:36",  "01.36", ".36",   "1.36-4"};
    struct kp_profile profile;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memset(&profile, true, sizeof profile);
        CHECK_INT(kp_profile_init(&profile, kp_text_of(wrong[i])), KP_EUNKNOWN);
        for (int gate = 0; gate < KP_GATES; gate++)
            CHECK(!profile.gates[gate]);
    }
    CHECK_INT(kp_profile_init(&profile, (struct kp_text){"1.365", 4}),
              KP_OK); /* of a longer text */
}

static void a_gate_goes_by_its_name(void)
{
    struct kp_profile profile = unit_profile("1.36");

    CHECK_TEXT(kp_text_of(kp_gate_name(KP_GATE_H2CContainerProbe)), KP_TEXT("H2CContainerProbe"));
    CHECK_INT(kp_profile_set_gate(&profile, KP_TEXT("NoSuchGate"), true), KP_EUNKNOWN);
    for (int gate = 0; gate < KP_GATES; gate++) {
        bool known = kp_gate_known(&profile, (enum kp_gate)gate);
        enum kp_err err = kp_profile_set_gate(
            &profile, kp_text_of(kp_gate_name((enum kp_gate)gate)), profile.gates[gate]);

        CHECK_INT(err, known ? KP_OK : KP_EUNKNOWN);
    }
}

static void a_switch_goes_on_and_off_again(void)
{
    static const struct {
        const char *version;
        bool cancelled;
    } rows[] = {
        {"1.34", false}, {"1.35.0", true}, {"1.36.2", false}, {"1.36.3", true}, {"1.37", false}};
    struct kp_profile profile;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_INT(kp_profile_init(&profile, kp_text_of(rows[i].version)), KP_OK);
        CHECK_INT(profile.worker_context_cancelled, rows[i].cancelled);
    }
}

static void a_level_counts_the_boundaries_passed(void)
{
    static const struct {
        const char *version;
        int level;
    } rows[] = {{"1.22", 0}, {"1.23.0", 1}, {"1.30", 1}, {"1.31.0", 2}, {"1.37", 2}};
    struct kp_profile profile;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_INT(kp_profile_init(&profile, kp_text_of(rows[i].version)), KP_OK);
        CHECK_INT(profile.exec_timeout_text, rows[i].level);
    }
}

/* Whole minors are played at their last patch, so that no case stands on a border. */
static void a_border_belongs_to_the_version_that_it_names(void)
{
    struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.35.0")), KP_OK);
    CHECK(profile.gates[KP_GATE_ContainerRestartRules]);
    CHECK(kp_gate_known(&profile, KP_GATE_RestartAllContainersOnContainerExits));
    CHECK_INT(kp_profile_set_gate(&profile, KP_TEXT("ExecProbeTimeout"), false), KP_EINPUT);
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.29.0")), KP_OK);
    CHECK(!kp_gate_known(&profile, KP_GATE_GRPCContainerProbe));
    CHECK_INT(kp_profile_set_gate(&profile, KP_TEXT("GRPCContainerProbe"), false), KP_EUNKNOWN);
}

/* pkg/features/kube_features.go, a sign for each minor from 1.15 on: not known, off, on, locked. */
static const char *const gate_lives[KP_GATES] = {
    [KP_GATE_StartupProbe] = ".--++===...............",
    [KP_GATE_ExecProbeTimeout] = ".....+++++++++++++++===",
    [KP_GATE_ProbeTerminationGracePeriod] = "......----+++=.........",
    [KP_GATE_GRPCContainerProbe] = "........-+++==.........",
    [KP_GATE_EphemeralContainers] = ".-------++==...........",
    [KP_GATE_SidecarContainers] = ".............-++++====.",
    [KP_GATE_ContainerRestartRules] = "...................-+++",
    [KP_GATE_RestartAllContainersOnContainerExits] = "....................-++",
    [KP_GATE_NodeDeclaredFeatures] = "....................-+=",
    [KP_GATE_KubeletCrashLoopBackOffMax] = ".................---+++",
    [KP_GATE_ReduceDefaultCrashLoopBackOffDecay] = "..................-----",
    [KP_GATE_ChangeContainerStatusOnKubeletRestart] = "....................---",
    [KP_GATE_PLEGOnDemandRelist] = ".....................+=",
    [KP_GATE_InPlacePodVerticalScaling] = "............------++===",
    [KP_GATE_KubeletEnsureSecretPulledImages] = "..................--+++",
    [KP_GATE_PodLifecycleSleepAction] = "..............-++++===.",
    [KP_GATE_H2CContainerProbe] = "......................-",
    [KP_GATE_GRPCContainerProbeTLS] = "......................-",
};

/* A gate that is locked may be set to what it is. */
static void check_gate(enum kp_gate gate, int minor, int patch)
{
    struct kp_text name = kp_text_of(kp_gate_name(gate));
    char is = gate_lives[gate][minor - KP_MINOR_MIN];
    bool on = is == '+' || is == '=';
    struct kp_profile profile;

    CHECK_INT(kp_profile_of(&profile, minor, patch), KP_OK);
    CHECK_INT(kp_gate_known(&profile, gate), is != '.');
    if (is == '.') { /* before it is off, and what is gone is for good */
        CHECK_INT(profile.gates[gate],
                  strspn(gate_lives[gate], ".") < (size_t)minor - KP_MINOR_MIN);
        CHECK_INT(kp_profile_set_gate(&profile, name, on), KP_EUNKNOWN);
        return;
    }
    CHECK_INT(profile.gates[gate], on);
    CHECK_INT(kp_profile_set_gate(&profile, name, on), KP_OK);
    CHECK_INT(kp_profile_set_gate(&profile, name, !on), is == '=' ? KP_EINPUT : KP_OK);
    CHECK_INT(profile.gates[gate], is == '=' ? on : !on);
}

static void gates_are_known_defaulted_and_locked(void)
{
    for (int gate = 0; gate < KP_GATES; gate++)
        for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++) {
            check_gate((enum kp_gate)gate, minor, 0);
            check_gate((enum kp_gate)gate, minor, kp_profile_last_patch(minor));
        }
}

/* What nothing passes would be a row that does nothing, without a word. */
static void each_row_changes_at_some_version(void)
{
    struct kp_profile profile;
    struct kp_profile before;
    bool changed[sizeof profile] = {false};

    CHECK_INT(kp_profile_of(&before, KP_MINOR_MIN, 0), KP_OK);
    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++)
        for (int patch = 0; patch <= 20; patch++, before = profile) {
            CHECK_INT(kp_profile_of(&profile, minor, patch), KP_OK);
            for (size_t i = 0; i < sizeof profile; i++)
                changed[i] |= ((char *)&profile)[i] != ((char *)&before)[i];
        }
#define SWITCH(name, rules, ...)                                                                   \
    if (!CHECK(changed[offsetof(struct kp_profile, name)]))                                        \
        printf("    %s changes at no version\n", #name);
#define SPANS SWITCH
#define LEVEL SWITCH
#include "core/rules/profile.def"
#undef SPANS
#undef SWITCH
#undef LEVEL
}

static void there_is_no_version_but_those(void)
{
    struct kp_profile profile;
    int minor;
    int patch;

    CHECK_INT(kp_version_numbers(KP_TEXT("1.36.2"), &minor, &patch), KP_OK);
    CHECK_INT(minor, 36);
    CHECK_INT(patch, 2);
    CHECK_INT(kp_version_numbers(KP_TEXT("1.38.1"), &minor, &patch), KP_EUNKNOWN);
    CHECK_INT(kp_version_numbers(KP_TEXT("1.14.1"), &minor, &patch), KP_EUNKNOWN);
    CHECK_INT(kp_version_numbers(KP_TEXT("1.36x1"), &minor, &patch), KP_EUNKNOWN);
    memset(&profile, true, sizeof profile);
    CHECK_INT(kp_profile_of(&profile, KP_MINOR_MIN - 1, 0), KP_EUNKNOWN);
    CHECK_INT(kp_profile_of(&profile, KP_MINOR_MAX + 1, 0), KP_EUNKNOWN);
    CHECK_INT(kp_profile_of(&profile, KP_MINOR_MAX, -1), KP_EUNKNOWN);
    for (int gate = 0; gate < KP_GATES; gate++)
        CHECK(!profile.gates[gate]);
    CHECK_INT(kp_profile_of(&profile, KP_MINOR_MAX, 0), KP_OK);
}

/* A release is built with what the last row of built.def at or before it says. */
static void go_and_its_modules_come_with_a_release(void)
{
    static const struct {
        const char *version;
        bool brackets; /* from Go 1.24.8 and 1.25.2 on */
        int grpc_go;
    } rows[] = {{"1.32.9", false, 65000},  {"1.32.10", true, 65000}, {"1.33.0", false, 68001},
                {"1.33.5", false, 68001},  {"1.33.6", true, 68001},  {"1.35.0", true, 72002},
                {"1.25.16", false, 47000}, {"1.37", true, 82001}};
    struct kp_profile profile;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_INT(kp_profile_init(&profile, kp_text_of(rows[i].version)), KP_OK);
        CHECK_INT(profile.brackets_hold_ipv6, rows[i].brackets);
        CHECK_INT(profile.grpc_go, rows[i].grpc_go);
    }
}

/* Where a release is built with something newer, or older, than the one before it: one of the rows
 * that this turns.  What a minor begins with is compared with its neighbour's last patch.  From
 * `.go-version` and go.mod of each release. */
static void each_release_is_built_with_its_own(void)
{
#define AT(minor, patch, row)                                                                      \
    {                                                                                              \
        minor, patch, offsetof(struct kp_profile, row), sizeof((struct kp_profile *)0)->row        \
    }
    static const struct {
        int minor;
        int patch;
        size_t at;
        size_t size;
    } rows[] = {
        /* clang-format off */
        AT(16, 0, grpc_go), AT(16, 5, with_go_113), AT(17, 0, grpc_go), AT(18, 0, grpc_go),
        AT(19, 0, error_url_quoted), AT(20, 0, grpc_go), AT(21, 0, with_go_116),
        AT(21, 8, protocol_error_is_retried), AT(22, 0, protocol_error_is_retried),
        AT(22, 5, protocol_error_is_retried), AT(23, 0, protocol_error_is_retried),
        AT(23, 1, protocol_error_is_retried), AT(23, 16, with_go_118), AT(24, 0, with_go_119),
        AT(24, 10, with_go_119), AT(24, 16, host_header_checked), AT(25, 0, host_header_checked),
        AT(25, 12, host_header_checked), AT(25, 14, bad_host_header_emptied),
        AT(25, 15, authority_checked),
        AT(26, 0, host_header_checked), AT(26, 7, host_header_checked),
        AT(26, 9, bad_host_header_emptied), AT(26, 10, authority_checked), AT(26, 11, grpc_go), AT(26, 12, chunk_excess_counts),
        AT(26, 14, with_go_121), AT(27, 0, with_go_121), AT(27, 4, host_header_checked),
        AT(27, 6, bad_host_header_emptied), AT(27, 7, authority_checked), AT(27, 8, grpc_go), AT(27, 9, chunk_excess_counts),
        AT(27, 11, with_go_121), AT(27, 16, with_go_122), AT(28, 0, with_go_121),
        AT(28, 2, bad_host_header_emptied), AT(28, 4, grpc_go), AT(28, 5, chunk_excess_counts),
        AT(28, 7, with_go_121), AT(28, 12, with_go_122), AT(29, 0, with_go_122),
        AT(29, 7, with_go_122), AT(29, 15, length_always_read), AT(30, 0, length_always_read),
        AT(30, 11, length_always_read), AT(30, 13, chunk_lines_end_with_crlf),
        AT(31, 0, length_always_read), AT(31, 7, length_always_read),
        AT(31, 9, chunk_lines_end_with_crlf), AT(31, 14, informational_unlimited),
        AT(32, 0, informational_unlimited), AT(32, 5, chunk_lines_end_with_crlf),
        AT(32, 10, informational_unlimited), AT(33, 0, brackets_hold_ipv6),
        AT(33, 6, brackets_hold_ipv6), AT(33, 11, bracket_begins_host),
        AT(33, 13, mime_errors_quoted), AT(34, 0, brackets_hold_ipv6),
        AT(34, 2, brackets_hold_ipv6), AT(34, 7, bracket_begins_host),
        AT(34, 9, mime_errors_quoted), AT(34, 11, redirect_drops_body_headers),
        AT(35, 0, bracket_begins_host), AT(35, 4, bracket_begins_host),
        AT(35, 6, mime_errors_quoted), AT(35, 8, redirect_drops_body_headers),
        AT(36, 0, url_colons_strict), AT(36, 2, mime_errors_quoted),
        AT(36, 4, protocol_error_is_retried), AT(37, 0, dots_leave_one_slash),
        /* clang-format on */
    };
#undef AT
    struct kp_profile now;
    struct kp_profile before;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int minor = rows[i].patch > 0 ? rows[i].minor : rows[i].minor - 1;
        int patch = rows[i].patch > 0 ? rows[i].patch - 1 : kp_profile_last_patch(minor);

        CHECK_INT(kp_profile_of(&now, rows[i].minor, rows[i].patch), KP_OK);
        CHECK_INT(kp_profile_of(&before, minor, patch), KP_OK);
        if (!CHECK(memcmp((char *)&now + rows[i].at, (char *)&before + rows[i].at, rows[i].size) !=
                   0))
            printf("    1.%d.%d is built as 1.%d.%d is\n", rows[i].minor, rows[i].patch, minor,
                   patch);
    }
}

/* P-128: go.mod, google.golang.org/grpc, wherever it changes. */
static void each_release_has_its_grpc_go(void)
{
    static const struct {
        int minor;
        int patch;
        int grpc_go;
    } rows[] = {{15, 0, 13000},  {16, 0, 23000}, {17, 0, 23001}, {18, 0, 26000}, {19, 0, 27000},
                {20, 0, 27001},  {22, 0, 38000}, {23, 0, 40000}, {25, 0, 47000}, {26, 0, 49000},
                {26, 11, 56003}, {27, 0, 51000}, {27, 8, 56003}, {28, 0, 54000}, {28, 4, 56003},
                {29, 0, 58003},  {31, 0, 65000}, {33, 0, 68001}, {34, 0, 72001}, {35, 0, 72002},
                {36, 0, 79003},  {37, 0, 82001}};
    const size_t count = sizeof rows / sizeof rows[0];
    size_t at = 0;

    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++)
        for (int patch = 0; patch <= kp_profile_last_patch(minor); patch++) {
            struct kp_profile profile;

            if (at + 1 < count && rows[at + 1].minor == minor && rows[at + 1].patch == patch)
                at++;
            CHECK_INT(kp_profile_of(&profile, minor, patch), KP_OK);
            CHECK_INT(profile.grpc_go, rows[at].grpc_go);
        }
    CHECK_INT(at, count - 1);
}

const struct unit_test profile_test[] = {
    {"each release has its grpc-go", each_release_has_its_grpc_go},
    {"each row changes at some version", each_row_changes_at_some_version},
    {"there is no version but those", there_is_no_version_but_those},
    {"Go and its modules come with a release", go_and_its_modules_come_with_a_release},
    {"each release is built with its own", each_release_is_built_with_its_own},
    {"a minor means its last patch", a_minor_means_its_last_patch},
    {"a patch to come is played as the last known", a_patch_to_come_is_played_as_the_last_known},
    {"a profile is written whole", a_profile_is_written_whole},
    {"what is no version is refused", what_is_no_version_is_refused},
    {"a switch goes on and off again", a_switch_goes_on_and_off_again},
    {"a level counts the boundaries passed", a_level_counts_the_boundaries_passed},
    {"a border belongs to the version that it names",
     a_border_belongs_to_the_version_that_it_names},
    {"gates are known, defaulted and locked", gates_are_known_defaulted_and_locked},
    {"a gate goes by its name", a_gate_goes_by_its_name},
    {0},
};
