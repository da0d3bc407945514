/* SPDX-License-Identifier: ISC */
/* src/cli/report: files of STIX and MISP, and texts, become documents; every part that gives nothing is noted. */
#include "config.h"

#include "cli/report/pattern.h"
#include "cli/report/reading.h"
#include "t/unit/tap.h"

#define DATA "t/cli/data/reports/"

static struct arena *arena;

static struct report_reading
read_text(report_reader *read, struct str text, bool private)
{
	struct report_reading r = { .a = arena,
		.file = STR("bundle.json"),
		.text = text,
		.private = private,
		.options = { .published_at = TS_NULL } };

	read(&r);
	return r;
}

static struct report_reading
read_file(report_reader *read, const char *path, bool private)
{
	struct buf b = { .a = arena };

	if (!file_read(path, 1 << 20, &b))
		panic("%s cannot be read", path);
	return read_text(read, buf_done(&b), private);
}

/* The indicator as "type value confidence"; "": the document has none. */
static const struct indicator *
find(const struct report_document *d, const char *type, const char *value)
{
	for (size_t i = 0; i < d->n; i++)
		if (str_is(d->indicators[i].type, type) && str_is(d->indicators[i].value, value))
			return &d->indicators[i];
	return NULL;
}

static bool
has(const struct report_document *d, const char *type, const char *value, unsigned confidence)
{
	const struct indicator *i = find(d, type, value);

	if (i == NULL || i->confidence != confidence)
		fprintf(
		    stderr, "%s %s: confidence %u\n", type, value, i == NULL ? 0 : i->confidence);
	return i != NULL && i->confidence == confidence &&
	       i->disposition == (confidence >= 60 ? DISPOSITION_INDICATOR : DISPOSITION_MENTION);
}

static bool
is_noted(const struct report_reading *r, enum report_note note, const char *name)
{
	for (size_t i = 0; i < r->nnoted; i++)
		if (r->noted[i].note == note &&
		    memmem(r->noted[i].name.p, r->noted[i].name.n, name, strlen(name)) != NULL)
			return true;
	return false;
}

static bool
one_text(struct strs list, const char *text)
{
	return list.n == 1 && str_is(list.p[0], text);
}

/* The comparisons as "object path value observation|"; "!" before one that names no value. */
static void
pattern_is(const char *text, const char *wanted)
{
	struct stix_pattern p = stix_pattern_read(arena, str_of(text));
	struct buf b = { .a = arena };

	for (size_t i = 0; i < p.n; i++)
		buf_printf(&b, "%s%.*s %.*s %.*s %u|", p.p[i].names ? "" : "!",
		    (int)p.p[i].object.n, p.p[i].object.p, (int)p.p[i].path.n, p.p[i].path.p,
		    (int)p.p[i].value.n, p.p[i].value.p == NULL ? "" : p.p[i].value.p,
		    p.p[i].observation);
	if (p.fault != NULL)
		buf_printf(&b, "fault: %s", p.fault);
	if (!str_is(buf_done(&b), wanted))
		fprintf(stderr, "%s\n   %.*s\n   %s\n", text, (int)b.n, b.p, wanted);
	CU_ASSERT_TRUE(str_is(buf_done(&b), wanted));
}

