/* SPDX-License-Identifier: ISC */
/* The field tables of the messages in runner_link.h, with the bounds of every member. */
#include "config.h"

#include "base/limits.h"
#include "browser/runner_link.h"
#include "json/json.h"
#include "wire/values.h"

enum { WORD = 64, LONG = 8192, DAY_MS = 86400000, CLOSE_MS = 10000 };

/* The number of a piece of evidence; 0: a runner of an old version, which sends no numbers. */
#define SEQ(s) NUMBER(s, seq, 0, 0, INT64_MAX, 0)

const struct field runner_hello_fields[] = {
	FIELD(struct runner_hello, session, REQUIRED),
	NUMBER(struct runner_hello, epoch, REQUIRED, 0, INT64_MAX, 0),
	NUMBER(struct runner_hello, pid, REQUIRED, 1, INT32_MAX, 0),
	TEXT(struct runner_hello, state, REQUIRED, 1, WORD),
	FIELD_END,
};

const struct field runner_checked_fields[] = {
	FIELD(struct runner_checked, good, REQUIRED),
	TEXT(struct runner_checked, said, REQUIRED, 0, LONG),
	FIELD_END,
};

const struct field runner_shot_fields[] = {
	SEQ(struct runner_shot),
	FIELD(struct runner_shot, id, REQUIRED),
	ONE_OF(struct runner_shot, reason, REQUIRED, shot_reasons, NULL),
	NUMBER(struct runner_shot, tab, REQUIRED, 0, UINT16_MAX, 0),
	TEXT(struct runner_shot, url, REQUIRED, 0, LONG),
	TEXT(struct runner_shot, title, REQUIRED, 0, LONG),
	NUMBER(struct runner_shot, width, REQUIRED, 1, UINT16_MAX, 0),
	NUMBER(struct runner_shot, height, REQUIRED, 1, UINT16_MAX, 0),
	TEXT(struct runner_shot, mime, REQUIRED, 1, WORD),
	FIELD(struct runner_shot, taken_at, REQUIRED),
	FIELD_END,
};

const struct field runner_net_fields[] = {
	SEQ(struct runner_net),
	LIST_OF(struct runner_net, events, REQUIRED, struct json, 1, NET_BATCH_MAX),
	FIELD_END,
};

const struct field runner_truncated_fields[] = {
	SEQ(struct runner_truncated),
	FIELD_END,
};

const struct field runner_ended_fields[] = {
	FIELD(struct runner_ended, failed, REQUIRED),
	TEXT(struct runner_ended, detail, REQUIRED, 0, LONG),
	FIELD_END,
};

const struct field runner_job_fields[] = {
	FIELD(struct runner_job, session, REQUIRED),
	NUMBER(struct runner_job, epoch, REQUIRED, 0, INT64_MAX, 0),
	TEXT(struct runner_job, start_url, REQUIRED, 1, LIM_START_URL_STORED),
	TEXT(struct runner_job, profile, REQUIRED, 1, WORD),
	TEXT(struct runner_job, country, 0, 0, WORD),
	NUMBER(
	    struct runner_job, width, REQUIRED, LIM_VIEWPORT_WIDTH_MIN, LIM_VIEWPORT_WIDTH_MAX, 0),
	NUMBER(struct runner_job, height, REQUIRED, LIM_VIEWPORT_HEIGHT_MIN,
	    LIM_VIEWPORT_HEIGHT_MAX, 0),
	NUMBER(struct runner_job, lifetime_ms, 0, 0, 30 * (int64_t)DAY_MS, 0),
	NUMBER(struct runner_job, idle_ms, 0, 0, 30 * (int64_t)DAY_MS, 0),
	NUMBER(struct runner_job, lease_ms, REQUIRED, 1, DAY_MS, 0),
	NUMBER(struct runner_job, close_ms, 0, 1, DAY_MS, CLOSE_MS),
	FIELD_END,
};

const struct field runner_lease_fields[] = {
	NUMBER(struct runner_lease, ms, REQUIRED, 1, DAY_MS, 0),
	FIELD_END,
};

const struct field runner_running_fields[] = {
	NUMBER(struct runner_running, expires_in_ms, REQUIRED, 0, 30 * (int64_t)DAY_MS, 0),
	FIELD_END,
};

const struct field runner_close_fields[] = {
	TEXT(struct runner_close, reason, REQUIRED, 1, WORD),
	FIELD_END,
};

const struct field runner_egress_fields[] = {
	TEXT(struct runner_egress, event, REQUIRED, 1, WORD),
	TEXT(struct runner_egress, host, REQUIRED, 0, LONG),
	NUMBER(struct runner_egress, port, REQUIRED, 0, UINT16_MAX, 0),
	TEXT(struct runner_egress, address, 0, 0, WORD),
	TEXT(struct runner_egress, reason, 0, 0, LONG),
	FIELD_END,
};

const struct field runner_logged_fields[] = {
	NUMBER(struct runner_logged, seq, REQUIRED, 1, INT64_MAX, 0),
	FIELD_END,
};

const struct field runner_stored_fields[] = {
	FIELD(struct runner_stored, id, REQUIRED),
	FIELD_END,
};

const struct field runner_refused_fields[] = {
	FIELD(struct runner_refused, id, REQUIRED),
	TEXT(struct runner_refused, why, REQUIRED, 0, LONG),
	FIELD_END,
};
