/* SPDX-License-Identifier: ISC */
/* Random records: each member half of the time, with few values, so that two records often agree. */
#include "config.h"

#include "t/unit/random_record.h"

static struct arena *a;

uint64_t random_seed;

/* xorshift64: the same records in each run. */
unsigned
random_pick(unsigned n)
{
	random_seed ^= random_seed << 13;
	random_seed ^= random_seed >> 7;
	random_seed ^= random_seed << 17;
	return (unsigned)(random_seed >> 33) % n;
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
		[FORM_HASH] = { STR_INIT("AB:CD:EF"), STR_INIT("sha1:Ab"), STR_INIT("00") },
		[FORM_SERIAL] = { STR_INIT("0A"), STR_INIT("-1F"), STR_INIT("77") },
		[FORM_UUID] = { STR_INIT("0190a8c1-0000-7000-8000-000000000001"),
		    STR_INIT("0190a8c1-0000-7000-8000-000000000002"),
		    STR_INIT("0190a8c1-0000-7000-8000-000000000003") },
		[FORM_HEADER] = { STR_INIT("server: a"), STR_INIT("Server: b"),
		    STR_INIT("location: /") },
		[FORM_DNS_TYPE] = { STR_INIT("TYPE65280"), STR_INIT("HTTPS"), STR_INIT("RRSIG") },
		[FORM_RCODE] = { STR_INIT("NOERROR"), STR_INIT("NXDOMAIN"), STR_INIT("0") },
		[FORM_TRANSPORT] = { STR_INIT("tcp"), STR_INIT("UDP"), STR_INIT("sctp") },
		[FORM_TLP] = { STR_INIT("clear"), STR_INIT("WHITE"), STR_INIT("amber") },
		[FORM_URL] = { STR_INIT("http://a.example/"), STR_INIT("https://b.example/x"),
		    STR_INIT("HTTPS://c.example/?y") },
		[FORM_CVE] = { STR_INIT("CVE-2026-0001"), STR_INIT("cve-2026-0001"),
		    STR_INIT("CVE-1999-1234567") },
		[FORM_TECHNIQUE] = { STR_INIT("T1059"), STR_INIT("t1059.001"), STR_INIT("T1566") },
		[FORM_INDICATOR] = { STR_INIT("domain"), STR_INIT("url"), STR_INIT("ipv4") },
	};
	static const struct str plain[3] = { STR_INIT("a"), STR_INIT("B.example.org"),
		STR_INIT("tls12") };

	return texts[m->form][0].p != NULL ? texts[m->form][random_pick(3)] : plain[random_pick(3)];
}

static void random_object(struct record_object *o, bool timed);

static void
random_texts(const struct record_member *m, struct record_value *v)
{
	v->texts.n = random_pick(3);
	v->texts.p = ARENA_ARRAY(a, v->texts.n, struct str);
	for (size_t i = 0; i < v->texts.n; i++)
		v->texts.p[i] = random_text(m);
}

