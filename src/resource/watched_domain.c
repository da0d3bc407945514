/* SPDX-License-Identifier: ISC */
/* The members of a watched domain. */
#include "config.h"

#include "base/limits.h"
#include "resource/watched_domain.h"

/* clang-format off */
#define DOMAIN(fl)                                                                                 \
	{ .name = "domain", .type = FIELD_STR, .flags = (fl), .lo = 3, .hi = LIM_DNS_NAME,         \
	  .offset = offsetof(struct watched_domain, domain),                                       \
	  .help = "One label below a public suffix." }
#define TEXTS_OF(m, most, longest, about)                                                          \
	{ .name = #m, .type = FIELD_LIST, .flags = TRIM | LOWER | DISTINCT,                        \
	  .offset = offsetof(struct watched_domain, m), .hi = (most),                              \
	  .size = sizeof(struct str), .item = FIELD_STR, .help = (about) }
#define WORDS                                                                                      \
	TEXTS_OF(words, LIM_WATCHED_WORDS, LIM_WATCHED_WORD,                                       \
	    "Brands beside the label of the domain: 3 to 40 letters, digits and hyphens each.")
#define ALLOW                                                                                      \
	TEXTS_OF(allow, LIM_WATCHED_ALLOWED, LIM_DNS_NAME,                                         \
	    "Domains that are no look-alikes, with the names below them; * is any text, as in acme.*.")
#define MIN_SCORE                                                                                  \
	{ .name = "min_score", .type = FIELD_INT, .flags = NULLABLE,                               \
	  .offset = offsetof(struct watched_domain, min_score), .hi = 100, .def = MIN_SCORE_UNSET, \
	  .help = "Absent or null: 60, or 70 as long as neither a ranking nor whois was imported." }
/* clang-format on */

const struct field watched_domain_out[] = {
	FIELD(struct watched_domain, uuid, 0),
	DOMAIN(0),
	WORDS,
	ALLOW,
	NUMBER(struct watched_domain, min_score, 0, 0, 100, 0),
	FIELD(struct watched_domain, enabled, 0),
	FIELD(struct watched_domain, created_at, 0),
	FIELD(struct watched_domain, updated_at, 0),
	FIELD_END_OF("WatchedDomain"),
};

const struct field watched_domain_new[] = {
	DOMAIN(REQUIRED | TRIM),
	WORDS,
	ALLOW,
	MIN_SCORE,
	SWITCH(struct watched_domain, enabled, 0, true),
	FIELD_END,
};

const struct field watched_domain_change[] = {
	WORDS,
	ALLOW,
	MIN_SCORE,
	SWITCH(struct watched_domain, enabled, 0, true),
	FIELD_END,
};

const struct field watched_domain_try[] = {
	DOMAIN(REQUIRED | TRIM),
	WORDS,
	ALLOW,
	MIN_SCORE,
	FIELD_END,
};

const struct field watched_domain_row[] = {
	FIELD(struct watched_domain, uuid, 0),
	FIELD(struct watched_domain, project_uuid, 0),
	DOMAIN(0),
	WORDS,
	ALLOW,
	NUMBER(struct watched_domain, min_score, 0, 0, 100, 0),
	FIELD(struct watched_domain, enabled, 0),
	FIELD_END,
};
