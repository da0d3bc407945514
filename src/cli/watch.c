/* SPDX-License-Identifier: ISC */
/* surfacectl watch: gets a stream ticket from the API with the administrator's own key, and prints
   a link to the viewer with it.

     surfacectl --POST .../stream-ticket, X-API-Key--> API        201 with a ticket for 30 seconds and one use
     surfacectl --> https://HOST/viewer/#PROJECT/SESSION/TICKET   printed
     browser    --> the viewer's page; the part behind # stays in the browser
     viewer     --> WebSocket with the ticket as subprotocol

   surfacectl play does the same with an evidence ticket, which reads the evidence for 15 minutes,
   and the page play.html. With --save it starts surface(1), which stores the evidence.

   Secrets: the key is never an argument, because every user of the host can see arguments; it comes
   from a file or the environment, and is sent over https alone. The ticket in the link works once
   and not for long. */
#include "config.h"

#include "cli/cli.h"
#include "daemon/conf.h"
#include "json/tree.h"

#include <curl/curl.h>
#include <errno.h>
#include <unistd.h>

enum { ANSWER_MAX = 65536, PATIENCE_S = 20, AGAIN_S = 1, KEY_FILE_MAX = 4096 };

struct watch {
	struct str url, project, session; /* url: without a trailing slash */
	struct str key, ca;
	bool wait;
	const struct ticket_form *form;
};

/* The two tickets: the operation, and where its answer has the ticket and the link's page. */
static const struct ticket_form {
	const char *operation, *object, *member, *page, *hint, *action;
} stream_form = { "stream-ticket", "stream_ticket", "subprotocol", "/viewer/#",
	"Open it within 30 seconds; it works once.", "watch" },
  evidence_form = { "evidence-ticket", "evidence_ticket", "token", "/viewer/play.html#",
	  "Open it within 15 minutes.", "play" };

/* The API's response to a request for a ticket. */
struct answer {
	long status;
	struct buf body;
	char why[CURL_ERROR_SIZE]; /* the reason, if there is no response */
};

struct link {
	struct str link;
	struct ts expires_at;
};

static const struct field link_out[] = {
	FIELD(struct link, link, 0),
	FIELD(struct link, expires_at, 0),
	FIELD_END,
};

/* ---- key, address and project ---- */

static struct str
read_key_file(struct cli *c, struct str path, int *status)
{
	struct buf b = { .a = c->arena };
	struct str text;

	if (!file_read(arena_str(c->arena, path).p, KEY_FILE_MAX, &b)) {
		*status = cli_fail(EXIT_FAILED, "%s: %s", path.p, strerror(errno));
		return STR_NULL;
	}
	text = buf_done(&b);
	text.n = str_utf8_bad(text);
	return str_trim(text);
}

static int
read_own_key(struct cli *c, struct str file, struct watch *w)
{
	int status = EXIT_OK;

	w->key =
	    file.p != NULL ? read_key_file(c, file, &status) : str_of(getenv("SURFACED_API_KEY"));
	if (status != EXIT_OK)
		return status;
	if (w->key.n == 0)
		return cli_fail(EXIT_FAILED,
		    "no API key: name a file that holds it with --key-file, or set "
		    "SURFACED_API_KEY");
	if (w->key.n != KEY_SECRET_LEN || !str_starts(w->key, STR("sfk_")))
		return cli_fail(EXIT_FAILED,
		    "the API key is malformed: a key begins with sfk_ and has %d "
		    "characters",
		    (int)KEY_SECRET_LEN);
	return EXIT_OK;
}

static int
find_url(const struct cli *c, struct str given, struct watch *w)
{
	w->url = given.p != NULL ? given : str_of(conf.public_url);
	if (w->url.n == 0)
		return cli_usage(c, "where is the API? Say --url https://HOST, or set public_url");
	if (!str_starts(w->url, STR("https://")))
		return cli_usage(
		    c, "%s does not begin with https://: a key is not sent in the clear", w->url.p);
	while (str_ends(w->url, STR("/")))
		w->url.n--;
	return EXIT_OK;
}

struct where {
	struct uuid project_uuid;
};

static const struct field where_out[] = { FIELD(struct where, project_uuid, 0), FIELD_END };
STMT(find_session, where_out, "SELECT project_uuid FROM browser_session WHERE uuid = $1");

