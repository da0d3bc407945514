/* SPDX-License-Identifier: ISC */
/* Events of changed records: laws that random changes of every dataset with a history obey, and events by example. */
#include "config.h"

#include "record/event.h"
#include "t/unit/random_record.h"
#include "t/unit/tap.h"

enum { PAIRS = 10000 };

static struct arena *a;

static const struct ts when = { INT64_C(1767312000000000) }; /* 2026-01-02 */

/* The kinds and contents of the events of a change, a line each. */
static struct str
told(const struct record *old, const struct record *new)
{
	size_t n;
	struct record_event *p = record_events(a, &(struct record_change){ old, new, when }, &n);
	struct buf b = { .a = a };

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%s %.*s", i > 0 ? "\n" : "", event_kind_name(p[i].kind),
		    (int)p[i].what.n, p[i].what.p);
	return buf_done(&b);
}

static void
tells(enum dataset d, const char *old, const char *new, const char *wanted)
{
	struct record x, y;
	struct str found;

	if (old != NULL)
		x = record_of_text(a, d, old);
	if (new != NULL)
		y = record_of_text(a, d, new);
	found = told(old == NULL ? NULL : &x, new == NULL ? NULL : &y);
	if (!str_is(found, wanted))
		printf("# found\n%.*s\n# wanted\n%s\n", (int)found.n, found.p, wanted);
	CU_ASSERT(str_is(found, wanted));
	arena_reset(a);
}

/* ---- laws ---- */

/* The text between two marks; the whole member of a JSON object whose name is unique in it. */
static struct record
side_of(enum dataset d, struct str what, const char *from, const char *to)
{
	const char *begin = strstr(what.p, from), *end = to == NULL ? NULL : strstr(what.p, to);
	struct record r;
	struct str text, fault;

	if (begin == NULL || (to != NULL && end == NULL))
		panic("no %s in %s", from, what.p);
	begin += strlen(from);
	text = (struct str){ begin, (size_t)((end == NULL ? what.p + what.n - 1 : end) - begin) };
	if (!record_parse(a, d, text, RECORD_LENIENT, &r, &fault))
		panic("%.*s: %.*s", (int)text.n, text.p, (int)fault.n, fault.p);
	return r;
}

/* Takes the members of `before` away from an object and gives it those of `after`. Returns false when one of `before`
   was not there. */
static bool
replay(
    struct record_object *o, const struct record_object *before, const struct record_object *after)
{
	bool good = true;

	for (unsigned i = 0; i < o->of->nkids; i++) {
		const struct record_member *m = &o->of->kids[i];

		if (m->shape == SHAPE_OBJECT) {
			const struct record_object *none = record_object_new(a, m);

			if (!before->v[i].set && !after->v[i].set)
				continue;
			if (!o->v[i].set)
				o->v[i] = (struct record_value){ .set = true,
					.object = record_object_new(a, m) };
			good &=
			    replay(o->v[i].object, before->v[i].set ? before->v[i].object : none,
				after->v[i].set ? after->v[i].object : none);
			continue;
		}
		if (before->v[i].set) {
			good &= record_value_cmp(m, &before->v[i], &o->v[i]) == 0;
			o->v[i].set = false;
		}
		if (after->v[i].set)
			o->v[i] = after->v[i];
	}
	return good;
}

static struct str
print(const struct record *r)
{
	struct buf b = { .a = a };

	record_print(&b, r, NULL);
	return buf_done(&b);
}

/* Replaying the event of the record itself makes it the other one, but for what no event tells: then there are no
   events between the two. Long values are cut, so such pairs say nothing. */
static bool
event_replays(const struct record *x, const struct record *y)
{
	size_t n;
	struct record_event *p = record_events(a, &(struct record_change){ x, y, when }, &n);
	struct record before, after, again = *x;
	struct str what;

	if (n == 0 || (p[0].kind != EVENT_HOST_CHANGED && p[0].kind != EVENT_CHANGED))
		return true;
	what = arena_str(a, p[0].what);
	before = side_of(x->dataset, what, "\"before\":", ",\"after\":");
	after = side_of(x->dataset, what, "\"after\":", NULL);
	if (!replay(again.root, before.root, after.root))
		return false;
	p = record_events(a, &(struct record_change){ &again, y, when }, &n);
	return n == 0 || (p[0].kind != EVENT_HOST_CHANGED && p[0].kind != EVENT_CHANGED);
}

