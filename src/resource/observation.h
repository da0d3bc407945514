/* SPDX-License-Identifier: ISC */
/* Observations of detection rules: which record matched which rule, from when to when.
   surfaced-detect(8) writes them; clients read them.

     observation_out     an answer of the API, the columns OBSERVATION_COLUMNS
     record              the members that name the record; a dataset has some of them
     matched             the conditions that made the record pass

   sql/functions/observation.sql says which observations a key reads. */
#ifndef RESOURCE_OBSERVATION_H
#define RESOURCE_OBSERVATION_H

#include "db/db.h"

struct observed_record {
	struct str ip, transport, hostname, host, record_type, answer, domain, fingerprint_sha256,
	    url;
	struct json port;
};

struct observation {
	struct uuid uuid, rule_uuid, project_uuid;
	int64_t rule_version, returns;
	struct str dataset, record_key, state, gone_reason;
	struct observed_record record;
	struct json matched;
	bool suspect;
	struct ts first_seen_at, last_seen_at, created_at, updated_at, gone_at;
};

/* The columns that observation_out describes, of rule_observation as o and rule_run as r. */
#define OBSERVATION_COLUMNS                                                                        \
	"o.uuid, r.rule_uuid, o.rule_version, observed_dataset(o.dataset) AS dataset,"             \
	" o.record_key, o.record ->> 'ip' AS ip, o.record -> 'port' AS port,"                      \
	" o.record ->> 'transport' AS transport, o.record ->> 'hostname' AS hostname,"             \
	" o.record ->> 'host' AS host, o.record ->> 'record_type' AS record_type,"                 \
	" o.record ->> 'answer' AS answer, o.record ->> 'domain' AS domain,"                       \
	" o.record ->> 'fingerprint_sha256' AS fingerprint_sha256, o.record ->> 'url' AS url,"     \
	" o.matched, o.state, o.gone_reason, o.suspect, o.project_uuid, o.first_seen_at,"          \
	" o.last_seen_at, o.created_at, o.updated_at, o.gone_at, o.returns"
#define OBSERVATION_TABLES "rule_observation o JOIN rule_run r ON r.uuid = o.run_uuid"

extern const struct field observation_out[];
/* NULL ends each list. */
extern const char *const observed_datasets[], *const observation_states[],
						  *const observation_events[];

#endif