/* The project of --project, or the session's project from the database. */
static int
find_project(struct cli *c, struct uuid session, struct watch *w)
{
	struct uuid uuid;
	struct where row;
	enum db_rc rc;

	if (w->project.p != NULL) {
		if (!uuid_parse(w->project, &uuid))
			return cli_usage(c, "%s is no UUID", w->project.p);
		return EXIT_OK;
	}
	rc = db_one(c->db, &find_session, &row, P(session));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, w->session.p);
	w->project = arena_uuid(c->arena, &row.project_uuid);
	return EXIT_OK;
}

/* ---- the request ---- */

static size_t
on_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct answer *a = arg;

	if (a->body.n + n * size > ANSWER_MAX)
		return 0;
	buf_add(&a->body, bytes, n * size);
	return n * size;
}

static bool
set_curl_options(CURL *curl, const struct watch *w, struct answer *a, const char *url,
    struct curl_slist *headers)
{
	return curl_easy_setopt(curl, CURLOPT_URL, url) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "") == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)PATIENCE_S) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, a->why) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_WRITEDATA, a) == CURLE_OK &&
	       (w->ca.p == NULL || curl_easy_setopt(curl, CURLOPT_CAINFO, w->ca.p) == CURLE_OK);
}

/* False: there is no response; why has the reason. */
static bool
request_ticket(struct cli *c, const struct watch *w, struct answer *a)
{
	struct str url = arena_printf(c->arena, "%.*s/api/v1/projects/%s/sessions/%s/%s",
	    (int)w->url.n, w->url.p, w->project.p, w->session.p, w->form->operation);
	struct str key = arena_printf(c->arena, "X-API-Key: %.*s", (int)w->key.n, w->key.p);
	struct curl_slist *headers = curl_slist_append(NULL, key.p);
	CURL *curl = curl_easy_init();
	CURLcode rc = CURLE_FAILED_INIT;

	*a = (struct answer){ .body.a = c->arena };
	if (curl != NULL && headers != NULL && set_curl_options(curl, w, a, url.p, headers))
		rc = curl_easy_perform(curl);
	if (rc != CURLE_OK && a->why[0] == '\0')
		snprintf(a->why, sizeof(a->why), "%s", curl_easy_strerror(rc));
	if (rc == CURLE_OK)
		rc = curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &a->status);
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	return rc == CURLE_OK;
}

/* A text inside an object of the response, such as ("error", "code"). */
static struct str
response_text(const struct cli *c, const struct answer *a, const char *object, const char *name)
{
	const struct json_value *v = json_parse(c->arena, buf_done(&a->body));

	v = v != NULL && json_type(v) == JSON_OBJECT ? json_get(v, object) : NULL;
	v = v != NULL && json_type(v) == JSON_OBJECT ? json_get(v, name) : NULL;
	return v != NULL && json_type(v) == JSON_STRING ? json_text(v) : STR_NULL;
}

