/* SPDX-License-Identifier: ISC */
/* Merging: laws that random records of every dataset obey, and the rules of tbl/merges.h by example. */
#include "config.h"

#include "record/record_priv.h"
#include "t/unit/tap.h"

enum { PAIRS = 10000 };

static struct arena *a;
static uint64_t seed;

/* xorshift64: the same records in each run. */
static unsigned
pick(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 33) % n;
}

/* Texts that each form accepts; few, so that two records often agree. */
static struct str
random_text(const struct record_member *m)
{
	static const struct str texts[FORMS][3] = {
		[FORM_ADDRESS] = { STR_INIT("192.0.2.1"), STR_INIT("2001:db8::1"),
		    STR_INIT("10.0.0.9") },
		[FORM_NETWORK] = { STR_INIT("192.0.2.0/24"), STR_INIT("10.0.0.0/8"),
		    STR_INIT("::/0") },
		[FORM_COUNTRY] = { STR_INIT("DE"), STR_INIT("us"), STR_INIT("NO") },
		[FORM_SHA256] = { STR_INIT(
				      "00000000000000000000000000000000000000000000000000000000"
				      "000000aa"),
		    STR_INIT("ff00000000000000000000000000000000000000000000000000000000000001"),
		    STR_INIT("1100000000000000000000000000000000000000000000000000000000000002") },
		[FORM_SERIAL] = { STR_INIT("0A"), STR_INIT("-1F"), STR_INIT("77") },
		[FORM_UUID] = { STR_INIT("0190a8c1-0000-7000-8000-000000000001"),
		    STR_INIT("0190a8c1-0000-7000-8000-000000000002"),
		    STR_INIT("0190a8c1-0000-7000-8000-000000000003") },
		[FORM_HEADER] = { STR_INIT("server: a"), STR_INIT("Server: b"),
		    STR_INIT("location: /") },
		[FORM_DNS_TYPE] = { STR_INIT("TYPE65280"), STR_INIT("HTTPS"), STR_INIT("RRSIG") },
		[FORM_RCODE] = { STR_INIT("NOERROR"), STR_INIT("NXDOMAIN"), STR_INIT("0") },
		[FORM_TRANSPORT] = { STR_INIT("tcp"), STR_INIT("UDP"), STR_INIT("sctp") },
		[FORM_TLP] = { STR_INIT("clear"), STR_INIT("red"), STR_INIT("amber+strict") },
	};
	static const struct str plain[3] = { STR_INIT("a"), STR_INIT("B.example.org"),
		STR_INIT("tls12") };

	return texts[m->form][0].p != NULL ? texts[m->form][pick(3)] : plain[pick(3)];
}

static void random_object(struct record_object *o, bool timed);

static void
random_texts(const struct record_member *m, struct record_value *v)
{
	v->texts.n = pick(3);
	v->texts.p = ARENA_ARRAY(a, v->texts.n, struct str);
	for (size_t i = 0; i < v->texts.n; i++)
		v->texts.p[i] = random_text(m);
}

static void
random_objects(const struct record_member *m, struct record_value *v, bool timed)
{
	static const int64_t ports[] = { 22, 80, 443 };

	v->objects.n = pick(3);
	v->objects.p = ARENA_ARRAY(a, v->objects.n, struct record_object *);
	for (size_t i = 0; i < v->objects.n; i++) {
		struct record_object *o = v->objects.p[i] = record_object_new(a, m);

		random_object(o, timed);
		if (record_nested_has_key(m)) {
			record_set_int(a, o, "port", ports[i]);
			record_set_text(a, o, "transport", STR("tcp"));
		} else if (record_kid(m, STR("value")) != NULL) {
			record_set_text(a, o, "type", STR("ip"));
			record_set_text(a, o, "value", STR("192.0.2.1"));
		} else {
			record_set_text(a, o, "name", STR("f.txt"));
		}
	}
}

static void
random_value(const struct record_member *m, struct record_value *v, bool timed)
{
	v->set = true;
	if (m->shape == SHAPE_OBJECT) {
		v->object = record_object_new(a, m);
		random_object(v->object, timed);
	} else if (m->shape == SHAPE_OBJECTS) {
		random_objects(m, v, timed);
	} else if (m->shape == SHAPE_TEXTS) {
		random_texts(m, v);
	} else if (m->type == VALUE_DATE) {
		v->i = (int64_t)pick(3) * DAY_US;
	} else if (m->type == VALUE_INTEGER || m->type == VALUE_BOOLEAN) {
		v->i = m->least + pick(3);
		v->i = v->i > m->most ? m->most : v->i;
	} else {
		v->s = random_text(m);
	}
}

