/* SPDX-License-Identifier: ISC */
/* surface session: browser sessions of a project, and their evidence. */
#include "config.h"

#include "base/char.h"
#include "client/api.h"
#include "client/dataset.h"
#include "client/file.h"
#include "client/session.h"
#include "client/sha256.h"
#include "client/value.h"
#include "json/json.h"

#include <errno.h>
#include <unistd.h>

enum { SESSION_PAGE = 100 };

/* ---- the project ---- */

static int
only_project(struct client *c)
{
	const struct json_value *list;
	struct json_value *answer;
	int status = api_get(c, STR("/projects?limit=2"), &answer);

	if (status != DONE)
		return status;
	list = value_get(answer, "projects");
	if (list == NULL || json_length(list) == 0)
		return fail(c, NOT_FOUND, "this key sees no project");
	if (json_length(list) > 1)
		return fail(c, WRONG_USAGE,
		    "this key sees several projects; name one with --project or SURFACED_PROJECT");
	c->settings.project = arena_str(c->arena, value_text(json_at(list, 0), "uuid"));
	return DONE;
}

int
session_project(struct client *c)
{
	struct uuid uuid;

	if (option_given(c, "project"))
		c->settings.project = option(c, "project");
	if (c->settings.project.p == NULL)
		return only_project(c);
	if (uuid_parse(c->settings.project, &uuid))
		return DONE;
	return fail(c, WRONG_USAGE, "the project %.*s is no UUID", (int)c->settings.project.n,
	    c->settings.project.p);
}

struct str
session_path(struct client *c, struct str session, const char *rest)
{
	struct buf b = { .a = c->arena };

	buf_z(&b, "/projects");
	url_segment(&b, c->settings.project);
	buf_z(&b, "/sessions");
	if (session.p != NULL)
		url_segment(&b, session);
	buf_z(&b, rest);
	return buf_done(&b);
}

/* ---- sessions ---- */

static const struct column session_columns[] = {
	{ "uuid", "uuid", CELL_TEXT },
	{ "state", "state", CELL_TEXT },
	{ "terminal_reason", "reason", CELL_TEXT },
	{ "created_at", "created", CELL_MINUTE },
	{ "start_url", "start_url", CELL_TEXT },
	{ 0 },
};

static int
print_session(struct client *c, const struct ask *ask)
{
	struct json_value *answer;
	int status = api_ask(c, ask, &answer);

	if (status != DONE)
		return status;
	if (value_get(answer, "session") == NULL)
		return fail(c, FAILED, "the answer has no session");
	return record_print(c, value_get(answer, "session"), session_columns);
}

static int
run_list(struct client *c)
{
	struct buf path = { .a = c->arena };
	int status = session_project(c);

	if (status != DONE)
		return status;
	buf_str(&path, session_path(c, STR_NULL, ""));
	url_parameter(&path, "state", option(c, "state"));
	return list_print(c, &(struct listing){ .path = buf_done(&path),
				 .member = "sessions",
				 .columns = session_columns,
				 .page_max = SESSION_PAGE });
}

/* A random Idempotency-Key makes a repetition after a broken connection safe. */
static int
run_create(struct client *c)
{
	struct buf b = { .a = c->arena };
	struct uuid once = uuid_random();
	struct str key = arena_printf(c->arena, "Idempotency-Key: %s", uuid_text(&once).z);
	int status = session_project(c);

	if (status != DONE)
		return status;
	json_begin(&b, '{');
	json_member(&b, "start_url");
	json_write_str(&b, c->words[0]);
	if (option_given(c, "country")) {
		json_member(&b, "egress_country");
		json_write_str(&b, option(c, "country"));
	}
	if (option_given(c, "profile")) {
		json_member(&b, "browser_profile");
		json_write_str(&b, option(c, "profile"));
	}
	buf_char(&b, '}');
	return print_session(c, &(struct ask){ .method = "POST",
				    .path = session_path(c, STR_NULL, ""),
				    .body = buf_done(&b),
				    .header = key.p,
				    .repeatable = true });
}

static int
run_show(struct client *c)
{
	int status = session_project(c);

	return status != DONE ? status
			      : print_session(c, &(struct ask){ .method = "GET",
						     .path = session_path(c, c->words[0], ""),
						     .repeatable = true });
}

/* Stopping a session again changes nothing, so the request may be repeated. */
static int
run_stop(struct client *c)
{
	int status = session_project(c);

	return status != DONE ? status
			      : print_session(c, &(struct ask){ .method = "DELETE",
						     .path = session_path(c, c->words[0], ""),
						     .repeatable = true });
}

