/* SPDX-License-Identifier: ISC */
#include "config.h"

#include <openssl/sha.h>

#include "cli/import/content.h"

#include "base/encode.h"
#include "base/limits.h"
#include "cli/import/secret_notes.h"
#include "json/json.h"

enum { TITLE = 1024 };

/* ---- NDJSON ---- */

struct line {
	struct str url, title, content_type, body_base64;
	struct json headers;
	int64_t status;
	struct ts captured_at;
};

static const struct field line_fields[] = {
	FIELD(struct line, url, REQUIRED),
	FIELD(struct line, status, 0),
	FIELD(struct line, title, NULLABLE),
	FIELD(struct line, headers, NULLABLE),
	FIELD(struct line, content_type, NULLABLE),
	FIELD(struct line, body_base64, NULLABLE),
	FIELD(struct line, captured_at, REQUIRED),
	FIELD_END,
};

const char *
page_of_json(struct arena *a, struct str text, struct page *out)
{
	struct line l = { .captured_at = TS_NULL };
	struct decoded how;
	size_t room = LIM_SECRET_TEXT + 3, n = 0;
	unsigned char *body;

	if (json_decode(a, arena_str(a, text), line_fields, ts_now(), &l, &how) != JSON_OK)
		return how.nerrors == 0 ? arena_printf(a, "no valid JSON at byte %zu: %s",
					      how.fault.at + 1, how.fault.what)
					      .p
					: arena_printf(a, "%.*s %.*s", (int)how.errors[0].field.n,
					      how.errors[0].field.p, (int)how.errors[0].message.n,
					      how.errors[0].message.p)
					      .p;
	if (l.body_base64.n / 4 * 3 > room)
		return "the body has more than 1048576 bytes";
	body = arena_alloc(a, room);
	if (!base64_parse(l.body_base64, body, room, &n))
		return "body_base64 is no base64";
	*out = (struct page){ .url = l.url,
		.status = l.status,
		.title = l.title,
		.headers = l.headers.text,
		.content_type = l.content_type,
		.body = { (const char *)body, n },
		.captured_at = l.captured_at };
	return NULL;
}

/* ---- rows of capture_store ---- */

/* Adds the notes of a part of a page. */
static void
add_notes(struct buf *notes, struct arena *a, const struct secret_key *k, struct secret_spot at,
    const struct secrets *found)
{
	for (size_t i = 0; i < found->n; i++) {
		at.item = i;
		secret_note_write(notes, a, k, &at, &found->p[i]);
	}
}

static void
add_body_hash(struct buf *b, struct str body)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	char hex[2 * SHA256_DIGEST_LENGTH + 1];

	SHA256((const unsigned char *)body.p, body.n, sum);
	hex_print(hex, sum, sizeof(sum));
	json_member_text(b, "body_sha256", str_of(hex));
}

size_t
page_write(struct buf *b, struct arena *a, const struct secret_key *k, const struct uuid *project,
    const struct page *p)
{
	struct str url = secrets_mask(a, p->url);
	struct str title = str_trim(str_cut_bytes(secrets_mask(a, p->title), TITLE));
	const struct {
		const char *part;
		struct str text;
	} parts[] = { { "body", p->body }, { "header", p->headers }, { "title", p->title },
		{ "url", p->url } };
	struct secrets found[COUNT(parts)];
	struct buf notes = { .a = a };
	size_t sum = 0;

	for (size_t i = 0; i < COUNT(parts); i++) {
		/* the title of a body is found there */
		found[i] = secrets_find(a, parts[i].text, p->captured_at);
		if (i == 2 && found[0].n > 0)
			found[i].n = 0;
		sum += found[i].n;
		if (k != NULL)
			add_notes(&notes, a, k,
			    (struct secret_spot){ .place = arena_printf(a, "%s %.*s",
						      uuid_text(project).z, (int)url.n, url.p),
				.part = str_of(parts[i].part),
				.seen = p->captured_at },
			    &found[i]);
	}
	buf_z(b, b->n == 0 ? "[{" : ",{");
	json_member_time(b, "captured_at", p->captured_at);
	json_member_text(b, "url", url);
	json_member_text(b, "hostname", page_hostname(a, p));
	if (p->status > 0)
		json_member_int(b, "status", p->status);
	json_member_text(b, "title", title.n > 0 ? title : STR_NULL);
	json_member_texts(b, "takeover_providers", p->takeover_providers);
	/* a hash lets one try passwords where little else is in the body */
	if (p->body.n > 0 && found[0].n == 0)
		add_body_hash(b, p->body);
	if (found[0].truncated)
		json_member_bool(b, "truncated", true);
	if (notes.n > 0) {
		json_member_json(b, "notes", buf_done(&notes));
		buf_char(b, ']');
	}
	buf_char(b, '}');
	return sum;
}