/* Sets each member half of the time, and the times always if the record is to have them. */
static void
random_object(struct record_object *o, bool timed)
{
	for (unsigned i = 0; i < o->of->nkids; i++) {
		const struct record_member *m = &o->of->kids[i];

		if (pick(2) == 0)
			random_value(m, &o->v[i], timed);
	}
	if (record_kid(o->of, STR("first_seen")) == NULL)
		return;
	record_make(a, o, "first_seen")->set = false;
	record_make(a, o, "last_seen")->set = false;
	if (!timed)
		return;
	record_set_int(a, o, "first_seen", (int64_t)pick(2) * DAY_US);
	record_set_int(a, o, "last_seen", (int64_t)(1 + pick(3)) * DAY_US);
}

/* Members that make the key: equal in both records of a pair. */
static void
set_key(struct record *r)
{
	static const struct {
		enum dataset dataset;
		const char *name, *text;
	} keys[] = {
		{ DATASET_HOSTS, "ip", "192.0.2.1" },
		{ DATASET_DNS, "host", "www.example.org" },
		{ DATASET_DNS, "record_type", "HTTPS" },
		{ DATASET_DNS, "rcode", "NOERROR" },
		{ DATASET_DNS, "answer", "1 . alpn=h2" },
		{ DATASET_WHOIS, "domain", "example.org" },
		{ DATASET_CERTIFICATES, "fingerprint_sha256",
		    "00000000000000000000000000000000000000000000000000000000000000aa" },
		{ DATASET_REPORTS, "uuid", "0190a8c1-0000-7000-8000-000000000001" },
		{ DATASET_DIRECTORIES, "host", "files.example.org" },
		{ DATASET_DIRECTORIES, "path", "/" },
	};

	for (size_t i = 0; i < COUNT(keys); i++)
		if (keys[i].dataset == r->dataset)
			record_set_text(a, r->root, keys[i].name, str_of(keys[i].text));
	if (r->dataset == DATASET_CERTIFICATES)
		record_set_int(a, r->root, "not_before", DAY_US);
	if (r->dataset == DATASET_REPORTS)
		record_set_int(a, r->root, "published_at", DAY_US);
	if (r->dataset == DATASET_DIRECTORIES)
		record_set_int(a, r->root, "port", 80);
}

static struct record
random_record(enum dataset d, bool timed)
{
	struct record r = record_new(a, d);
	struct str what;

	random_object(r.root, timed);
	set_key(&r);
	if (!record_finish(a, &r, RECORD_STRICT, &what))
		panic("%s: %.*s", record_dataset_name(d), (int)what.n, what.p);
	return r;
}

static struct str
print(const struct record *r)
{
	struct buf b = { .a = a };

	record_print(&b, r, NULL);
	return buf_done(&b);
}

static bool
same(const struct record *x, const struct record *y)
{
	struct str s = print(x), t = print(y);

	if (!str_eq(s, t))
		printf("# %.*s\n# %.*s\n", (int)s.n, s.p, (int)t.n, t.p);
	return str_eq(s, t);
}

/* Whether the canonical text of the record is read back as it is. */
static bool
survives_print(const struct record *r)
{
	struct record again;
	struct str what;

	if (record_parse(a, r->dataset, print(r), RECORD_STRICT, &again, &what) &&
	    record_finish(a, &again, RECORD_STRICT, &what))
		return same(r, &again);
	printf("# %.*s\n", (int)what.n, what.p);
	return false;
}

static void
merge_obeys_its_laws(void)
{
	for (unsigned d = 0; d < DATASETS_STORED; d++) {
		unsigned merged = 0, self = 0, either = 0, twice = 0, canonical = 0;

		seed = 88172645463325252u + d;
		for (unsigned i = 0; i < PAIRS; i++) {
			struct record x = random_record((enum dataset)d, true);
			struct record y = random_record((enum dataset)d, true);
			struct record xy = record_merge(a, &x, &y), yx = record_merge(a, &y, &x);
			struct record xx = record_merge(a, &x, &x), xyy = record_merge(a, &xy, &y);

			merged += !str_eq(print(&xy), print(&x));
			self += same(&xx, &x);
			either += same(&xy, &yx);
			twice += same(&xyy, &xy);
			canonical += survives_print(&xy);
			CU_ASSERT(str_eq(record_key(a, &xy), record_key(a, &x)));
			arena_reset(a);
		}
		CU_ASSERT_EQUAL(self, PAIRS);
		CU_ASSERT_EQUAL(either, PAIRS);
		CU_ASSERT_EQUAL(twice, PAIRS);
		CU_ASSERT_EQUAL(canonical, PAIRS);
		CU_ASSERT(merged > PAIRS / 2);
	}
}