static void
reads_patterns(void)
{
	pattern_is("[url:value = 'a']", "url value a 1|");
	pattern_is("[app:id='com.example']", "app id com.example 1|");
	pattern_is("[file:hashes.'SHA-256' = 'a' AND file:hashes.\"MD5\" = 'b']",
	    "file hashes.'SHA-256' a 1|file hashes.\"MD5\" b 1|");
	pattern_is("[a:b = 'x' OR a:b = 'y'] FOLLOWEDBY [c:d = 1]", "a b x 0|a b y 0|c d 1 2|");
	pattern_is("[a:b IN ('x', 'y')]", "a b x 0|a b y 0|");
	pattern_is("([a:b = 'x'] AND [c:d ISSUBSET '192.0.2.0/24']) WITHIN 5 SECONDS",
	    "a b x 1|c d 192.0.2.0/24 2|");
	pattern_is(
	    "[a:b = 'x'] START t'2026-01-01T00:00:00Z' STOP t'2026-01-02T00:00:00Z'", "a b x 1|");
	pattern_is("[a:b != 'x' AND NOT a:c = 'y' AND a:d LIKE 'z%' AND a:e NOT IN ('v')]",
	    "!a b x 0|!a c y 0|!a d z% 0|!a e v 0|");
	pattern_is("[a:refs[*].value = 'it\\'s']", "a refs[*].value it's 1|");
	pattern_is("[file:hashes.MD5 = cead]", "fault: a text has no quotes");
	pattern_is("[a:b = -1.5 AND a:c = true]", "a b -1.5 1|a c true 1|");
	pattern_is("[a:b = 'x'", "a b x 1|fault: AND, OR or ] is missing");
	pattern_is("[a:b = 'x", "fault: a text does not end");
	pattern_is("", "fault: an observation in [ ] is missing");
	pattern_is("[(a:b = 'x']", "a b x 1|fault: a bracket does not end");
	pattern_is("[a:b = 'x'] and nonsense", "a b x 1|fault: an observation in [ ] is missing");
}

static void
reads_stix(void) /* C-137 */
{
	struct report_reading r = read_file(report_read_stix, DATA "stix-2.1.json", false);
	const struct report_document *d = r.docs;

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 2);
	CU_ASSERT_TRUE(str_is(d->title, "Quiet Heron moves to loaders"));
	CU_ASSERT_TRUE(str_is(d->publisher, "Example Response Team"));
	CU_ASSERT_TRUE(str_is(d->url, "https://reports.example/heron"));
	CU_ASSERT_TRUE(str_is(d->tlp, "green"));
	CU_ASSERT_TRUE(one_text(d->threat_actors, "Quiet Heron"));
	CU_ASSERT_TRUE(d->malware_families.n == 2);
	CU_ASSERT_TRUE(one_text(d->techniques, "T1566"));
	CU_ASSERT_TRUE(one_text(d->cves, "CVE-2026-10001"));
	CU_ASSERT_TRUE(one_text(d->sectors, "energy"));
	CU_ASSERT_TRUE(one_text(d->countries, "DE"));
	CU_ASSERT_TRUE(has(d, "domain", "heron-update.example", 90));
	CU_ASSERT_TRUE(has(d, "domain", "heron-cdn.example", 90));
	CU_ASSERT_TRUE(has(d, "ipv4", "203.0.113.80", 90));
	CU_ASSERT_TRUE(has(d, "url", "http://heron-update.example/a", 90));
	CU_ASSERT_TRUE(has(d, "cidr", "198.51.100.0/24", 90));
	CU_ASSERT_TRUE(has(d, "ipv4", "203.0.113.7", 90));
	CU_ASSERT_TRUE(has(d, "ipv4", "203.0.113.9", 30));
	CU_ASSERT_TRUE(has(d, "domain", "after.example", 90));
	CU_ASSERT_PTR_NULL(find(d, "domain", "before.example"));
	CU_ASSERT_PTR_NULL(find(d, "domain", "gone.example"));
	CU_ASSERT_PTR_NULL(find(d, "domain", "alone.example"));
	CU_ASSERT_EQUAL(d->n, 11);
	CU_ASSERT_EQUAL(r.docs[1].n, 1);
	CU_ASSERT_TRUE(has(&r.docs[1], "domain", "alone.example", 90));
}