/* The advice for an error code of the API. */
static const char *
advice_for_code(struct str code)
{
	static const char *const words[][2] = {
		{ "session_not_ready", "; --wait waits until it runs" },
		{ "session_not_found", "; a session is private to the key that created it" },
		{ "permission_denied",
		    "; only the key that created the session may do this, with the scope "
		    "that surfacectl(8) names" },
		{ "session_terminal", "; replay it to see the page again" },
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (str_is(code, words[i][0]))
			return words[i][1];
	return "";
}

static int
report_refusal(const struct cli *c, const struct watch *w, const struct answer *a)
{
	struct str code = response_text(c, a, "error", "code");
	struct str message = response_text(c, a, "error", "message");

	if (code.p == NULL)
		return cli_fail(EXIT_FAILED,
		    "%.*s answers %ld, and not as the API does: is it the right address?",
		    (int)w->url.n, w->url.p, a->status);
	return cli_fail(a->status == 404 ? EXIT_NOT_FOUND : EXIT_FAILED,
	    "session %s: %.*s (%.*s)%s", w->session.p, (int)message.n, message.p, (int)code.n,
	    code.p, advice_for_code(code));
}

static int
print_link(const struct cli *c, const struct watch *w, const struct answer *a)
{
	struct str ticket = response_text(c, a, w->form->object, w->form->member);
	struct link out;

	if (ticket.p == NULL ||
	    !ts_parse(response_text(c, a, w->form->object, "expires_at"), &out.expires_at))
		return cli_fail(
		    EXIT_FAILED, "%.*s answers without a ticket", (int)w->url.n, w->url.p);
	out.link = arena_printf(c->arena, "%.*s%s%s/%s/%.*s", (int)w->url.n, w->url.p,
	    w->form->page, w->project.p, w->session.p, (int)ticket.n, ticket.p);
	if (c->json)
		return cli_print(c, w->form->action, link_out, &out);
	printf("%.*s\n", (int)out.link.n, out.link.p);
	if (isatty(STDOUT_FILENO))
		fprintf(stderr, "%s\n", w->form->hint);
	return EXIT_OK;
}

/* Becomes surface(1), which stores the evidence by the API. The key is passed in the environment,
   which other users cannot read. */
static int
save_evidence(const struct cli *c, const struct watch *w, struct str folder)
{
	const char *variables[][2] = { { "SURFACED_API_KEY", arena_str(c->arena, w->key).p },
		{ "SURFACED_URL", arena_str(c->arena, w->url).p },
		{ "SURFACED_PROJECT", arena_str(c->arena, w->project).p },
		{ "SURFACED_CACERT", w->ca.p } };

	for (size_t i = 0; i < COUNT(variables); i++)
		if (variables[i][1] != NULL && setenv(variables[i][0], variables[i][1], 1) != 0)
			return cli_fail(EXIT_FAILED, "%s: %s", variables[i][0], strerror(errno));
	execlp("surface", "surface", "play", w->session.p, "--save", folder.p, (char *)NULL);
	return cli_fail(EXIT_FAILED, "surface(1), which stores the evidence, does not start: %s",
	    strerror(errno));
}

/* A session that is queued has no stream yet, which the API reports as
   session_not_ready. With --wait the request is repeated each second until the
   session runs, ends, or the API refuses for another reason. Each repetition is a
   counted request of the key. Without --wait a script gets its answer at once. */
static int
watch_session(struct cli *c, const struct watch *w)
{
	struct answer a;

	for (;;) {
		if (!request_ticket(c, w, &a))
			return cli_fail(EXIT_FAILED, "%.*s: %s", (int)w->url.n, w->url.p, a.why);
		if (a.status == 201)
			return print_link(c, w, &a);
		if (!w->wait || !str_is(response_text(c, &a, "error", "code"), "session_not_ready"))
			return report_refusal(c, w, &a);
		sleep(AGAIN_S);
	}
}

/* ---- the commands ---- */

/* The link of a session, or its evidence. */
static int
open_session(struct cli *c, struct watch *w, struct str save)
{
	int status = EXIT_OK;

	if (save.p != NULL)
		return save_evidence(c, w, save);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return cli_fail(EXIT_FAILED, "libcurl does not start");
	status = watch_session(c, w);
	curl_global_cleanup();
	return status;
}

static int
run_link(struct cli *c, int argc, char **argv, const struct ticket_form *form)
{
	struct str url = STR_NULL, file = STR_NULL, save = STR_NULL;
	struct watch w = { .wait = false, .form = form };
	const struct cli_option options[] = { { "url", .text = &url },
		{ "key-file", .text = &file }, { "project", .text = &w.project },
		{ "ca", .text = &w.ca },
		form == &stream_form ? (struct cli_option){ "wait", .flag = &w.wait }
				     : (struct cli_option){ "save", .text = &save },
		{ NULL } };
	struct cli_list words;
	struct uuid session;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	w.session = words.p[0];
	if (!uuid_parse(w.session, &session))
		return cli_usage(c, "%s is no UUID", w.session.p);
	status = find_url(c, url, &w);
	if (status == EXIT_OK)
		status = read_own_key(c, file, &w);
	if (status == EXIT_OK)
		status = find_project(c, session, &w);
	return status == EXIT_OK ? open_session(c, &w, save) : status;
}

static int
run_watch(struct cli *c, int argc, char **argv)
{
	return run_link(c, argc, argv, &stream_form);
}

static int
run_play(struct cli *c, int argc, char **argv)
{
	return run_link(c, argc, argv, &evidence_form);
}

static const struct command watch_command = {
	.name = "watch",
	.arguments = "[--url URL] [--key-file FILE] [--project UUID] [--ca FILE] [--wait] SESSION",
	.help = "print a link to the viewer of a running session, good once and for 30 "
		"seconds",
	.run = run_watch,
};

COMMAND(watch_command);

static const struct command play_command = {
	.name = "play",
	.arguments =
	    "[--url URL] [--key-file FILE] [--project UUID] [--ca FILE] [--save DIR] SESSION",
	.help = "print a link that plays a session back, or store all of its evidence",
	.run = run_play,
};

COMMAND(play_command);