static void
events_obey_their_laws(void)
{
	for (unsigned d = 0; d < DATASETS; d++) {
		unsigned none = 0, some = 0, right = 0;

		if (!record_has_events((enum dataset)d))
			continue;
		random_seed = 88172645463325252u + d;
		for (unsigned i = 0; i < PAIRS; i++) {
			struct record x = random_record(a, (enum dataset)d, true, 0);
			struct record y = random_record(a, (enum dataset)d, true, 0);
			struct record xy = record_merge(a, &x, &y);
			struct str untouched = print(&xy);

			none += told(&x, &x).n == 0 && told(&xy, &xy).n == 0;
			some += told(&x, &xy).n > 0;
			right += event_replays(&x, &xy);
			CU_ASSERT(str_eq(untouched, print(&xy)));
			CU_ASSERT(told(NULL, &x).n > 0);
			CU_ASSERT(told(&x, NULL).n > 0);
			arena_reset(a);
		}
		CU_ASSERT_EQUAL(none, PAIRS);
		CU_ASSERT_EQUAL(right, PAIRS);
		CU_ASSERT(some > PAIRS / 4);
	}
}

static void
datasets_without_history_have_no_events(void)
{
	struct record x = record_of_text(a, DATASET_DNS,
	    "{\"host\":\"example.org\",\"record_type\":\"A\",\"answer\":\"192.0.2.1\"}");

	CU_ASSERT(!record_has_events(DATASET_DNS));
	CU_ASSERT_EQUAL(told(NULL, &x).n, 0);
	CU_ASSERT_EQUAL(told(&x, NULL).n, 0);
	CU_ASSERT_PTR_NULL(event_kind_name(0));
	CU_ASSERT_PTR_NULL(event_kind_name(EVENT_END));
	CU_ASSERT_STRING_EQUAL(event_kind_name(EVENT_COALESCED), "coalesced");
	arena_reset(a);
}

/* ---- by example ---- */

#define SEEN(day)                                                                                  \
	"\"first_seen\":\"2026-01-01T00:00:00Z\",\"last_seen\":\"2026-01-0" day "T00:00:00Z\""
#define HOST(day, ...) "{\"ip\":\"192.0.2.1\"," SEEN(day) "," __VA_ARGS__ "}"
#define WEB(title) "{\"port\":80,\"product\":\"nginx\",\"http\":{\"title\":\"" title "\"}}"
#define NAMED(port, transport) "{\"service\":{\"port\":" port ",\"transport\":\"" transport "\"},"

/* C-412 */
static void
changed_host(void)
{
	tells(DATASET_HOSTS, HOST("1", "\"services\":[" WEB("Old") ",{\"port\":22}]"),
	    HOST("2", "\"services\":[" WEB("New") ",{\"port\":53,\"transport\":\"udp\"}]"),
	    "service_gone " NAMED(
		"22", "tcp") "\"fields\":[\"first_seen\",\"last_seen\"],\"before\":{"
			     "\"first_seen\":\"2026-01-01T00:00:00.000000Z\",\"last_seen\":\"2026-"
			     "01-01T00:00:00.000000Z\"},"
			     "\"after\":{}}\n"
			     "service_added " NAMED("53",
				 "udp") "\"fields\":[],\"before\":{},\"after\":{}}\n"
					"service_changed " NAMED("80",
					    "tcp") "\"fields\":[\"http.title\"],"
						   "\"before\":{\"http\":{\"title\":\"Old\"}},"
						   "\"after\":{\"http\":{\"title\":\"New\"}}}");
	tells(DATASET_HOSTS, HOST("1", "\"asn\":1,\"hostnames\":[\"a.example\"]"),
	    HOST("2", "\"hostnames\":[\"a.example\",\"b.example\"],\"os\":\"Debian\""),
	    "host_changed {\"fields\":[\"asn\",\"hostnames\",\"os\"],"
	    "\"before\":{\"asn\":1,\"hostnames\":[\"a.example\"]},"
	    "\"after\":{\"hostnames\":[\"a.example\",\"b.example\"],\"os\":\"Debian\"}}");
	tells(DATASET_HOSTS, HOST("1", "\"asn\":1,\"services\":[" WEB("Old") "]"),
	    HOST("2", "\"asn\":1,\"services\":[" WEB("Old") "]"), "");
}