static void
notes_parts_without_indicators(void) /* C-137 */
{
	struct report_reading r = read_file(report_read_stix, DATA "stix-2.1.json", false);

	CU_ASSERT_EQUAL(r.counts[NOTE_DANGLING], 1);
	CU_ASSERT_EQUAL(r.counts[NOTE_DUPLICATE], 1);
	CU_ASSERT_EQUAL(r.counts[NOTE_REVOKED], 1);
	CU_ASSERT_EQUAL(r.counts[NOTE_UNPARSED], 2);
	CU_ASSERT_EQUAL(r.counts[NOTE_UNKNOWN_TYPE], 1);
	CU_ASSERT_EQUAL(r.counts[NOTE_UNREFERENCED], 1);
	CU_ASSERT_TRUE(is_noted(&r, NOTE_UNPARSED, "(yara)"));
	CU_ASSERT_TRUE(is_noted(&r, NOTE_UNPARSED, "(process:command_line)"));
	CU_ASSERT_TRUE(is_noted(&r, NOTE_UNKNOWN_TYPE, "x-example-object--"));
	CU_ASSERT_TRUE(is_noted(&r, NOTE_DANGLING, "indicator--"));
}

static void
groups_hashes_of_a_file(void)
{
	struct report_reading r = read_file(report_read_stix, DATA "stix-2.1.json", false);
	size_t grouped = 0;

	for (size_t i = 0; i < r.docs[0].n; i++)
		for (size_t j = 0; j < r.docs[0].indicators[i].labels.n; j++)
			grouped += str_is(
			    r.docs[0].indicators[i].labels.p[j], "file_group:5f5f5f5f5f5f5f5f");
	CU_ASSERT_EQUAL(grouped, 2);
}

static void
reads_stix_2_0(void)
{
	struct report_reading r = read_file(report_read_stix, DATA "stix-2.0.json", false);
	const struct report_document *d = r.docs;
	const struct indicator *seen;

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 1);
	CU_ASSERT_TRUE(str_is(d->tlp, "clear"));
	CU_ASSERT_TRUE(one_text(d->tags, "threat-report"));
	CU_ASSERT_TRUE(has(d, "ipv4", "203.0.113.44", 30));
	CU_ASSERT_TRUE(has(d, "email", "billing@heron-update.example", 30));
	CU_ASSERT_TRUE(has(d, "ipv4", "203.0.113.45", 90));
	CU_ASSERT_EQUAL(d->n, 4);
	seen = find(d, "ipv4", "203.0.113.44");
	CU_ASSERT_TRUE(seen != NULL && seen->first_seen_at.us == INT64_C(1769904000000000));
	CU_ASSERT_EQUAL(r.counts[NOTE_UNPARSED], 2);
	CU_ASSERT_TRUE(is_noted(&r, NOTE_UNPARSED, "(app:id)"));
	CU_ASSERT_TRUE(is_noted(&r, NOTE_UNPARSED, "(app:cert.sha256)"));
	CU_ASSERT_TRUE(is_noted(&r, NOTE_NO_TYPE, "(comment)"));
}

static void
names_a_bundle_by_its_file(void)
{
	struct report_reading r = read_file(report_read_stix, DATA "stix-no-report.json", false);

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 1);
	CU_ASSERT_TRUE(str_is(r.docs[0].title, "bundle.json"));
	CU_ASSERT_TRUE(str_is(r.docs[0].source_ref, "bundle.json"));
	CU_ASSERT_TRUE(has(&r.docs[0], "domain", "alone.example", 90));
	CU_ASSERT_TRUE(one_text(r.docs[0].malware_families, "HeronLoader"));
}

static const char *
tlp_of(const struct report_reading *r, const char *title)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_is(r->docs[i].title, title))
			return r->docs[i].tlp.p == NULL ? "none" : r->docs[i].tlp.p;
	return "refused";
}

