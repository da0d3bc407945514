/* SPDX-License-Identifier: ISC */
/* Reads the Common Output Format of passive DNS (draft-dulaunoy-dnsop-passive-dns-cof):

     {"rrname":"www.example.org.","rrtype":"A","rdata":["192.0.2.1","192.0.2.2"],"time_first":1700000000,...}

   Each value of rdata becomes a record. A time is a text or a number; the table cof_times has the
   unit of each member. DNSDB wraps the objects in frames, {"cond":"begin"}, {"obj":{...}},
   {"cond":"succeeded"}. Its last frame is a condition such as "succeeded"; without it the input was
   cut off. */
#include "config.h"

#include "cli/import/dns.h"

struct cof {
	struct records *rs;
	bool framed, ended;
};

static const struct {
	const char *name;
	bool last;
	int64_t unit; /* microseconds of a number */
} cof_times[] = {
	{ "time_first", false, SECOND_US },
	{ "time_last", true, SECOND_US },
	{ "zone_time_first", false, SECOND_US },
	{ "zone_time_last", true, SECOND_US },
	{ "time_first_ms", false, 1000 },
	{ "time_last_ms", true, 1000 },
	{ "zone_time_first_ms", false, 1000 },
	{ "zone_time_last_ms", true, 1000 },
};

/* False: the value is not a time. */
static bool
cof_time(const struct json_value *v, int64_t unit, struct ts *out)
{
	int64_t n;

	if (json_type(v) == JSON_STRING)
		return ts_parse(json_text(v), out);
	if (!json_int(v, &n) || __builtin_mul_overflow(n, unit, &out->us))
		return false;
	return ts_is_printable(*out);
}

/* Returns NULL, or the name of a member that is not a time. An object may have times of sensors and
   times of zone files; the record gets the earliest first time and the latest last time. */
static const char *
set_cof_times(const struct cof *c, const struct json_value *o, struct record *r)
{
	struct ts first = TS_NULL, last = TS_NULL, t;

	for (size_t i = 0; i < COUNT(cof_times); i++) {
		const struct json_value *v = json_get(o, cof_times[i].name);

		if (v == NULL)
			continue;
		if (!cof_time(v, cof_times[i].unit, &t))
			return cof_times[i].name;
		if (cof_times[i].last)
			last = ts_is_null(last) || ts_cmp(t, last) > 0 ? t : last;
		else
			first = ts_is_null(first) || ts_cmp(t, first) < 0 ? t : first;
	}
	record_set_time(c->rs->a, r->root, "first_seen", first);
	record_set_time(c->rs->a, r->root, "last_seen", last);
	return NULL;
}

static struct str
cof_type(struct arena *a, const struct json_value *v)
{
	int64_t n;

	if (v != NULL && json_int(v, &n) && n >= 0 && n <= UINT16_MAX)
		return arena_printf(a, "TYPE%d", (int)n);
	return v == NULL ? STR_NULL : json_text(v);
}

static void
emit_cof(
    const struct cof *c, const struct json_value *o, const struct json_value *rdata, uint64_t line)
{
	struct arena *a = c->rs->a;
	struct record r = record_new(a, DATASET_DNS);
	const struct json_value *sensor = json_get(o, "sensor_id");
	const char *wrong = set_cof_times(c, o, &r);
	int64_t count;

	if (wrong != NULL || rdata == NULL || json_type(rdata) != JSON_STRING) {
		records_bad(c->rs, line, "%s: %s", wrong == NULL ? "rdata" : wrong,
		    wrong == NULL ? "must be a string or an array of strings" : "is no time");
		return;
	}
	record_set_text(a, r.root, "host", json_text(json_get(o, "rrname")));
	record_set_text(a, r.root, "record_type", cof_type(a, json_get(o, "rrtype")));
	record_set_text(a, r.root, "answer", json_text(rdata));
	if (json_get(o, "count") != NULL && json_int(json_get(o, "count"), &count))
		record_set_int(a, r.root, "count", count);
	if (sensor != NULL && json_text(sensor).n > 0)
		record_add(a, r.root, "source", json_text(sensor));
	records_emit(c->rs, &r, STR_NULL, RECORD_LENIENT, line);
}

static void
read_cof_object(struct cof *c, const struct json_value *o, uint64_t line)
{
	const struct json_value *name = json_get(o, "rrname"), *rdata = json_get(o, "rdata");

	if (json_type(o) == JSON_OBJECT && name == NULL && json_get(o, "num_results") != NULL) {
		c->rs->skipped++; /* the summary of a query, not an answer */
		return;
	}
	if (name == NULL || json_type(name) != JSON_STRING) {
		records_bad(c->rs, line, "rrname: must be a string");
		return;
	}
	if (rdata == NULL || json_type(rdata) != JSON_ARRAY) {
		emit_cof(c, o, rdata, line);
		return;
	}
	for (size_t i = 0; i < json_length(rdata) && !c->rs->stop; i++)
		emit_cof(c, o, json_at(rdata, i), line);
}

/* A frame of DNSDB: a condition, an object, or both. */
static void
read_cof_frame(struct cof *c, const struct json_value *o, uint64_t line)
{
	const struct json_value *cond = json_get(o, "cond"), *object = json_get(o, "obj");
	struct str word = cond == NULL ? STR("") : json_text(cond);
	const struct json_value *msg = json_get(o, "msg");

	c->framed = true;
	c->ended = str_is(word, "succeeded") || str_is(word, "limited") || str_is(word, "failed");
	if (str_is(word, "failed"))
		records_bad(c->rs, line, "the server reports a failure: %.200s",
		    msg == NULL || json_text(msg).p == NULL
			? "no reason"
			: arena_str(c->rs->a, json_text(msg)).p);
	else if (object != NULL)
		read_cof_object(c, object, line);
	else
		c->rs->skipped++;
}

static void
read_cof_value(void *arg, const struct json_value *o, uint64_t line)
{
	struct cof *c = arg;

	if (json_get(o, "cond") != NULL || json_get(o, "obj") != NULL)
		read_cof_frame(c, o, line);
	else
		read_cof_object(c, o, line);
}

void
read_cof(struct records *rs)
{
	struct cof c = { .rs = rs };

	records_json(rs, NULL, read_cof_value, &c);
	if (c.framed && !c.ended && !rs->stop)
		records_bad(
		    rs, rs->src->line, "the answer was cut off: its last condition is missing");
}