static void
new_and_gone_host(void)
{
	tells(DATASET_HOSTS, NULL, HOST("1", "\"asn\":1,\"services\":[" WEB("Old") "]"),
	    "host_added {\"fields\":[],\"before\":{},\"after\":{}}");
	tells(DATASET_HOSTS, HOST("1", "\"asn\":1,\"services\":[{\"port\":80}]"), NULL,
	    "host_gone {\"fields\":[\"asn\",\"first_seen\",\"last_seen\"],\"before\":{\"asn\":1,"
	    "\"first_seen\":\"2026-01-01T00:00:00.000000Z\",\"last_seen\":\"2026-01-01T00:00:00."
	    "000000Z\"},"
	    "\"after\":{}}\n"
	    "service_gone " NAMED(
		"80", "tcp") "\"fields\":[\"first_seen\",\"last_seen\"],\"before\":{"
			     "\"first_seen\":\"2026-01-01T00:00:00.000000Z\",\"last_seen\":\"2026-"
			     "01-01T00:00:00.000000Z\"},"
			     "\"after\":{}}");
}

static void
registration(void)
{
	tells(DATASET_WHOIS, NULL,
	    "{\"domain\":\"example.org\",\"whois\":{\"registrar\":\"One\",\"registrar_iana_id\":1,"
	    "\"status\":[\"ok\"]}}",
	    "added {\"fields\":[\"whois.registrar\"],\"before\":{},"
	    "\"after\":{\"whois\":{\"registrar\":\"One\"}}}");
	tells(DATASET_WHOIS,
	    "{\"domain\":\"example.org\",\"whois\":{\"registrar\":\"One\",\"nameservers\":[\"a."
	    "example\"],"
	    "\"expires_at\":\"2026-01-01T00:00:00Z\"}}",
	    "{\"domain\":\"example.org\",\"whois\":{\"registrar\":\"Two\",\"nameservers\":[\"b."
	    "example\"],"
	    "\"expires_at\":\"2027-01-01T00:00:00Z\"}}",
	    "changed {\"fields\":[\"whois.registrar\",\"whois.nameservers\",\"whois.expires_at\"],"
	    "\"before\":{\"whois\":{\"registrar\":\"One\",\"nameservers\":[\"a.example\"],"
	    "\"expires_at\":\"2026-01-01T00:00:00.000000Z\"}},"
	    "\"after\":{\"whois\":{\"registrar\":\"Two\",\"nameservers\":[\"b.example\"],"
	    "\"expires_at\":\"2027-01-01T00:00:00.000000Z\"}}}");
	tells(DATASET_WHOIS,
	    "{\"domain\":\"example.org\",\"whois\":{\"status\":[\"ok\"],\"dnssec\":true}}",
	    "{\"domain\":\"example.org\",\"whois\":{\"status\":[\"clientHold\"]}}", "");
}

static void
long_values_are_cut(void)
{
	struct record x =
	    record_of_text(a, DATASET_HOSTS, HOST("1", "\"services\":[{\"port\":1}]"));
	struct record y =
	    record_of_text(a, DATASET_HOSTS, HOST("1", "\"services\":[{\"port\":1}]"));
	struct record_object *const *services;
	struct record_event *p;
	size_t n;
	char banner[3 * EVENT_TEXT];
	struct str fault;

	memset(banner, 'b', sizeof(banner));
	memcpy(banner + EVENT_TEXT - 1, "\xc3\xa9",
	    2); /* the 256th byte is in the middle of a character */
	(void)record_nested_all(&y, &services);
	record_set_text(a, services[0], "banner", (struct str){ banner, sizeof(banner) });
	for (unsigned i = 0; i < 40; i++)
		record_add(a, x.root, "hostnames", arena_printf(a, "%02u.example", i));
	for (unsigned i = 1; i < 41; i++)
		record_add(a, y.root, "hostnames", arena_printf(a, "%02u.example", i));
	if (!record_finish(a, &x, RECORD_STRICT, &fault) ||
	    !record_finish(a, &y, RECORD_STRICT, &fault))
		panic("%.*s", (int)fault.n, fault.p);
	p = record_events(a, &(struct record_change){ &x, &y, when }, &n);
	CU_ASSERT_EQUAL_FATAL(n, 2);
	CU_ASSERT(str_is(p[0].what,
	    "{\"fields\":[\"hostnames\"],\"before\":{\"hostnames\":[\"00.example\"]},"
	    "\"after\":{\"hostnames\":[\"40.example\"]}}"));
	CU_ASSERT_EQUAL(p[1].kind, EVENT_SERVICE_CHANGED);
	p[1].what = arena_str(a, p[1].what);
	banner[EVENT_TEXT - 1] = '\0';
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(p[1].what.p, arena_printf(a, "\"banner\":\"%s\",", banner).p));
	arena_reset(a);
}