/* ---- evidence ---- */

static const struct column event_columns[] = {
	{ "at", "at", CELL_MINUTE },
	{ "kind", "kind", CELL_TEXT },
	{ "method", "method", CELL_TEXT },
	{ "status", "status", CELL_TEXT },
	{ "remote_address", "address", CELL_TEXT },
	{ "bytes_received", "bytes", CELL_TEXT },
	{ "failure", "failure", CELL_TEXT },
	{ "url", "url", CELL_TEXT },
	{ 0 },
};

static const struct column screenshot_columns[] = {
	{ "uuid", "uuid", CELL_TEXT },
	{ "taken_at", "taken_at", CELL_MINUTE },
	{ "reason", "reason", CELL_TEXT },
	{ "tab", "tab", CELL_TEXT },
	{ "bytes", "bytes", CELL_TEXT },
	{ "title", "title", CELL_TEXT },
	{ "url", "url", CELL_TEXT },
	{ 0 },
};

bool
session_keep_bytes(void *arg, long status, const char *bytes, size_t n)
{
	(void)status;
	buf_add(arg, bytes, n);
	return true;
}

static int
run_events(struct client *c)
{
	struct buf path = { .a = c->arena }, har = { .p = NULL }, shown = { .p = NULL };
	int status = session_project(c);
	struct answer a;

	if (status != DONE)
		return status;
	if (!option_given(c, "har")) {
		buf_str(&path, session_path(c, c->words[0], "/network-events"));
		url_parameter(&path, "kind", option(c, "kind"));
		url_parameter(&path, "failed", option_given(c, "failed") ? STR("true") : STR_NULL);
		return list_print(c, &(struct listing){ .path = buf_done(&path),
					 .member = "network_events",
					 .columns = event_columns,
					 .page_max = SESSION_PAGE });
	}
	status = http_ask(c,
	    &(struct ask){ .method = "GET",
		.path = session_path(c, c->words[0], "/network-events.har"),
		.take = session_keep_bytes,
		.arg = &har },
	    &a);
	if (status == DONE && a.status >= 300)
		status = api_refused(c, &a);
	if (status == DONE && str_utf8_bad(buf_done(&har)) < har.n)
		status = fail(c, FAILED, "the answer is no UTF-8");
	if (status == DONE) {
		json_shown(&shown, buf_done(&har));
		str_write(buf_done(&shown), stdout);
	}
	buf_free(&har);
	buf_free(&shown);
	return status;
}

/* The API's UUID is parsed and printed again, so that no text of an answer becomes a part of a
   path. */
struct image {
	const char *folder;
	struct uuid uuid;
	struct str sha256;
	const char *suffix, *path;
};

static bool
image_of(struct client *c, const char *folder, const struct json_value *shot, struct image *out)
{
	out->folder = folder;
	out->sha256 = value_text(shot, "sha256");
	out->suffix = str_is(value_text(shot, "mime"), "image/png") ? "png" : "jpg";
	if (!uuid_parse(value_text(shot, "uuid"), &out->uuid) || out->sha256.n != SHA256_TEXT)
		return false;
	out->path =
	    arena_printf(c->arena, "%s/%s.%s", folder, uuid_text(&out->uuid).z, out->suffix).p;
	return true;
}

static int
fetch_image(struct client *c, const struct image *i, struct buf *bytes)
{
	char sum[SHA256_TEXT + 1];
	struct answer a;
	int status = http_ask(c,
	    &(struct ask){ .method = "GET",
		.path = session_path(c, c->words[0],
		    arena_printf(c->arena, "/screenshots/%s", uuid_text(&i->uuid).z).p),
		.accept = "image/*",
		.repeatable = true,
		.take = session_keep_bytes,
		.arg = bytes },
	    &a);

	if (status != DONE)
		return status;
	if (a.status >= 300)
		return api_refused(c, &a);
	sha256_text(buf_done(bytes), sum);
	if (!str_is(i->sha256, sum))
		return fail(c, FAILED, "%s came damaged; run the same command again", i->path);
	return file_replace(i->path, buf_done(bytes))
		   ? DONE
		   : fail(c, FAILED, "%s: %s", i->path, strerror(errno));
}

