/*
 * version.h: the three versions of probetest, in this one place (docs/versioning.md says what each
 * promises).
 *
 * The Makefile, packages, pkg-config files and `probetest --version` read them from here.
 */
#pragma once

#define PROBETEST_VERSION "0.2.0" /* the command and the library */
#define PROBETEST_PROTOCOL 1      /* the adapter protocol (conformance/protocol.md) */
#define PROBETEST_TABLE "1.0.0"   /* the table of cases (conformance/cases) */