/* A record without times is imported twice: the second time changes nothing. */
static void
timeless_merge_is_idempotent(void)
{
	for (unsigned d = 0; d < DATASETS_STORED; d++) {
		unsigned twice = 0;

		seed = 88172645463325252u + d;
		for (unsigned i = 0; i < PAIRS; i++) {
			struct record x = random_record((enum dataset)d, true);
			struct record y = random_record((enum dataset)d, false);
			struct record xy = record_merge(a, &x, &y);
			struct record xyy = record_merge(a, &xy, &y);

			twice += same(&xyy, &xy);
			arena_reset(a);
		}
		CU_ASSERT_EQUAL(twice, PAIRS);
	}
}

/* ---- by example ---- */

static struct record
parsed(enum dataset d, const char *text)
{
	struct record r;
	struct str what;

	if (!record_parse(a, d, str_of(text), RECORD_STRICT, &r, &what) ||
	    !record_finish(a, &r, RECORD_STRICT, &what))
		panic("%s: %.*s", text, (int)what.n, what.p);
	return r;
}

static void
merges(enum dataset d, const char *old, const char *new, const char *wanted)
{
	struct record x = parsed(d, old), y = parsed(d, new), r = record_merge(a, &x, &y);

	if (!str_is(print(&r), wanted))
		printf("# found  %.*s\n# wanted %s\n", (int)print(&r).n, print(&r).p, wanted);
	CU_ASSERT(str_is(print(&r), wanted));
	arena_reset(a);
}

#define DAY1 "\"last_seen\":\"2026-01-01T00:00:00.000000Z\""
#define DAY2 "\"last_seen\":\"2026-01-02T00:00:00.000000Z\""
#define SEEN "\"first_seen\":\"2026-01-01T00:00:00.000000Z\"," DAY2
#define ONCE "\"first_seen\":\"2026-01-01T00:00:00.000000Z\"," DAY1
/* 62 of the 64 digits of a SHA-256 */
#define SUM "00000000000000000000000000000000000000000000000000000000000000"
#define HOST "{\"ip\":\"192.0.2.1\","
#define HEAD "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":1," SEEN ",\"services\":"

/* A port sweep that knows the port alone must not take away what other tools found there. */
static void
service_keeps_groups(void)
{
	merges(DATASET_HOSTS,
	    HOST DAY1 ",\"services\":[{\"port\":80,\"product\":\"nginx\",\"version\":\"1\","
		      "\"http\":{\"title\":\"Hello\",\"status_code\":200}}]}",
	    HOST DAY2 ",\"services\":[{\"port\":80,\"http\":{\"title\":\"Moved\"}}]}",
	    HEAD "[{\"port\":80,\"transport\":\"tcp\",\"product\":\"nginx\",\"version\":\"1\","
		 "\"http\":{\"title\":\"Moved\"}," SEEN "}]}");
	merges(DATASET_HOSTS,
	    HOST DAY2 ",\"services\":[{\"port\":80,\"product\":\"nginx\",\"version\":\"1\"}]}",
	    HOST DAY1 ",\"services\":[{\"port\":80,\"product\":\"apache\",\"vendor\":\"v\","
		      "\"banner\":\"\"}]}",
	    HEAD "[{\"port\":80,\"transport\":\"tcp\",\"product\":\"nginx\",\"version\":\"1\","
		 "\"banner\":\"\",\"banner_hash\":"
		 "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"," SEEN
		 "}]}");
}

/* A banner and its hash describe one observation: of two that were made at one time, the greater banner wins with its
   own hash, although the other hash is greater. Members of the group HTTP complete each other instead. */
static void
groups_of_one_time(void)
{
	static const char *const services[] = {
		"[{\"port\":80,\"banner\":\"a\",\"banner_hash\":\"" SUM "bb\","
		"\"http\":{\"title\":\"Hello\"}}]}",
		"[{\"port\":80,\"banner\":\"b\",\"banner_hash\":\"" SUM "aa\","
		"\"http\":{\"status_code\":200}}]}",
	};

	for (size_t i = 0; i < COUNT(services); i++) {
		struct str old = arena_printf(a, HOST DAY1 ",\"services\":%s", services[i]);
		struct str new = arena_printf(a, HOST DAY1 ",\"services\":%s", services[1 - i]);

		merges(DATASET_HOSTS, old.p, new.p,
		    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"service_count\":1," ONCE
		    ",\"services\":[{\"port\":80,\"transport\":\"tcp\",\"banner\":\"b\","
		    "\"banner_hash\":\"" SUM
		    "aa\",\"http\":{\"status_code\":200,\"title\":\"Hello\"}," ONCE "}]}");
	}
}