static int
store_image(struct client *c, const struct image *i, struct buf *sums)
{
	char sum[SHA256_TEXT + 1];
	struct buf bytes = { .p = NULL };
	int status = DONE;

	if (!sha256_file(i->path, sum) || !str_is(i->sha256, sum)) {
		status = fetch_image(c, i, &bytes);
		buf_free(&bytes);
		if (status == DONE && sums == NULL)
			puts(i->path);
	}
	if (status == DONE && sums != NULL)
		buf_printf(sums, "%.*s  screenshots/%s.%s\n", (int)i->sha256.n, i->sha256.p,
		    uuid_text(&i->uuid).z, i->suffix);
	return status;
}

static int
store_page(struct client *c, const char *folder, const struct json_value *list, struct buf *sums)
{
	int status = DONE;

	for (size_t i = 0; status == DONE && list != NULL && i < json_length(list); i++) {
		struct image image;

		status = image_of(c, folder, json_at(list, i), &image)
			     ? store_image(c, &image, sums)
			     : fail(c, FAILED, "a screenshot has no UUID or no SHA-256");
	}
	return status;
}

int
session_store_images(struct client *c, const char *folder, struct buf *sums)
{
	struct buf cursor = { .a = c->arena };
	struct json_value *answer;
	int status = DONE;

	if (!file_folder(arena_printf(c->arena, "%s/", folder).p))
		return fail(c, FAILED, "%s: %s", folder, strerror(errno));
	do {
		struct buf path = { .a = c->arena };

		buf_str(&path, session_path(c, c->words[0], "/screenshots?limit=100"));
		url_parameter(&path, "cursor", cursor.n > 0 ? buf_done(&cursor) : STR_NULL);
		status = api_get(c, buf_done(&path), &answer);
		if (status != DONE)
			break;
		buf_clear(&cursor);
		buf_str(&cursor, value_text(answer, "next_cursor"));
		status = store_page(c, folder, value_get(answer, "screenshots"), sums);
	} while (status == DONE && cursor.n > 0);
	return status;
}

static int
run_screenshots(struct client *c)
{
	int status = session_project(c);

	if (status != DONE)
		return status;
	if (option_given(c, "output"))
		return session_store_images(c, option(c, "output").p, NULL);
	return list_print(
	    c, &(struct listing){ .path = session_path(c, c->words[0], "/screenshots"),
		   .member = "screenshots",
		   .columns = screenshot_columns,
		   .page_max = SESSION_PAGE });
}

static const struct option_row only_project_options[] = { PROJECT_OPTION, { 0 } };
static const struct option_row list_options[] = { PROJECT_OPTION, LIST_OPTIONS,
	{ "state", 0, TEXT, "STATE", "queued, starting, running, closing or terminal", 0, 0 },
	{ 0 } };
static const struct option_row create_options[] = { PROJECT_OPTION,
	{ "country", 0, TEXT, "CODE", "the country from which the browser connects", 0, 0 },
	{ "profile", 0, TEXT, "NAME", "windows, macos or linux", 0, 0 }, { 0 } };
static const struct option_row screenshot_options[] = { PROJECT_OPTION, LIST_OPTIONS,
	{ "output", 'o', PATH, "FOLDER", "store the images there and print their names", 0, 0 },
	{ 0 } };
static const struct option_row event_options[] = { PROJECT_OPTION, LIST_OPTIONS,
	{ "kind", 0, TEXT, "KIND",
	    "request, websocket, download, dialog, crash, certificate or page", 0, 0 },
	{ "failed", 0, FLAG, NULL, "those that failed alone", 0, 0 },
	{ "har", 0, FLAG, NULL, "print all as one HAR document", 0, 0 }, { 0 } };

static const struct command session_subs[] = {
	{ "list", NULL, "print the sessions of the project", run_list, NULL, list_options, 0, 0,
	    WORD_ANY, false },
	{ "create", "URL", "queue a session that opens a page", run_create, NULL, create_options, 1,
	    1, WORD_ANY, false },
	{ "show", "UUID", "print a session", run_show, NULL, only_project_options, 1, 1, WORD_ANY,
	    false },
	{ "stop", "UUID", "close a session", run_stop, NULL, only_project_options, 1, 1, WORD_ANY,
	    false },
	{ "screenshots", "UUID", "print or store the screenshots of a session", run_screenshots,
	    NULL, screenshot_options, 1, 1, WORD_ANY, false },
	{ "events", "UUID", "print the network events of a session", run_events, NULL,
	    event_options, 1, 1, WORD_ANY, false },
	{ 0 },
};

static const struct command session_command = {
	.name = "session", .help = "work with browser sessions", .sub = session_subs
};

COMMAND(session_command);