static void
keeps_the_strictest_marking(void)
{
	struct report_reading shared =
	    read_file(report_read_stix, DATA "stix-markings.json", false);
	struct report_reading own = read_file(report_read_stix, DATA "stix-markings.json", true);

	CU_ASSERT_STRING_EQUAL(tlp_of(&shared, "Marked green"), "green");
	CU_ASSERT_STRING_EQUAL(tlp_of(&shared, "Marked granular"), "amber");
	CU_ASSERT_STRING_EQUAL(tlp_of(&shared, "Marked red"), "refused");
	CU_ASSERT_STRING_EQUAL(tlp_of(&shared, "Marked unknown"), "refused");
	CU_ASSERT_STRING_EQUAL(tlp_of(&shared, "Marked absent"), "refused");
	CU_ASSERT_EQUAL(shared.counts[NOTE_REFUSED], 3);
	CU_ASSERT_STRING_EQUAL(tlp_of(&own, "Marked red"), "red");
	CU_ASSERT_STRING_EQUAL(tlp_of(&own, "Marked unknown"), "red");
	CU_ASSERT_STRING_EQUAL(tlp_of(&own, "Marked absent"), "red");
	CU_ASSERT_EQUAL(own.counts[NOTE_REFUSED], 0);
}

static void
reads_misp(void)
{
	struct report_reading r = read_file(report_read_misp, DATA "misp-event.json", false);
	const struct report_document *d = r.docs;

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 1);
	CU_ASSERT_TRUE(str_is(d->title, "Heron seen in mail"));
	CU_ASSERT_TRUE(str_is(d->tlp, "green"));
	CU_ASSERT_TRUE(one_text(d->threat_actors, "Quiet Heron"));
	CU_ASSERT_TRUE(one_text(d->malware_families, "HeronLoader"));
	CU_ASSERT_TRUE(one_text(d->techniques, "T1566"));
	CU_ASSERT_TRUE(one_text(d->tags, "type:osint"));
	CU_ASSERT_TRUE(has(d, "domain", "heron-mail.example", 90));
	CU_ASSERT_TRUE(has(d, "ipv4", "203.0.113.21", 90));
	CU_ASSERT_TRUE(has(d, "ipv4", "203.0.113.22", 90));
	CU_ASSERT_TRUE(has(d, "md5", "8c8c8c8c8c8c8c8c8c8c8c8c8c8c8c8c", 90));
	CU_ASSERT_TRUE(has(d, "md5", "8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d8d", 90));
	CU_ASSERT_TRUE(has(d, "url", "http://heron-mail.example/a|b", 90));
	CU_ASSERT_TRUE(has(d, "domain", "quiet.example", 30));
	CU_ASSERT_TRUE(has(d, "asn", "AS64500", 30));
	CU_ASSERT_TRUE(one_text(d->cves, "CVE-2026-10002"));
	CU_ASSERT_PTR_NULL(find(d, "domain", "deleted.example"));
	CU_ASSERT_PTR_NULL(find(d, "domain", "related.example"));
	CU_ASSERT_EQUAL(d->n, 11);
	CU_ASSERT_EQUAL(r.counts[NOTE_REVOKED], 1);
	CU_ASSERT_EQUAL(r.counts[NOTE_BAD_VALUE], 1);
	CU_ASSERT_TRUE(is_noted(&r, NOTE_NO_TYPE, "(comment)"));
}

static void
judges_events_without_to_ids(void)
{
	struct report_reading r = read_file(report_read_misp, DATA "misp-response.json", false);
	const struct report_document *d = r.docs;

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 1);
	CU_ASSERT_TRUE(has(d, "md5", "8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e", 60));
	CU_ASSERT_TRUE(has(d, "ipv4", "203.0.113.31", 60));
	CU_ASSERT_TRUE(has(d, "sha1", "8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f", 60));
	CU_ASSERT_TRUE(has(d, "domain", "mentioned.example", 30));
	CU_ASSERT_TRUE(is_noted(&r, NOTE_UNKNOWN_TYPE, "event 2"));
}

