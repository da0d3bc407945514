/* SPDX-License-Identifier: ISC */
/* surface play: a link that plays a session back, or all of its evidence in a folder.
 *
 *   DIR/session.json       the session's record
 *   DIR/timeline.ndjson    one event on each line
 *   DIR/network.har        its requests
 *   DIR/screenshots/       UUID.jpg or UUID.png
 *   DIR/SHA256SUMS         of the other files; written last, so a folder that has it is complete
 *
 * A run that was interrupted is repeated with the same command: images that are stored are not
 * asked for again. The three documents are, because those of a session that still runs have grown
 * since. */
#include "config.h"

#include "base/char.h"
#include "client/api.h"
#include "client/file.h"
#include "client/session.h"
#include "client/sha256.h"
#include "client/value.h"

#include <errno.h>

struct saving {
	struct client *c;
	const char *folder;
	struct buf sums;
};

/* Writes DIR/name and adds its line of SHA256SUMS. */
static int
store_document(struct saving *s, const char *name, struct str text)
{
	const char *path = arena_printf(s->c->arena, "%s/%s", s->folder, name).p;
	char sum[SHA256_TEXT + 1];

	sha256_text(text, sum);
	buf_printf(&s->sums, "%s  %s\n", sum, name);
	return file_replace(path, text) ? DONE
					: fail(s->c, FAILED, "%s: %s", path, strerror(errno));
}

static int
save_session(struct saving *s)
{
	struct buf text = { .p = NULL };
	struct json_value *answer;
	int status = api_get(s->c, session_path(s->c, s->c->words[0], ""), &answer);

	if (status != DONE)
		return status;
	if (value_get(answer, "session") == NULL)
		return fail(s->c, FAILED, "the answer has no session");
	json_show(&text, value_get(answer, "session"));
	buf_char(&text, '\n');
	status = store_document(s, "session.json", buf_done(&text));
	buf_free(&text);
	return status;
}

/* Reads the timeline page by page; text gets a line for each event. */
static int
read_timeline(struct client *c, struct buf *text)
{
	struct buf cursor = { .p = NULL };
	struct json_value *answer;
	int status;

	do {
		struct buf path = { .a = c->arena };
		const struct json_value *list;

		arena_reset(c->page);
		buf_str(&path, session_path(c, c->words[0], "/timeline?limit=500"));
		url_parameter(&path, "cursor", cursor.n > 0 ? buf_done(&cursor) : STR_NULL);
		status = api_get(c, buf_done(&path), &answer);
		if (status != DONE)
			break;
		list = value_get(answer, "events");
		for (size_t i = 0; list != NULL && i < json_length(list); i++) {
			json_show(text, json_at(list, i));
			buf_char(text, '\n');
		}
		buf_clear(&cursor);
		buf_str(&cursor, value_text(answer, "next_cursor"));
	} while (cursor.n > 0);
	buf_free(&cursor);
	return status;
}

static int
save_timeline(struct saving *s)
{
	struct buf text = { .p = NULL };
	int status = read_timeline(s->c, &text);

	if (status == DONE)
		status = store_document(s, "timeline.ndjson", buf_done(&text));
	buf_free(&text);
	return status;
}

static int
save_har(struct saving *s)
{
	struct buf text = { .p = NULL };
	struct answer a;
	int status = http_ask(s->c,
	    &(struct ask){ .method = "GET",
		.path = session_path(s->c, s->c->words[0], "/network-events.har"),
		.take = session_keep_bytes,
		.arg = &text },
	    &a);

	if (status == DONE && a.status >= 300)
		status = api_refused(s->c, &a);
	if (status == DONE)
		status = store_document(s, "network.har", buf_done(&text));
	buf_free(&text);
	return status;
}

static int
save_played_evidence(struct client *c, const char *folder)
{
	struct saving s = { .c = c, .folder = folder, .sums = { .a = c->arena } };
	const char *sums = arena_printf(c->arena, "%s/SHA256SUMS", folder).p;
	int status;

	if (!file_folder(sums))
		return fail(c, FAILED, "%s: %s", folder, strerror(errno));
	status = save_session(&s);
	if (status == DONE)
		status = save_timeline(&s);
	if (status == DONE)
		status = save_har(&s);
	if (status == DONE)
		status = session_store_images(
		    c, arena_printf(c->arena, "%s/screenshots", folder).p, &s.sums);
	if (status != DONE)
		return status;
	return file_replace(sums, buf_done(&s.sums))
		   ? DONE
		   : fail(c, FAILED, "%s: %s", sums, strerror(errno));
}

static int
print_playback_link(struct client *c)
{
	struct str site = c->settings.url, link;
	struct json_value *answer;
	int status = api_ask(c,
	    &(struct ask){ .method = "POST",
		.path = session_path(c, c->words[0], "/evidence-ticket"),
		.repeatable = true },
	    &answer);

	if (status != DONE)
		return status;
	link = value_text(value_get(answer, "evidence_ticket"), "viewer_url");
	if (!str_starts(link, STR("/viewer/")) || !str_graphic(link) || !str_visible(link))
		return fail(c, FAILED, "the answer has no link");
	if (str_ends(site, STR("/api/v1")))
		site.n -= strlen("/api/v1");
	printf("%.*s%.*s\n", (int)site.n, site.p, (int)link.n, link.p);
	note(c, "open it within 15 minutes");
	return DONE;
}

static int
run_play_command(struct client *c)
{
	struct uuid uuid;
	int status;

	if (!uuid_parse(c->words[0], &uuid))
		return fail(c, WRONG_USAGE, "%.*s is no UUID", (int)c->words[0].n, c->words[0].p);
	status = session_project(c);
	if (status != DONE)
		return status;
	return option_given(c, "save") ? save_played_evidence(c, option(c, "save").p)
				       : print_playback_link(c);
}

static const struct option_row play_options[] = { PROJECT_OPTION,
	{ "save", 0, PATH, "DIR", "store all evidence of the session in this folder", 0, 0 },
	{ 0 } };

static const struct command play_command = { .name = "play",
	.arguments = "SESSION",
	.help = "print a link that plays a session back, or store its evidence",
	.run = run_play_command,
	.options = play_options,
	.min = 1,
	.max = 1 };

COMMAND(play_command);
