/* versions.h: a list of Kubernetes versions as options give it: "1.36", "1.20,1.34.2", "all",
 * "patches". */
#pragma once

#include "conformance/text/out.h"
#include "core/rules/profile.h"

enum { CF_VERSIONS_MAX = 256 };

struct cf_version {
    char name[12]; /* as it was given, without what is not Kubernetes' own */
    int number;    /* minor * 1000 + patch */
};

struct cf_versions {
    struct cf_version list[CF_VERSIONS_MAX];
    size_t count;
};

/*
 * Read a version as people have it: "1.36", "1.36.4", or what `kubectl get nodes` shows, with a `v`
 * before and a distribution's own words behind ("v1.34.2-eks-113cf36", "v1.36.4+k3s1").
 *
 * Returns:  false: it is no version from 1.15 to 1.37 (also one to come, "1.37.0-rc.0", and a
 * range, "1.30-1.34").
 */
bool cf_version_read(struct kp_profile *profile, const char *word);

/* "1.34", or "1.34.2" where that is not the last patch of its minor. */
void cf_put_profile(struct cf_out *out, const struct kp_profile *profile);
/* The same as a member of an object of JSON: "k8s":"1.34". */
void cf_json_profile(struct cf_out *out, const struct kp_profile *profile);

/*
 * Read a list of such versions; "all" is every minor at its last patch, "patches" besides each
 * minor's first one and every one with which a row of profile.def changes (what the table says
 * comes to it by cf_versions_insert: the profile is what is judged).
 *
 * bad:      the word of it that is no version from 1.15 to 1.37 (also an empty one, as behind a
 *           comma at the end), or one too many; borrowed.  NULL: not wanted.
 * Returns:  false: there is such a word.
 */
bool cf_versions_read(struct cf_versions *versions, const char *words, struct kp_text *bad);

/* A patch release, in its place, unless it is there or none.  false: there are too many. */
bool cf_versions_insert(struct cf_versions *versions, int number);

/* Is it the last patch judged of its minor? */
bool cf_version_is_last(const struct cf_version *version);
