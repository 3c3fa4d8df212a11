/*
 * Each row of profile.def once more, in another hand: where its value changes, and to which.  A
 * border that a slip moves, by a patch or a minor, in profile.def or under it in built.def, is told
 * here, also where no case stands on either side.
 */
#include "core/rules/profile.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "33.6=1 34=0": 0 from 1.15 on, 1 from 1.33.6 on, 0 from 1.34 on. */
struct row {
    const char *name;
    const char *changes;
};

/* clang-format off */
static const struct row rows[] = {
    {"startup_probe_exists", "16=1"},
    {"jitter_only_when_young", "21=1"},
    {"readiness_trigger", "21=1 22=2"},
    {"cgroup_outlives_kill", "21=1 22=0"},
    {"start_renews_list", "19=1 22=0"},
    {"batch_before_relist", "15=1 17=0"},
    {"death_triggers_readiness", "21=1 22=0"},
    {"trigger_resets_ticker", "32=1"},
    {"startup_success_holds", "32=1"},
    {"error_event_names_result", "33=1"},
    {"sidecar_probes", "28=1"},
    {"named_port_atoi_gone", "37=1"},
    {"startup_begins_unknown", "17=1"},
    {"ready_needs_started", "18=1"},
    {"deletion_ends_probes", "18.18=1 19=0 19.10=1 20=0 20.6=1"},
    {"event_needs_ref", "15=1 18=0"},
    {"exec_timeout_is_answer", "20=1"},
    {"exec_timeout_text", "23=1 31=2"},
    {"exec_output_limited", "16=1"},
    {"missing_handler_small", "16=1"},
    {"probe_sync", "21=1"},
    {"startup_ends_when_started", "18.18=1 18.19=0 19.10=1 19.11=0 20.6=1 20.7=0 21=1 21.1=0"},
    {"add_pod_each_sync", "22.11=1 23=0 23.8=1 24=0 24.2=1"},
    {"termination_stops_probes", "22=1"},
    {"old_containers_keep", "35=1"},
    {"sidecar_startup_seeded", "35.4=1"},
    {"sidecar_outlives_never", "33.6=1 34=0 34.2=1"},
    {"restart_rules_inverted", "34=1 35=2"},
    {"add_pod_skips_container", "37=1"},
    {"worker_context_cancelled", "35=1 36=0 36.3=1 37=0"},
    {"spam_key_has_type", "32=1"},
    {"kubectl_scheduling_gated", "26=1"},
    {"kubectl_sidecars", "28=1"},
    {"kubectl_restart_age", "22=1"},
    {"kubectl_not_ready", "18=1 35=2"},
    {"kubectl_terminal_stays", "31=1"},
    {"kubectl_field_path", "35=1"},
    {"kubectl_threshold_names", "37=1"},
    {"strict_warnings", "25=1"},
    {"scheme_line", "20=1 33=2 35=3"},
    {"json_path_embedded", "35=1"},
    {"digest_is_lower_case", "16=1"},
    {"image_hosts_widened", "29=1"},
    {"negative_grace_is_one", "27=1"},
    {"port_error_lower_case", "16=1"},
    {"hook_port_as_probe", "26=1"},
    {"startup_result_kills", "17=1"},
    {"deletion_blocks_restart", "17.11=1"},
    {"no_sandbox_when_done", "17.17=1 18=0 18.13=1 19=0 19.4=1"},
    {"success_needs_exited", "32=1"},
    {"hash_is_name_and_image", "31=1"},
    {"init_with_sidecars", "28=1 28.2=2 33=3"},
    {"init_with_sidecars_mended", "29.9=1 30=0 30.5=1 31=0 31.1=1"},
    {"init_over_by_exited", "28=1 29=0"},
    {"oom_killed_init_failed", "23=1"},
    {"sidecar_definition_watched", "32=1"},
    {"probe_grace", "21=1 22=2"},
    {"override_before_pre_stop", "28=1"},
    {"termination_order", "29=1"},
    {"hook_texts_fixed", "26=1"},
    {"hook_dump", "16=1 23=2 29=3"},
    {"created_event_text", "29=1 35=2"},
    {"backoff_key_of_resources", "33=1"},
    {"backoff_lower_case", "16=1"},
    {"sync_errors_are_bare", "16=1"},
    {"sandbox_error_says_to", "17=1"},
    {"sandbox_error_of_deleted", "21=1 22=0 22.3=1"},
    {"backoff_event_names", "26=1"},
    {"backoff_drives_requeue", "35=1"},
    {"grace_of_none_counts", "31=1"},
    {"worker_phases", "22=1"},
    {"terminal_not_readmitted", "28.14=1 29=0 29.9=1 30=0 30.5=1 31=0 31.1=1"},
    {"found_over", "22.3=1 27.2=2"},
    {"update_outlives_phase", "27=1"},
    {"status_after_kill", "27=1"},
    {"phase_init_seen_in", "28=1 33=2"},
    {"phase_init_runs_again", "32=1"},
    {"phase_knows_terminal", "27=1"},
    {"phase_is_sticky", "22=1"},
    {"final_phase_waits", "22.9=1 23=0 23.6=1"},
    {"failed_status_is_whole", "22=1"},
    {"failed_has_reason", "22.11=1 23=0 23.8=1 24=0 24.2=1"},
    {"sandbox_condition", "29=1 37=2"},
    {"sandbox_ready_callback", "36=1"},
    {"regular_means_initialized", "28=1"},
    {"vanished_is_reported", "20=1 22=2"},
    {"created_waits", "22.10=1 23=0 23.6=1"},
    {"last_word_has_reason", "17.11=1"},
    {"final_is_dispatched", "17.11=1 21=2"},
    {"post_start_reason_bare", "22=1"},
    {"http_hook_upper_case", "21=1"},
    {"not_found_is_stopped", "22.8=1 23=0 23.5=1"},
    {"lost_init_completed", "28=1"},
    {"pulled_event_text", "19=1 30=2"},
    {"pulled_event_waiting", "23.16=1 24=0 25.6=1"},
    {"validate_by_kind", "25=1"},
    {"startup_validated_twice", "21=1"},
    {"probe_grace_positive", "22=1"},
    {"port_letter_wording", "25=1"},
    {"validate_host_network_early", "28=1"},
    {"grace_required", "31=1"},
    {"sleep_of_zero", "32=1 33=2"},
    {"init_rules_need_policy", "35=1"},
    {"restart_rules_counted", "36=1"},
    {"env_name_relaxed", "32=1"},
    {"rfc1123_wording", "20=1"},
    {"label_dots_named", "27=1"},
    {"field_values_as_json", "34=1"},
    {"update_wording", "22=1 27=2"},
    {"pod_generation", "33=1"},
    {"sctp_known", "19=1"},
    {"label_key_wording", "35=1"},
    {"warns_of_host_name", "27=1"},
    {"warns_of_env", "22=1 28=2 30=3"},
    {"warns_of_ports", "28=1"},
    {"warns_of_port_names", "33=1"},
    {"ephemeral_defaulted", "20=1"},
    {"qos_of_init", "16=1"},
    {"podpreset_gone", "20=1"},
    {"init_over_by_running", "21=1"},
    {"init_in_sandbox", "37=1"},
    {"header_names_canonical", "24.14=1 25=0 25.10=1 26=0 26.5=1 27=0 27.2=1"},
    {"accept_anything", "20=1"},
    {"compression_off", "20=1"},
    {"error_url_quoted", "19=1"},
    {"empty_hooks_go", "30=1"},
    {"informational_unlimited", "31.14=1 32=0 32.10=1"},
    {"with_go_113", "16.5=1"},
    {"with_go_115", "19=1"},
    {"with_go_116", "21=1"},
    {"with_go_118", "23.16=1"},
    {"with_go_119", "23.16=1 24=0 24.10=1"},
    {"with_go_120", "24.16=1 25=0 25.12=1 26=0 26.7=1"},
    {"with_go_121", "26.14=1 27=0 27.11=1 28=0 28.7=1"},
    {"with_go_122", "27.16=1 28=0 28.12=1 29=0 29.7=1"},
    {"host_header_checked", "24.16=1 25=0 25.12=1 26=0 26.7=1 27=0 27.4=1"},
    {"bad_host_header_emptied", "25.14=1 26=0 26.9=1 27=0 27.6=1 28=0 28.2=1"},
    {"redirect_drops_body_headers", "35.8=1"},
    {"dots_leave_one_slash", "37=1"},
    {"brackets_hold_ipv6", "31.14=1 32=0 32.10=1 33=0 33.6=1 34=0 34.2=1"},
    {"bracket_begins_host", "33.11=1 34=0 34.7=1 35=0 35.4=1"},
    {"url_colons_strict", "36=1"},
    {"length_always_read", "29.15=1 30=0 30.11=1 31=0 31.7=1"},
    {"empty_names_refused", "29.15=1 30=0 30.11=1 31=0 31.7=1"},
    {"empty_length_refused", "30=1"},
    {"mime_errors_quoted", "33.13=1 34=0 34.9=1 35=0 35.6=1 36=0 36.2=1"},
    {"chunk_lines_end_with_crlf", "30.13=1 31=0 31.9=1 32=0 32.5=1"},
    {"chunk_excess_counts", "26.12=1 27=0 27.9=1 28=0 28.5=1"},
    {"warning_has_prefix", "24=1"},
    {"build_error_is_error", "26=1"},
    {"grpc_prefix_may_be_cut", "33=1"},
    {"grpc_reset_is_reported", "34=1"},
    {"grpc_type_decides", "36=1"},
    {"authority_checked", "25.15=1 26=0 26.10=1 27=0 27.7=1"},
    {"goaway_error_is_final", "31=1"},
    {"field_value_is_hidden", "23.17=1 24=0 24.10=1"},
    {"missing_body_is_error", "21.8=1 22=0 22.5=1 23=0 23.1=1"},
    {"protocol_error_is_retried", "21.8=1 22=0 22.5=1 23=0 23.1=1 35.8=0 36=1 36.4=0"},
    {"grpc_page_is_read", "37=1"},
    {"body_limited", "16=1"},
};
/* clang-format on */