/* An indicator object of a bundle: its number, its pattern and further members. */
#define STIX_INDICATOR(n, pattern, more)                                                           \
	"{\"type\":\"indicator\",\"spec_version\":\"2.1\",\"id\":\"indicator--" n                  \
	"\",\"pattern_type\":\"stix\",\"valid_from\":\"2026-09-21T10:00:00Z\",\"pattern\":"        \
	"\"" pattern "\"" more "}"

static void
takes_the_confidence_of_stix(void)
{
	struct report_reading r = read_text(report_read_stix,
	    STR("{\"type\":\"bundle\",\"id\":\"bundle--1\",\"objects\":[" STIX_INDICATOR("1",
		"[domain-name:value = 'low.example']", ",\"confidence\":10") "," STIX_INDICATOR("2",
		"[domain-name:value = 'none.example']",
		",\"confidence\":0") "," STIX_INDICATOR("3", "[domain-name:value = 'weak.example']",
		",\"confidence\":30") "," STIX_INDICATOR("4",
		"[domain-name:value = 'high.example']",
		",\"confidence\":100") "," STIX_INDICATOR("5",
		"[domain-name:value = 'odd.example']",
		",\"confidence\":101") "," STIX_INDICATOR("6",
		"[domain-name:value = 'good.example']",
		",\"confidence\":80,\"indicator_types\":[\"benign\"]") "," STIX_INDICATOR("7",
		"[domain-name:value = 'old.example']",
		",\"labels\":[\"benign\"]") "," STIX_INDICATOR("8",
		"[domain-name:value = 'misp.example']",
		",\"labels\":[\"misp:to_ids=\\\"False\\\"\"]") "," STIX_INDICATOR("9",
		"[domain-name:value = 'disputed.example']",
		"") ","
		    "{\"type\":\"opinion\",\"id\":\"opinion--1\",\"opinion\":\"strongly-disagree\","
		    "\"object_refs\":[\"indicator--9\",\"indicator--10\"]}]}"),
	    false);
	const struct report_document *d = r.docs;

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 1);
	CU_ASSERT_TRUE(has(d, "domain", "low.example", 10));
	CU_ASSERT_TRUE(has(d, "domain", "none.example", 0));
	CU_ASSERT_EQUAL(find(d, "domain", "weak.example")->confidence, 30);
	CU_ASSERT_EQUAL(find(d, "domain", "weak.example")->disposition, DISPOSITION_INDICATOR);
	CU_ASSERT_TRUE(has(d, "domain", "high.example", 100));
	CU_ASSERT_TRUE(has(d, "domain", "odd.example", 90));
	CU_ASSERT_TRUE(has(d, "domain", "good.example", 30));
	CU_ASSERT_TRUE(has(d, "domain", "old.example", 30));
	CU_ASSERT_TRUE(has(d, "domain", "misp.example", 30));
	CU_ASSERT_TRUE(has(d, "domain", "disputed.example", 30));
}

/* An attribute of MISP with to_ids. */
#define MISP_ATTRIBUTE(value, more)                                                                \
	"{\"type\":\"domain\",\"category\":\"Network "                                             \
	"activity\",\"to_ids\":true,\"value\":\"" value "\"" more "}"

