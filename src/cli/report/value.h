/* SPDX-License-Identifier: ISC */
/* Values of structured sources of reports, as indicators of tbl/indicator_types.h. */
#ifndef CLI_REPORT_VALUE_H
#define CLI_REPORT_VALUE_H

#include "base/base.h"

/* The kinds of values of a source. The type of the indicator follows from the kind, and where a
   kind has several types, from the value: an ADDRESS is ipv4, ipv6 or cidr, a HOST is one of them
   or a domain, a HASH is named by its algorithm. */
enum value_kind {
	VALUE_NONE,
	VALUE_ADDRESS,
	VALUE_HOST,
	VALUE_DOMAIN,
	VALUE_URL,
	VALUE_EMAIL,
	VALUE_HASH,
	VALUE_MD5,
	VALUE_SHA1,
	VALUE_SHA256,
	VALUE_SHA512,
	VALUE_CERTIFICATE,
	VALUE_JARM,
	VALUE_ASN,
	VALUE_CVE,
	VALUE_BITCOIN,
};

/* Returns the type and brings the value into its canonical form; STR_NULL: no such value. A HASH
   needs a kind of its own first (value_hash_kind). */
struct str value_type(struct arena *a, enum value_kind kind, struct str *value) MUST_USE;
/* The kind of a hash by the name of its algorithm in any spelling: SHA-256, sha256, 'SHA256'.
   VALUE_NONE: no indicator has it. */
enum value_kind value_hash_kind(struct str algorithm);

#endif