/* An event is stored with at most EVENT_BYTES. */
static void
large_event_has_its_fields_alone(void)
{
	struct record x = record_of_text(a, DATASET_HOSTS, HOST("1", "\"asn\":1"));
	struct record y = record_of_text(a, DATASET_HOSTS, HOST("1", "\"asn\":1"));
	char name[200];
	struct record_event *p;
	struct str fault;
	size_t n;

	memset(name, 'n', sizeof(name));
	for (unsigned i = 0; i < 100; i++) {
		record_add(a, y.root, "cpe", arena_printf(a, "%u%.*s", i, 200, name));
		record_add(a, y.root, "vulnerabilities", arena_printf(a, "%u%.*s", i, 200, name));
		record_add(a, y.root, "hostnames",
		    arena_printf(a, "%u.%.60s.%.60s.%.60s.example", i, name, name, name));
	}
	if (!record_finish(a, &y, RECORD_LENIENT, &fault))
		panic("%.*s", (int)fault.n, fault.p);
	p = record_events(a, &(struct record_change){ &x, &y, when }, &n);
	CU_ASSERT_EQUAL_FATAL(n, 1);
	CU_ASSERT(str_is(p[0].what, "{\"fields\":[\"hostnames\",\"cpe\",\"vulnerabilities\"],"
				    "\"before\":{},\"after\":{}}"));
	arena_reset(a);
}

/* C-412: the day of an event is that of the data. */
static void
services_have_times_of_their_own(void)
{
	struct record x = record_of_text(a, DATASET_HOSTS,
	    HOST("2", "\"services\":[{\"port\":1,\"product\":\"a\"},{\"port\":2," SEEN(
			  "2") ",\"product\":\"a\"}]"));
	struct record y = record_of_text(a, DATASET_HOSTS,
	    HOST("5", "\"services\":[{\"port\":1," SEEN(
			  "4") ",\"product\":\"b\"},"
			       "{\"port\":2," SEEN("2") ",\"product\":\"b\"},{\"port\":3," SEEN(
				   "3") "}]"));
	struct record_event *p;
	size_t n;

	p = record_events(a, &(struct record_change){ &x, &y, { when.us + 7 } }, &n);
	CU_ASSERT_EQUAL_FATAL(n, 3);
	CU_ASSERT_EQUAL(p[0].at.us, when.us + 2 * DAY_US); /* seen later than before */
	CU_ASSERT_EQUAL(p[1].at.us, when.us + 7);          /* it was not: the time of the change */
	CU_ASSERT_EQUAL(p[2].at.us, when.us + DAY_US);     /* new */
	arena_reset(a);
}

static CU_TestInfo tests[] = {
	{ "Equal records have no event, and replaying an event gives the new record",
	    events_obey_their_laws },
	{ "Records of other datasets have no events", datasets_without_history_have_no_events },
	{ "A changed title, a new and a removed service are three events (C-412)", changed_host },
	{ "A new host has one event, a host that goes also one for each service",
	    new_and_gone_host },
	{ "A registration has events of its registrar, name servers and dates", registration },
	{ "Texts are cut to 256 bytes, and long lists to their differences", long_values_are_cut },
	{ "An event that would be too large has its fields alone",
	    large_event_has_its_fields_alone },
	{ "An event of a service has the time when the service was seen (C-412)",
	    services_have_times_of_their_own },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	a = arena_new((size_t)1 << 30);
	return tap_main(tests);
}