static void
takes_the_judgement_of_misp(void)
{
	struct report_reading r = read_text(report_read_misp,
	    STR("{\"Event\":{\"info\":\"x\",\"uuid\":\"u\",\"Attribute\":[" MISP_ATTRIBUTE(
		"seen.example",
		",\"Sighting\":[{\"type\":\"0\"}]") "," MISP_ATTRIBUTE("wrong.example",
		",\"Sighting\":[{\"type\":\"0\"},{\"type\":\"1\"}]") "," MISP_ATTRIBUTE("ended."
											"example",
		",\"Sighting\":[{\"type\":\"2\",\"date_sighting\":\"1767225600\"}]") "," MISP_ATTRIBUTE("fair.example",
		",\"Tag\":[{\"name\":\"misp:confidence-level=\\\"fairly-confident\\\"\"}]") "," MISP_ATTRIBUTE("rare.example",
		",\"Tag\":[{\"name\":\"misp:confidence-level=\\\"rarely-confident\\\"\"}]") "]}}"),
	    false);
	const struct report_document *d = r.docs;

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 1);
	CU_ASSERT_TRUE(has(d, "domain", "seen.example", 90));
	CU_ASSERT_TRUE(has(d, "domain", "wrong.example", 30));
	CU_ASSERT_TRUE(has(d, "domain", "ended.example", 90));
	CU_ASSERT_EQUAL(find(d, "domain", "ended.example")->valid_until.us, 1767225600 * SECOND_US);
	CU_ASSERT_TRUE(ts_is_null(find(d, "domain", "seen.example")->valid_until));
	CU_ASSERT_EQUAL(find(d, "domain", "fair.example")->confidence, 50);
	CU_ASSERT_EQUAL(find(d, "domain", "fair.example")->disposition, DISPOSITION_INDICATOR);
	CU_ASSERT_TRUE(has(d, "domain", "rare.example", 25));
}

static void
reads_attributes_of_misp(void)
{
	struct report_reading r = read_text(report_read_misp,
	    STR("{\"response\":{\"Attribute\":[" MISP_ATTRIBUTE("one.example",
		",\"Event\":{\"info\":\"other\"}") "," MISP_ATTRIBUTE("two.example", "") "]}}"),
	    false);

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 1);
	CU_ASSERT_TRUE(str_is(r.docs[0].title, "bundle.json"));
	CU_ASSERT_TRUE(str_is(r.docs[0].source_ref, "bundle.json"));
	CU_ASSERT_TRUE(has(r.docs, "domain", "one.example", 90));
	CU_ASSERT_TRUE(has(r.docs, "domain", "two.example", 90));
	r = read_text(report_read_misp,
	    STR("{\"Event\":{\"info\":\"x\",\"uuid\":\"u\",\"Attribute\":["
		"{\"type\":\"ip-dst|port\",\"to_ids\":true,\"value\":\"[2001:db8::1]|443\"},"
		"{\"type\":\"ip-dst|port\",\"to_ids\":true,\"value\":\"[192.0.2.1]|443\"}]}}"),
	    false);
	CU_ASSERT_TRUE(has(r.docs, "ipv6", "2001:db8::1", 90));
	CU_ASSERT_EQUAL(r.docs[0].n, 1);
	CU_ASSERT_EQUAL(r.counts[NOTE_BAD_VALUE], 1);
}

/* A report of one indicator, and an indicator without a report. */
static void
keeps_unreferenced_indicators(void)
{
	struct report_reading r = read_text(report_read_stix,
	    STR("{\"type\":\"bundle\",\"id\":\"bundle--1\",\"objects\":["
		"{\"type\":\"report\",\"id\":\"report--1\",\"name\":\"R\",\"object_refs\":["
		"\"indicator--1\"]}," STIX_INDICATOR("1", "[domain-name:value = 'in.example']",
		    "") "," STIX_INDICATOR("2", "[domain-name:value = 'out.example']", "") "]}"),
	    false);

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 2);
	CU_ASSERT_PTR_NULL(find(&r.docs[0], "domain", "out.example"));
	CU_ASSERT_TRUE(str_is(r.docs[1].title, "bundle.json"));
	CU_ASSERT_TRUE(has(&r.docs[1], "domain", "out.example", 90));
	CU_ASSERT_EQUAL(r.docs[1].n, 1);
	CU_ASSERT_TRUE(is_noted(&r, NOTE_UNREFERENCED, "indicator--2"));
	r = read_text(report_read_stix, STR("{\"type\":\"bundle\",\"id\":\"bundle--1\"}"), false);
	CU_ASSERT_TRUE(r.fault.p == NULL && r.n == 0);
}

