/* SPDX-License-Identifier: ISC */
/* Writes STIX bundles (stix.h). */
#include "config.h"

#include "api/reports/stix.h"
#include "resource/report_store.h"

/* type, the observable's type, its path in a pattern, the JSON around the value; NULL: the value is
   a number. */
static const struct {
	const char *type, *object, *path, *before, *after;
} kinds[] = {
	{ "ipv4", "ipv4-addr", "value", "{\"value\":", "}" },
	{ "ipv6", "ipv6-addr", "value", "{\"value\":", "}" },
	{ "domain", "domain-name", "value", "{\"value\":", "}" },
	{ "url", "url", "value", "{\"value\":", "}" },
	{ "email", "email-addr", "value", "{\"value\":", "}" },
	{ "md5", "file", "hashes.MD5", "{\"hashes\":{\"MD5\":", "}}" },
	{ "sha1", "file", "hashes.'SHA-1'", "{\"hashes\":{\"SHA-1\":", "}}" },
	{ "sha256", "file", "hashes.'SHA-256'", "{\"hashes\":{\"SHA-256\":", "}}" },
	{ "sha512", "file", "hashes.'SHA-512'", "{\"hashes\":{\"SHA-512\":", "}}" },
	{ "certificate_sha256", "x509-certificate", "hashes.'SHA-256'",
	    "{\"hashes\":{\"SHA-256\":", "}}" },
	{ "asn", "autonomous-system", "number", NULL, NULL },
	{ "jarm", "x-surfaced-jarm", "value", "{\"value\":", "}" },
	{ "bitcoin", "cryptocurrency-wallet", "value", "{\"value\":", "}" },
};

/* Returns the index of the row, or COUNT(kinds). A network is written like an address. */
static size_t
kind_of_type(struct str type, struct str value)
{
	size_t i = 0;

	if (str_is(type, "cidr"))
		type = memchr(value.p, ':', value.n) != NULL ? STR("ipv6") : STR("ipv4");
	while (i < COUNT(kinds) && !str_is(type, kinds[i].type))
		i++;
	return i;
}

struct str
stix_pattern(struct arena *a, struct str type, struct str value)
{
	size_t kind = kind_of_type(type, value);
	struct buf b = { .a = a };

	if (kind == COUNT(kinds))
		return STR_NULL;
	buf_printf(&b, "[%s:%s = ", kinds[kind].object, kinds[kind].path);
	if (kinds[kind].before == NULL) {
		buf_str(&b, (struct str){ value.p + 2, value.n - 2 }); /* AS64500 */
	} else {
		buf_char(&b, '\'');
		for (size_t i = 0; i < value.n; i++) {
			if (value.p[i] == '\'' || value.p[i] == '\\')
				buf_char(&b, '\\');
			buf_char(&b, value.p[i]);
		}
		buf_char(&b, '\'');
	}
	buf_char(&b, ']');
	return buf_done(&b);
}

struct bundle {
	struct buf *b;
	const struct report_row *r;
	struct str identity; /* its id */
	bool begun;          /* it has an object */
	struct buf refs;     /* of the report */
};

static void
write_stix_text(struct buf *b, const char *name, struct str s)
{
	if (s.p == NULL)
		return;
	json_member(b, name);
	json_write_str(b, s);
}

static void
write_stix_time(struct buf *b, const char *name, struct ts t)
{
	char text[TS_LEN + 1];

	if (ts_is_null(t))
		return;
	ts_print(t, text);
	json_member_str(b, name, text);
}

static void
write_labels(struct buf *b, const struct list *labels)
{
	const struct str *p = labels->items;

	if (labels->n == 0)
		return;
	json_member_begin(b, "labels", '[');
	for (size_t i = 0; i < labels->n; i++) {
		if (i > 0)
			buf_char(b, ',');
		json_write_str(b, p[i]);
	}
	buf_char(b, ']');
}

static void
add_ref(struct bundle *s, struct str id)
{
	if (s->refs.n > 0)
		buf_char(&s->refs, ',');
	json_write_str(&s->refs, id);
}

/* Writes the marking of TLP 2.0, whose ids are fixed by the standard. Each object has it, since
   programs store objects one by one. */
static void
write_marking(struct bundle *s)
{
#define TLP(spelling, label, strict, marking)                                                      \
	if (str_is(s->r->tlp, label))                                                              \
		buf_z(s->b, ",\"object_marking_refs\":[\"marking-definition--" marking "\"]");
#include "tbl/tlps.h"
#undef TLP
}

/* Begins an object of the bundle with the members that all have. */
static void
begin_object(struct bundle *s, const char *type, struct str id)
{
	if (s->begun)
		buf_char(s->b, ',');
	s->begun = true;
	buf_char(s->b, '{');
	json_member_str(s->b, "type", type);
	json_member_str(s->b, "spec_version", "2.1");
	write_stix_text(s->b, "id", id);
	write_marking(s);
}

static void
write_dates(struct bundle *s)
{
	write_stix_time(s->b, "created", s->r->imported_at);
	write_stix_time(s->b, "modified", s->r->updated_at);
	write_stix_text(s->b, "created_by_ref", s->identity);
}

static struct str
id_of(struct arena *a, const char *type, const struct uuid *u)
{
	return arena_printf(a, "%s--%s", type, uuid_text(u).z);
}

