/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "cli/import/secret_notes.h"

#include "json/json.h"
#include "record/masked.h"

static const char *const severities_of_secrets[] = { "info", "low", "medium", "high", "critical" };

struct str
secret_spot_text(struct arena *a, const struct secret_spot *at)
{
	return arena_printf(a, "%.*s %.*s %zu", (int)at->place.n, at->place.p, (int)at->part.n,
	    at->part.p, at->item);
}

/* The name before a secret may itself have the form of a secret; then it is not noted. */
static bool
is_plain(struct arena *a, struct str name)
{
	return name.p != NULL && secrets_mask(a, name).p == name.p;
}

void
secret_note_write(struct buf *b, struct arena *a, const struct secret_key *k,
    const struct secret_spot *at, const struct secret *s)
{
	buf_printf(b, "%c{\"key_id\":\"%s\"", b->n == 0 ? '[' : ',', k->id);
	json_member_text(b, "place", at->place);
	json_member_text(b, "part", at->part);
	buf_printf(b, ",\"item\":%zu,\"length\":%zu,\"line\":%zu,\"offset\":%zu", at->item,
	    s->text.n, s->line, s->offset);
	json_member_text(b, "secret_type", s->type);
	json_member_text(b, "provider", s->provider.n > 0 ? s->provider : STR_NULL);
	json_member_text(b, "preview", secret_preview(a, s));
	if (is_plain(a, s->name))
		json_member_text(b, "key_name", s->name);
	buf_printf(b, ",\"severity\":\"%s\",\"valid\":%s", severities_of_secrets[s->severity],
	    s->valid ? "true" : "false");
	json_member_text(b, "note", secret_note(a, k, s->type, s->text, secret_spot_text(a, at)));
	json_member_time(b, "seen_at", at->seen);
	buf_char(b, '}');
}

static size_t
notes_of_service(struct buf *b, struct arena *a, const struct secret_key *k, struct str ip,
    const struct record_object *service)
{
	const struct record_secret *list;
	size_t n = record_secrets(service, &list);
	struct str transport = record_text(service, "transport");
	int64_t port = 0;
	struct ts seen = TS_NULL;

	if (n == 0 || k == NULL || !record_int(service, "port", &port))
		return n;
	if (!record_int(service, "last_seen", &seen.us))
		seen = TS_NULL;
	for (size_t i = 0, item = 0; i < n; i++) {
		item = i > 0 && strcmp(list[i].member, list[i - 1].member) == 0 ? item + 1 : 0;
		secret_note_write(b, a, k,
		    &(struct secret_spot){ .place = ip,
			.part = arena_printf(a, "%jd/%.*s/%s", (intmax_t)port, (int)transport.n,
			    transport.p, list[i].member),
			.item = item,
			.seen = seen },
		    &list[i].secret);
	}
	return n;
}

size_t
secret_notes_of_host(
    struct buf *b, struct arena *a, const struct secret_key *k, const struct record *host)
{
	struct record_object *const *services;
	size_t n = record_nested_all(host, &services), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += notes_of_service(b, a, k, record_text(host->root, "ip"), services[i]);
	return sum;
}