/* x-misp-attribute has no times. */
static void
invents_no_times(void)
{
	struct report_reading r = read_text(report_read_stix,
	    STR("{\"type\":\"bundle\",\"id\":\"bundle--1\",\"objects\":[{\"type\":\"x-misp-"
		"attribute\","
		"\"id\":\"x-misp-attribute--1\",\"x_misp_type\":\"domain\",\"x_misp_value\":"
		"\"timeless.example\",\"labels\":[\"misp:to_ids=\\\"True\\\"\"]}]}"),
	    false);
	const struct indicator *i;

	CU_ASSERT_FATAL(r.fault.p == NULL && r.n == 1);
	CU_ASSERT_TRUE(has(r.docs, "domain", "timeless.example", 90));
	i = find(r.docs, "domain", "timeless.example");
	CU_ASSERT_TRUE(ts_is_null(i->first_seen_at) && ts_is_null(i->last_seen_at) &&
		       ts_is_null(i->valid_until));
}

static void
refuses_damaged_files(void)
{
	struct report_reading r =
	    read_text(report_read_stix, STR("{\"type\":\"bundle\",\"objects\":[{\"id\""), false);

	CU_ASSERT_TRUE(r.fault.n > 0 && r.n == 0);
	r = read_text(report_read_stix, STR("{}"), false);
	CU_ASSERT_TRUE(r.fault.n > 0 && r.n == 0);
	r = read_text(report_read_misp, STR("{}"), false);
	CU_ASSERT_TRUE(r.fault.n > 0 && r.n == 0);
}

static void
titles_texts(void)
{
	struct report_reading r =
	    read_text(report_read_text, STR("intro\n\n## The heading\nx\n"), false);

	CU_ASSERT_FATAL(r.n == 1);
	CU_ASSERT_TRUE(str_is(r.docs[0].title, "The heading"));
	CU_ASSERT_EQUAL(r.docs[0].source_ref.n, 64);
	r = read_text(report_read_text, STR("A title\n=======\nx\xff\n"), false);
	CU_ASSERT_TRUE(str_is(r.docs[0].title, "A title"));
	CU_ASSERT_TRUE(str_ends(r.docs[0].text, STR("x?\n")));
	r = read_text(report_read_text, STR("no heading"), false);
	CU_ASSERT_TRUE(str_is(r.docs[0].title, "bundle.json"));
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "a STIX pattern gives the values that it names, or a fault", reads_patterns },
		{ "a STIX report has the indicators and names of its objects (C-137)", reads_stix },
		{ "parts of a bundle without indicators are counted and named (C-137)",
		    notes_parts_without_indicators },
		{ "the hashes of one file share a label", groups_hashes_of_a_file },
		{ "STIX 2.0 is read as 2.1 is", reads_stix_2_0 },
		{ "a bundle without a report is a report that its file names",
		    names_a_bundle_by_its_file },
		{ "the strictest marking of any part marks the report",
		    keeps_the_strictest_marking },
		{ "a MISP event has the indicators of its attributes and objects", reads_misp },
		{ "categories decide where no attribute of an event has to_ids",
		    judges_events_without_to_ids },
		{ "an indicator of STIX has the confidence of its source",
		    takes_the_confidence_of_stix },
		{ "an attribute of MISP has the judgement of its sightings and tags",
		    takes_the_judgement_of_misp },
		{ "the answer of a search for attributes of MISP is a report that its file names",
		    reads_attributes_of_misp },
		{ "indicators that no report of a bundle refers to are in a report that its file "
		  "names",
		    keeps_unreferenced_indicators },
		{ "an attribute of MISP within STIX gets no times that it does not have",
		    invents_no_times },
		{ "a damaged file has a fault and no report", refuses_damaged_files },
		{ "the title of a text is its first heading or its file", titles_texts },
		CU_TEST_INFO_NULL,
	};
	int rc;

	arena = arena_new(64 << 20);
	rc = tap_main(tests);
	arena_free(arena);
	return rc;
}