static void
random_objects(const struct record_member *m, struct record_value *v, bool timed)
{
	static const int64_t ports[] = { 22, 80, 443 };
	static const char *const indicators[][2] = { { "ipv4", "192.0.2.1" },
		{ "ipv6", "2001:DB8::1" }, { "domain", "www.example.org" },
		{ "domain", "B.example.org." }, { "url", "http://x@b.example.org:8080/a/b" },
		{ "url", "http://192.0.2.9/a" }, { "cidr", "192.0.2.0/24" } };

	v->objects.n = random_pick(3);
	v->objects.p = ARENA_ARRAY(a, v->objects.n, struct record_object *);
	for (size_t i = 0; i < v->objects.n; i++) {
		struct record_object *o = v->objects.p[i] = record_object_new(a, m);

		random_object(o, timed);
		if (record_nested_has_key(m)) {
			record_set_int(a, o, "port", ports[i]);
			record_set_text(a, o, "transport", STR("tcp"));
		} else if (record_kid(m, STR("value")) != NULL) {
			const char *const *row = indicators[random_pick(COUNT(indicators))];

			record_set_text(a, o, "type", str_of(row[0]));
			record_set_text(a, o, "value", str_of(row[1]));
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
		v->i = (int64_t)random_pick(3) * DAY_US;
	} else if (m->type == VALUE_INTEGER || m->type == VALUE_BOOLEAN) {
		v->i = m->least + random_pick(3);
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

		if (random_pick(2) == 0)
			random_value(m, &o->v[i], timed);
	}
	if (record_kid(o->of, STR("first_seen")) == NULL)
		return;
	record_make(a, o, "first_seen")->set = false;
	record_make(a, o, "last_seen")->set = false;
	if (!timed)
		return;
	record_set_int(a, o, "first_seen", (int64_t)random_pick(2) * DAY_US);
	record_set_int(a, o, "last_seen", (int64_t)(1 + random_pick(3)) * DAY_US);
}

/* Members that make the key. All records with one number have the same key; another number is another key, and for most
   datasets other values. */
static void
set_key(struct record *r, unsigned n)
{
	static const char *const names[] = { "www.example.org", "example.org", "a.b.example.com",
		"xexample.org", "*.example.com" };
	struct record_object *o = r->root;

	switch (r->dataset) {
	case DATASET_HOSTS:
		record_set_text(a, o, "ip",
		    arena_printf(a, n % 4 == 3 ? "2001:db8:%x::%x" : "192.0.%u.%u", 2 + n / 255,
			1 + n % 255));
		return;
	case DATASET_DNS:
		record_set_text(a, o, "host", str_of(names[n % COUNT(names)]));
		record_set_text(a, o, "rcode", STR("NOERROR"));
		record_set_text(a, o, "record_type",
		    str_of(n % 3 == 1   ? "A"
			   : n % 3 == 2 ? "MX"
					: "HTTPS"));
		record_set_text(a, o, "answer",
		    n % 3 == 1   ? arena_printf(a, "10.0.%u.%u", n / 64, n % 64)
		    : n % 3 == 2 ? arena_printf(a, "%u mail%u.example.org.", n, n % 4)
				 : arena_printf(a, "%u . alpn=h2", 1 + n));
		return;
	case DATASET_WHOIS:
		record_set_text(a, o, "domain",
		    n == 0 ? STR("example.org")
			   : arena_printf(a, "d%u.%s", n, n % 2 ? "org" : "co.uk"));
		return;
	case DATASET_CERTIFICATES:
		record_set_text(a, o, "fingerprint_sha256", arena_printf(a, "%064x", 0xaa + n));
		record_set_int(a, o, "not_before", (1 + n % 7) * DAY_US);
		return;
	case DATASET_REPORTS:
		record_set_text(
		    a, o, "uuid", arena_printf(a, "0190a8c1-0000-7000-8000-%012x", 1 + n));
		record_set_int(a, o, "published_at", (1 + n % 7) * DAY_US);
		return;
	case DATASET_DIRECTORIES:
		record_set_text(a, o, "host", STR("files.example.org"));
		record_set_text(a, o, "path", n == 0 ? STR("/") : arena_printf(a, "/%u", n));
		record_set_int(a, o, "port", 80 + n % 3);
		return;
	default:
		panic("%s has no key", record_dataset_name(r->dataset));
	}
}

struct record
random_record(struct arena *arena, enum dataset d, bool timed, unsigned n)
{
	struct record r;
	struct str what;

	a = arena;
	r = record_new(a, d);
	random_object(r.root, timed);
	set_key(&r, n);
	if (!record_finish(a, &r, RECORD_STRICT, &what))
		panic("%s: %.*s", record_dataset_name(d), (int)what.n, what.p);
	return r;
}

struct record
record_of_text(struct arena *to, enum dataset d, const char *text)
{
	struct record r;
	struct str what;

	if (!record_parse(to, d, str_of(text), RECORD_STRICT, &r, &what) ||
	    !record_finish(to, &r, RECORD_STRICT, &what))
		panic("%s: %.*s", text, (int)what.n, what.p);
	return r;
}