static int value_at(const char *changes, int minor, int patch)
{
    int value = 0;

    for (const char *at = changes; *at; at += *at == ' ') {
        char *end;
        long of_minor = strtol(at, &end, 10);
        long of_patch = *end == '.' ? strtol(end + 1, &end, 10) : 0;
        long to = *end == '=' ? strtol(end + 1, &end, 10) : -1;

        if (to < 0)
            return -1; /* no change is written so */
        if (minor > of_minor || (minor == of_minor && patch >= of_patch))
            value = (int)to;
        at = end;
    }
    return value;
}

static void check_row(const char *name, size_t at)
{
    const struct row *row = rows;

    while (row < rows + sizeof rows / sizeof *rows && strcmp(row->name, name) != 0)
        row++;
    if (!CHECK(row < rows + sizeof rows / sizeof *rows)) {
        printf("    %s has no row here\n", name);
        return;
    }
    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++)
        for (int patch = 0; patch <= kp_profile_last_patch(minor); patch++) {
            struct kp_profile profile;

            CHECK_INT(kp_profile_of(&profile, minor, patch), KP_OK);
            if (!CHECK_INT(((const unsigned char *)&profile)[at],
                           value_at(row->changes, minor, patch))) {
                printf("    %s in 1.%d.%d\n", name, minor, patch);
                return;
            }
        }
}

static void each_row_changes_where_it_did(void)
{
#define SWITCH(name, rules, ...) check_row(#name, offsetof(struct kp_profile, name));
#define SPANS SWITCH
#define LEVEL SWITCH
#include "core/rules/profile.def"
#undef SPANS
#undef SWITCH
#undef LEVEL
}

const struct unit_test profile_rows_test[] = {
    {"each row changes where it did", each_row_changes_where_it_did},
    {0},
};