static void
counts_and_sources(void)
{
	merges(DATASET_DNS,
	    "{\"host\":\"a.org\",\"record_type\":\"A\",\"answer\":\"192.0.2.1\",\"count\":7,"
	    "\"ttl\":60,\"source\":[\"x\"]," DAY2 "}",
	    "{\"host\":\"a.org\",\"record_type\":\"A\",\"answer\":\"192.0.2.1\",\"count\":5,"
	    "\"ttl\":90,\"source\":[\"w\"],\"wildcard\":true," DAY1 "}",
	    "{\"host\":\"a.org\",\"record_type\":\"A\",\"rcode\":\"NOERROR\","
	    "\"answer\":\"192.0.2.1\",\"answer_ip\":\"192.0.2.1\",\"apex_domain\":\"a.org\","
	    "\"tld\":\"org\",\"ttl\":60,\"wildcard\":true,\"count\":7,\"source\":[\"w\",\"x\"]"
	    "," SEEN "}");
}

static void
whois_is_replaced_whole(void)
{
	merges(DATASET_WHOIS,
	    "{\"domain\":\"a.org\",\"whois\":{\"registrar\":\"R1\",\"registrant\":{"
	    "\"organisation\":\"Old\"}}," DAY1 "}",
	    "{\"domain\":\"a.org\",\"whois\":{\"registrar\":\"R2\"}," DAY2 "}",
	    "{\"domain\":\"a.org\",\"tld\":\"org\",\"whois\":{\"registrar\":\"R2\"}," SEEN "}");
}

#define CERT "{\"fingerprint_sha256\":\"" SUM "aa\",\"not_before\":\"2026-01-01T00:00:00.000000Z\","

/* The record without DER is the later one; still it does not replace what was parsed from the DER. */
static void
parsed_certificate_wins(void)
{
	merges(DATASET_CERTIFICATES,
	    CERT "\"spki_sha256\":\"" SUM "aa\",\"subject\":{\"common_name\":\"a.org\"},"
		 "\"ct\":{\"log\":\"L1\",\"seen_at\":\"2026-01-02T00:00:00Z\"}," DAY1 "}",
	    CERT "\"subject\":{\"common_name\":\"wrong\",\"organisation\":\"O\"},"
		 "\"ct\":{\"log\":\"L2\",\"seen_at\":\"2026-01-01T00:00:00Z\"}," DAY2 "}",
	    "{\"fingerprint_sha256\":\"" SUM "aa\",\"spki_sha256\":\"" SUM
	    "aa\",\"subject\":{\"common_name\":\"a.org\"},"
	    "\"not_before\":\"2026-01-01T00:00:00.000000Z\","
	    "\"ct\":{\"log\":\"L2\",\"seen_at\":\"2026-01-01T00:00:00.000000Z\"}," SEEN "}");
}

static void
timeless_record_is_later(void)
{
	merges(DATASET_HOSTS, HOST "\"os\":\"a\",\"asn\":1," DAY1 "}", HOST "\"os\":\"b\"}",
	    "{\"ip\":\"192.0.2.1\",\"ip_version\":4,\"asn\":1,\"os\":\"b\","
	    "\"first_seen\":\"2026-01-01T00:00:00.000000Z\"," DAY1 "}");
}

static CU_TestInfo tests[] = {
	{ "Merge is idempotent and commutative for every dataset (C-406)", merge_obeys_its_laws },
	{ "A record without times changes nothing the second time (C-404)",
	    timeless_merge_is_idempotent },
	{ "A service keeps the member groups that the later record lacks", service_keeps_groups },
	{ "Groups of two records of one time win whole or member by member", groups_of_one_time },
	{ "A DNS record keeps the greater count and all sources", counts_and_sources },
	{ "A whois answer replaces the earlier one as a whole", whois_is_replaced_whole },
	{ "A certificate that was parsed from DER is not overwritten", parsed_certificate_wins },
	{ "A record without times counts as the later one", timeless_record_is_later },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	a = arena_new((size_t)1 << 30);
	return tap_main(tests);
}
