/* SPDX-License-Identifier: ISC */
/* Collects the subjects that detectors shall look at (detector.h). Subjects that changed documents
   concern are stored together with the new position of the cursor; subjects that a look asks for
   are stored with its findings. */
#include "config.h"

#include "base/encode.h"
#include "detect/detector.h"
#include "json/json.h"
#include "json/tree.h"
#include "record/record.h"

REGISTRY(const struct detector, detectors);

/* ---- documents that are gone ---- */

/* record_key_text prints a key as words. Each word of the text is the value of the member at the
   same place here. */
static const struct {
	enum dataset dataset;
	const char *members[3];
} words[] = {
	{ DATASET_HOSTS, { "ip" } },
	{ DATASET_DNS, { "host", "record_type", "rcode" } },
	{ DATASET_WHOIS, { "domain" } },
	{ DATASET_CERTIFICATES, { "fingerprint_sha256" } },
	{ DATASET_REPORTS, { "uuid" } },
	{ DATASET_DIRECTORIES, { "host" } },
};

static const struct json_value *
named_by_key(struct arena *a, enum dataset d, struct str hex)
{
	struct buf b = { .a = a };
	unsigned char *key = arena_alloc(a, hex.n / 2 + 1);
	struct str text;
	size_t i = 0;

	while (i < COUNT(words) && words[i].dataset != d)
		i++;
	if (i == COUNT(words) || !hex_parse(hex, key, hex.n / 2))
		return NULL;
	text = record_key_text(a, d, (struct str){ (const char *)key, hex.n / 2 });
	for (size_t k = 0; k < COUNT(words[i].members) && words[i].members[k] != NULL; k++) {
		const char *blank = memchr(text.p, ' ', text.n);
		size_t n = blank == NULL ? text.n : (size_t)(blank - text.p);

		buf_printf(&b, "%c\"%s\":", b.n == 0 ? '{' : ',', words[i].members[k]);
		json_write_str(&b, (struct str){ text.p, n });
		if (blank == NULL)
			break;
		text = (struct str){ blank + 1, text.n - n - 1 };
	}
	buf_char(&b, '}');
	return json_parse(a, buf_done(&b));
}

/* ---- what detectors call ---- */

void
affected_ask(struct affected *f, const struct uuid *project, struct str subject)
{
	struct buf *b = &f->batch->work;

	buf_printf(b,
	    "%c{\"detector\":\"%s\",\"project\":\"%s\",\"subject\":", b->n == 0 ? '[' : ',',
	    f->of->name, uuid_text(project).z);
	json_write_str(b, subject);
	buf_char(b, '}');
}

enum db_rc
affected_owners(struct affected *f, const struct owners **out)
{
	return owners_of_batch(f->x, f->batch, out);
}

struct list
affected_owners_of(struct affected *f, const struct owners *all, const struct document *d)
{
	const struct match_document m = { .own = d->named };

	return d->named == NULL ? (struct list){ NULL, 0 }
				: owners_list(all, f->x->a, f->batch->source, &m);
}

/* ---- the frame ---- */

enum db_rc
detectors_affected(struct detect *x, struct batch *b)
{
	size_t n = (size_t)(detectors_end - detectors_first);
	enum db_rc rc = DB_OK;

	b->work.a = x->a;
	for (size_t i = 0; i < b->ndocuments; i++) {
		struct document *d = &b->documents[i];

		d->named = d->text.n > 0 ? d->tree : named_by_key(x->a, b->source, d->key);
	}
	for (size_t i = 0; i < n && rc == DB_OK; i++)
		if (detectors_first[i]->affected != NULL)
			rc = detectors_first[i]->affected(
			    &(struct affected){ .x = x, .batch = b, .of = detectors_first[i] });
	return rc;
}

/* ---- a look asks for more ---- */

void
look_ask(struct look *l, struct str subject, struct ts due)
{
	struct buf *b = &l->work;
	char text[TS_LEN + 1];

	/* A time after the year 9999 cannot be stored, and no look waits that long. */
	if (!ts_is_null(due) && !ts_is_printable(due))
		return;
	buf_printf(b,
	    "%c{\"detector\":\"%s\",\"project\":\"%s\",\"subject\":", b->n == 0 ? '[' : ',',
	    l->of->name, uuid_text(&l->project).z);
	json_write_str(b, subject);
	if (!ts_is_null(due)) {
		ts_print(due, text);
		buf_printf(b, ",\"due\":\"%s\"", text);
	}
	buf_char(b, '}');
}
