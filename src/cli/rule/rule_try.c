/* SPDX-License-Identifier: ISC */
/* surfacectl rules check --against: evaluates every rule for each host of a file, as
 * surfaced-detect does for stored hosts. The host is finished first, so that it has the members
 * that follow from others, such as the capabilities that a title shows. */
#include "config.h"

#include "cli/rule/rule_set.h"

#include "detection/rule_query.h"
#include "json/tree.h"
#include "record/record.h"

#include <errno.h>

enum { SCRATCH = 1 << 28 };

struct line {
	int64_t line;
	struct str ip;
	int64_t port;
	struct uuid id;
	int64_t rank;
	struct str title;
};

static const struct field line_out[] = {
	FIELD(struct line, line, 0),
	FIELD(struct line, ip, 0),
	FIELD(struct line, port, 0),
	FIELD(struct line, id, 0),
	FIELD(struct line, rank, 0),
	FIELD(struct line, title, 0),
	FIELD_END,
};

struct trial {
	struct cli *c;
	const struct rule_set *set;
	struct rule_query *queries; /* of each rule */
	struct arena *host, *scratch;
	struct line *lines;
	size_t n;
};

static void
try_sample_document(struct trial *t, int64_t line, enum dataset d, const struct match_document *doc)
{
	const struct json_value *host = doc->of == NULL ? doc->own : doc->of;
	const struct json_value *number = json_get(doc->own, "port");
	int64_t port;

	if (number == NULL || !json_int(number, &port))
		port = 0; /* a host */
	for (size_t i = 0; i < t->set->n; i++) {
		const struct rule_file *r = &t->set->p[i].rule;

		if (r->dataset != d || !rule_query_passes(t->scratch, &t->queries[i], doc, NULL))
			continue;
		t->lines = arena_room(t->c->arena, t->lines, t->n, sizeof(t->lines[0]));
		t->lines[t->n++] =
		    (struct line){ line, arena_str(t->c->arena, json_text(json_get(host, "ip"))),
			    port, r->id, r->produces.rank, r->title };
	}
}

static int
try_line(struct trial *t, int64_t line, struct str text)
{
	const struct json_value *host, *services;
	struct buf out = { .a = t->host };
	struct record r;
	struct str what;

	if (!record_parse(t->host, DATASET_HOSTS, text, RECORD_LENIENT, &r, &what) ||
	    !record_finish(t->host, &r, RECORD_LENIENT, &what))
		return cli_fail(EXIT_FAILED, "line %d: %.*s", (int)line, (int)what.n, what.p);
	record_print(&out, &r, NULL);
	host = json_parse(t->host, buf_done(&out));
	services = json_get(host, "services");
	try_sample_document(t, line, DATASET_HOSTS, &(struct match_document){ .own = host });
	for (size_t i = 0; services != NULL && i < json_length(services); i++)
		try_sample_document(t, line, DATASET_SERVICES,
		    &(struct match_document){ .own = json_at(services, i), .of = host });
	return EXIT_OK;
}

static int
try_file(struct trial *t, FILE *in)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t n;
	int status = EXIT_OK;

	for (int64_t line = 1; status == EXIT_OK && (n = getline(&text, &room, in)) >= 0; line++) {
		arena_reset(t->host);
		status = try_line(t, line, str_trim((struct str){ text, (size_t)n }));
	}
	free(text);
	return status;
}

int
rule_set_try(struct cli *c, const struct rule_set *s, const char *path)
{
	struct trial t = {
		.c = c, .set = s, .queries = ARENA_ARRAY(c->arena, s->n + 1, struct rule_query)
	};
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	int status;

	if (in == NULL)
		return cli_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
	for (size_t i = 0; i < s->n; i++) {
		const struct rule_file *r = &s->p[i].rule;
		struct rule_query_fault fault;

		if (!rule_query_parse(c->arena, r->dataset, r->query, r->exclude, ts_now(),
			&t.queries[i], &fault))
			panic("a query that was checked is refused");
	}
	t.host = arena_new(SCRATCH);
	t.scratch = arena_new(SCRATCH);
	status = try_file(&t, in);
	if (in != stdin)
		fclose(in);
	arena_free(t.host);
	arena_free(t.scratch);
	return status != EXIT_OK ? status
				 : cli_print_list(c, "matches", line_out,
				       (struct list){ t.lines, t.n }, sizeof(t.lines[0]));
}
