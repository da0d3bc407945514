/* SPDX-License-Identifier: ISC */
/* The members of an observation. */
#include "config.h"

#include "base/limits.h"
#include "resource/observation.h"

const char *const observed_datasets[] = { "hosts", "services", "dns", "whois", "certificates",
	"open_directories", NULL };
const char *const observation_states[] = { "active", "gone", NULL };
const char *const observation_events[] = { "appeared", "gone", "returned", NULL };

static const char *const gone_reasons[] = { "changed", "removed", "excluded", "rule_changed",
	"rule_ended", "stale", NULL };

#define NAMED(m) FIELD(struct observed_record, m, OMIT_UNSET)

static const struct field observed_record_out[] = {
	NAMED(ip),
	OPTIONAL(struct observed_record, port, FIELD_INT, OMIT_UNSET, 1, 65535),
	NAMED(transport),
	NAMED(hostname),
	NAMED(host),
	NAMED(record_type),
	NAMED(answer),
	NAMED(domain),
	NAMED(fingerprint_sha256),
	NAMED(url),
	FIELD_END_OF("ObservedRecord"),
};

/* The table of the objects in a list that the database has written as JSON. */
struct matched_leaf {
	struct str field, value;
};

static const struct field matched_out[] = {
	FIELD(struct matched_leaf, field, 0),
	TEXT(struct matched_leaf, value, 0, 0, LIM_OBSERVED_VALUE),
	FIELD_END_OF("MatchedField"),
};

const struct field observation_out[] = {
	FIELD(struct observation, uuid, 0),
	FIELD(struct observation, rule_uuid, 0),
	NUMBER(struct observation, rule_version, 0, 1, INT32_MAX, 0),
	ONE_OF(struct observation, dataset, 0, observed_datasets, NULL),
	TEXT(struct observation, record_key, 0, 1, LIM_RECORD_KEY),
	{ .name = "record",
	    .type = FIELD_OBJECT,
	    .offset = offsetof(struct observation, record),
	    .sub = observed_record_out,
	    .help = "The members that name a record of this dataset." },
	{ .name = "matched",
	    .type = FIELD_RAW,
	    .item = FIELD_LIST,
	    .offset = offsetof(struct observation, matched),
	    .hi = LIM_OBSERVED_FIELDS,
	    .sub = matched_out,
	    .help = "The conditions of the query that made the record pass." },
	ONE_OF(struct observation, state, 0, observation_states, NULL),
	ONE_OF(struct observation, gone_reason, NULLABLE, gone_reasons,
	    "changed: the record does not match any more; removed: there is no record any more; "
	    "excluded: an exclude hides it; rule_changed, rule_ended: the rule's query or status "
	    "was changed; stale: not seen for 30 days."),
	{ .name = "suspect",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct observation, suspect),
	    .help = "So many ports of this host answer that it may imitate services." },
	{ .name = "project_uuid",
	    .type = FIELD_UUID,
	    .flags = NULLABLE,
	    .offset = offsetof(struct observation, project_uuid),
	    .help = "The project in whose inventory the record is; of rules of scope surface "
		    "alone." },
	{ .name = "first_seen_at",
	    .type = FIELD_TS,
	    .offset = offsetof(struct observation, first_seen_at),
	    .help = "A time of the data, as last_seen_at." },
	FIELD(struct observation, last_seen_at, 0),
	FIELD(struct observation, created_at, 0),
	FIELD(struct observation, updated_at, 0),
	FIELD(struct observation, gone_at, NULLABLE),
	{ .name = "returns",
	    .type = FIELD_INT,
	    .offset = offsetof(struct observation, returns),
	    .hi = INT32_MAX,
	    .help = "The number of times that it ended and became active again." },
	FIELD_END_OF("Observation"),
};
