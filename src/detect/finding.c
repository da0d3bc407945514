/* SPDX-License-Identifier: ISC */
/* Writes the finding of an observation for a project that owns the record: the detector "rules"
   (C-194 to C-201). detect_store adds the finding's key, which is made of the rule and the
   record. */
#include "config.h"

#include "base/limits.h"
#include "detect/owners.h"
#include "detect/shown.h"
#include "json/json.h"
#include "json/tree.h"
#include "resource/finding_evidence.h"

enum { TITLE_MOST = 200 };

/* ---- members of the rule ---- */

static struct str
produced(const struct detect_rule *r, const char *member)
{
	return json_get_text(r->produces, member);
}

static const char *
type_of(const struct detect_rule *r)
{
	struct str area = produced(r, "area");

	if (r->common && str_is(area, "ai_surface"))
		return "ai_surface";
	return r->common && str_is(area, "service") ? "exposed_service" : "rule_match";
}

static void
add_member(struct buf *b, const struct match_document *m, struct str name)
{
	char z[128];
	const struct json_value *v;

	if (name.n >= sizeof(z))
		return;
	memcpy(z, name.p, name.n);
	z[name.n] = '\0';
	v = shown_member(m, z);
	if (v != NULL && json_type(v) == JSON_ARRAY && json_length(v) > 0)
		v = json_at(v, 0);
	if (v != NULL && json_type(v) == JSON_STRING)
		buf_str(b, json_text(v));
	else if (v != NULL && json_type(v) == JSON_NUMBER)
		buf_str(b, json_lexeme(v));
}

/* Fills in a title such as "Ollama at {ip}:{port} answers without a login". A rule without a title
   gives its name. */
static struct str
title_of(struct arena *a, const struct match *h)
{
	struct str t = produced(h->rule, "title");
	struct buf b = { .a = a };

	if (t.p == NULL || t.n == 0)
		return h->rule->name;
	while (t.n > 0) {
		const char *open = memchr(t.p, '{', t.n);
		size_t plain = open == NULL ? t.n : (size_t)(open - t.p);
		const char *close = open == NULL ? NULL : memchr(open, '}', t.n - plain);

		if (close == NULL)
			plain = t.n;
		buf_add(&b, t.p, plain);
		if (close != NULL) {
			add_member(
			    &b, &h->at, (struct str){ open + 1, (size_t)(close - open - 1) });
			plain = (size_t)(close + 1 - t.p);
		}
		t.p += plain;
		t.n -= plain;
	}
	if (b.n > TITLE_MOST)
		for (b.n = TITLE_MOST; b.n > 0 && ((unsigned char)b.p[b.n] & 0xc0) == 0x80;)
			b.n--;
	return b.n == 0 ? h->rule->name : buf_done(&b);
}

/* ---- evidence ---- */

/* Whether the service asks for a login, according to its capabilities. */
static struct str
auth_of(const struct json_value *capabilities)
{
	struct str auth = STR("unknown");

	for (size_t i = 0; capabilities != NULL && i < json_length(capabilities); i++) {
		struct str c = json_text(json_at(capabilities, i));

		if (str_is(c, "auth/none"))
			return STR("none");
		if (str_is(c, "auth/basic") || str_is(c, "auth/login"))
			auth = STR("required");
	}
	return auth;
}

/* Whether the rule itself shows that the service asks for no login: rules of the catalogue named
   "... answers without a login" have this tag. */
static bool
proves_no_login(const struct detect_rule *r)
{
	for (size_t i = 0; r->common && i < r->tags.n; i++)
		if (str_is(r->tags.p[i], "no-login"))
			return true;
	return false;
}

static void
write_service(struct buf *b, const struct detect_rule *r, const struct match_document *m)
{
	const struct json_value *capabilities = shown_member(m, "http.capabilities");

	json_member_text(b, "product", shown_text(m, "product"));
	json_member_text(b, "version", shown_text(m, "version"));
	json_member_text(b, "auth", proves_no_login(r) ? STR("none") : auth_of(capabilities));
	json_member_bool(b, "tls_enabled", match_member(m->own, "tls") != NULL);
	json_member_begin(b, "capabilities", '[');
	for (size_t i = 0; capabilities != NULL && i < json_length(capabilities); i++) {
		if (i > 0)
			buf_char(b, ',');
		json_write_str(b, json_text(json_at(capabilities, i)));
	}
	buf_char(b, ']');
}

static struct str
evidence_of(struct detect *x, const struct match *h, const struct owner *owner, bool suspect)
{
	const struct detect_rule *r = h->rule;
	struct buf b = { .a = x->a };
	struct json evidence;
	const char *why;

	buf_printf(&b,
	    "{\"matched_by\":\"%s\",\"rule_uuid\":\"%s\",\"rule_version\":%jd,\"suspect\":%s",
	    owner->matched_by, uuid_text(&r->uuid).z, (intmax_t)r->version,
	    suspect ? "true" : "false");
	json_member_text(&b, "rule_name", r->name);
	json_member_text(&b, "dataset", str_of(schema_dataset_name(r->dataset)));
	json_member_text(&b, "kind", produced(r, "exposure_kind"));
	buf_z(&b, ",\"record\":");
	shown_record(&b, r->dataset, &h->at);
	buf_z(&b, ",\"matched\":");
	batch_show_matched(&b, x, h);
	if (r->dataset == DATASET_SERVICES)
		write_service(&b, r, &h->at);
	buf_char(&b, '}');
	evidence = (struct json){ .text = buf_done(&b) };
	why = finding_evidence(x->a, &evidence);
	if (why != NULL)
		panic("evidence of a rule: %s", why);
	return evidence.text;
}

void
finding_write(struct buf *b, struct detect *x, const struct match *h, const struct detect_run *run,
    const struct owner *owner)
{
	const struct json_value *host = h->at.of == NULL ? h->at.own : h->at.of,
				*all = match_member(host, "services"), *port = NULL;
	bool suspect = schema_source(h->rule->dataset) == DATASET_HOSTS && all != NULL &&
		       json_length(all) > LIM_SUSPECT_SERVICES;
	struct ts first, last;

	shown_times(&h->at, &first, &last);
	buf_printf(b, "%c{\"project\":\"%s\",\"rule\":\"%s\",\"finding_type\":\"%s\"",
	    b->n == 0 ? '[' : ',', uuid_text(&owner->project).z, uuid_text(&h->rule->uuid).z,
	    type_of(h->rule));
	json_member_text(b, "key", shown_key(x->a, h->rule->dataset, &h->at));
	json_member_text(b, "title", title_of(x->a, h));
	json_member_text(b, "severity", suspect ? STR("info") : run->severity);
	json_member_text(b, "exposure_kind", produced(h->rule, "exposure_kind"));
	json_member_text(b, "asset_kind", owner->kind);
	json_member_text(b, "asset_name", owner->name);
	if (h->rule->dataset == DATASET_SERVICES)
		port = match_member(h->at.own, "port");
	if (port != NULL) {
		json_member_text(b, "port", json_lexeme(port));
		json_member_text(b, "transport", shown_text(&h->at, "transport"));
	}
	json_member_time(b, "first_seen_at", first);
	json_member_time(b, "last_seen_at", last);
	json_member_json(b, "evidence", evidence_of(x, h, owner, suspect));
	buf_char(b, '}');
}