/* Writes a CVE or a technique as an object of its own. */
static void
write_subject(struct bundle *s, const struct indicator_row *i, const char *type, const char *source)
{
	struct str id = id_of(s->b->a, type, &i->uuid);

	begin_object(s, type, id);
	write_dates(s);
	write_stix_text(s->b, "name", i->value);
	json_member_begin(s->b, "external_references", '[');
	buf_char(s->b, '{');
	json_member_str(s->b, "source_name", source);
	write_stix_text(s->b, "external_id", i->value);
	buf_z(s->b, "}]}");
	add_ref(s, id);
}

/* Writes an observable of STIX. Its id is computed from its value (STIX 2.1, 2.9). */
static void
write_observable(struct bundle *s, const struct indicator_row *i, size_t kind)
{
	static const struct uuid space = { { 0x00, 0xab, 0xed, 0xb4, 0xaa, 0x42, 0x46, 0x6c, 0x9c,
	    0x01, 0xfe, 0xd2, 0x3a, 0x9c, 0xe6, 0xae } };
	struct buf name = { .a = s->b->a };
	struct uuid u;
	struct str id;

	if (kinds[kind].before == NULL) {
		buf_printf(&name, "{\"number\":%.*s}", (int)i->value.n - 2, i->value.p + 2);
	} else {
		buf_z(&name, kinds[kind].before);
		json_write_str(&name, i->value);
		buf_z(&name, kinds[kind].after);
	}
	u = report_name_uuid(&space, buf_done(&name));
	id = id_of(s->b->a, kinds[kind].object, &u);
	begin_object(s, kinds[kind].object, id);
	buf_char(s->b, ',');
	buf_add(s->b, name.p + 1, name.n - 1); /* the members and the closing brace */
	add_ref(s, id);
}

static void
write_indicator(struct bundle *s, const struct indicator_row *i)
{
	struct str id = id_of(s->b->a, "indicator", &i->uuid);
	struct ts from = !ts_is_null(i->first_seen_at)     ? i->first_seen_at
			 : !ts_is_null(s->r->published_at) ? s->r->published_at
							   : s->r->imported_at;

	begin_object(s, "indicator", id);
	write_dates(s);
	write_stix_text(s->b, "name", i->value);
	write_stix_text(s->b, "description", i->context);
	buf_z(s->b, ",\"indicator_types\":[\"malicious-activity\"]");
	write_stix_text(s->b, "pattern", stix_pattern(s->b->a, i->type, i->value));
	json_member_str(s->b, "pattern_type", "stix");
	write_stix_time(s->b, "valid_from", from);
	if (!ts_is_null(i->valid_until) && ts_cmp(i->valid_until, from) > 0)
		write_stix_time(s->b, "valid_until", i->valid_until);
	json_member_int(s->b, "confidence", i->confidence);
	write_labels(s->b, &i->labels);
	buf_char(s->b, '}');
	add_ref(s, id);
}

static void
write_one(struct bundle *s, const struct indicator_row *i)
{
	size_t kind = kind_of_type(i->type, i->value);

	if (str_is(i->type, "cve"))
		write_subject(s, i, "vulnerability", "cve");
	else if (str_is(i->type, "technique"))
		write_subject(s, i, "attack-pattern", "mitre-attack");
	else if (kind == COUNT(kinds))
		return;
	else if (str_is(i->disposition, "indicator"))
		write_indicator(s, i);
	else
		write_observable(s, i, kind);
}

static void
write_identity(struct bundle *s)
{
	struct str name = s->r->publisher.p != NULL ? s->r->publisher : STR("unknown");
	struct uuid u = report_indicator_uuid(&s->r->uuid, STR("identity"), name);

	s->identity = id_of(s->b->a, "identity", &u);
	begin_object(s, "identity", s->identity);
	write_stix_time(s->b, "created", s->r->imported_at);
	write_stix_time(s->b, "modified", s->r->updated_at);
	write_stix_text(s->b, "name", name);
	json_member_str(s->b, "identity_class", "organization");
	buf_char(s->b, '}');
	add_ref(s, s->identity);
}

static void
write_report(struct bundle *s)
{
	begin_object(s, "report", id_of(s->b->a, "report", &s->r->uuid));
	write_dates(s);
	write_stix_text(s->b, "name", s->r->title.p != NULL ? s->r->title : STR("Untitled"));
	write_stix_text(s->b, "description", s->r->summary);
	buf_z(s->b, ",\"report_types\":[\"threat-report\"]");
	write_stix_time(s->b, "published",
	    ts_is_null(s->r->published_at) ? s->r->imported_at : s->r->published_at);
	write_labels(s->b, &s->r->tags);
	if (s->r->url.p != NULL) {
		json_member_begin(s->b, "external_references", '[');
		buf_char(s->b, '{');
		write_stix_text(s->b, "source_name",
		    s->r->publisher.p != NULL ? s->r->publisher : STR("unknown"));
		write_stix_text(s->b, "url", s->r->url);
		buf_z(s->b, "}]");
	}
	json_member_begin(s->b, "object_refs", '[');
	buf_str(s->b, buf_done(&s->refs));
	buf_z(s->b, "]}");
}

void
stix_write(struct buf *b, const struct report_row *r, const struct indicator_row *rows, size_t n)
{
	struct bundle s = { .b = b, .r = r, .refs = { .a = b->a } };
	struct uuid u = report_indicator_uuid(&r->uuid, STR("bundle"), STR(""));

	buf_printf(b, "{\"type\":\"bundle\",\"id\":\"bundle--%s\",\"objects\":[", uuid_text(&u).z);
	write_identity(&s);
	for (size_t i = 0; i < n; i++)
		write_one(&s, &rows[i]);
	write_report(&s);
	buf_z(b, "]}");
}
