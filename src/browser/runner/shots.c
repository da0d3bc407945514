/* SPDX-License-Identifier: ISC */
/* Screenshots as evidence: requests wait in a short queue, one is taken at a time, and the
 * picture goes to the outbox as a sealed memfd, which the dispatcher can check without a copy.
 *
 *   shots_take --> waiting[8] --> taking --> on_screenshot --> outbox
 *                                    |  TAKE_US: abandoned
 *                                    |  a new document: taken again (shots_new_document)
 *
 * Chromium never replies to a screenshot whose document is replaced meanwhile. An abandoned one
 * may still get its reply later; on_screenshot recognises it by `taking` and only frees it. */
#include "config.h"

#include "browser/runner/control.h"
#include "browser/runner/evidence.h"
#include "browser/runner/shots.h"
#include "browser/runner/tabs.h"
#include "daemon/conf.h"

#include <errno.h>
#include <openssl/sha.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	WAITING_MAX = 8,
	TAKE_US = 5000000, /* a page that does not paint for this long gets no screenshot */
	TEXT_MAX = 2048,
};

struct shot_request {
	struct tab *tab;
	const char *reason;
};

/* A screenshot that is being taken; on_screenshot frees it. */
struct shot_in_progress {
	struct shots *shots;
	struct shot_request request;
};

struct shots {
	struct runner *r;
	struct shot_request waiting[WAITING_MAX];
	size_t n;
	struct shot_in_progress
	    *taking;   /* NULL: none. An abandoned one still gets a reply, and is then ignored */
	int64_t since; /* mono_us: start of taking */
	int64_t interval_at;
	unsigned char hash[SHA256_DIGEST_LENGTH]; /* hash of the newest stored image */
	bool refused;
};

struct shots *
shots_new(struct runner *r)
{
	struct shots *s = mem_zero(sizeof(*s));

	s->r = r;
	return s;
}

void
shots_free(struct shots *s)
{
	free(s);
}

/* ---- a finished screenshot ---- */

static int
make_sealed_memfd(const void *bytes, size_t n)
{
	int fd = memfd_create("screenshot", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t done = 0;

	while (fd >= 0 && done < n) {
		ssize_t k = write(fd, (const char *)bytes + done, n - done);

		if (k <= 0)
			break;
		done += (size_t)k;
	}
	if (fd >= 0 &&
	    (done < n || fcntl(fd, F_ADD_SEALS,
			     F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
send_refusal(struct shots *s, const char *reason, const char *why)
{
	if (strcmp(reason, "request") == 0 && s->r->live != NULL)
		live_error(s->r->live, &(struct stream_error){ .code = STR("shot_refused"),
					   .message = str_of(why),
					   .to = STR("shot"),
					   .field = STR("") });
}

static void
store_shot(struct shots *s, const struct shot_request *w, const unsigned char *jpeg, size_t n)
{
	struct runner *r = s->r;
	const struct tab *t = w->tab;
	unsigned char hash[SHA256_DIGEST_LENGTH];
	struct runner_shot shot = { .id = uuid_random(),
		.reason = str_of(w->reason),
		.tab = t->id,
		.width = r->job.width,
		.height = r->job.height,
		.url = str_cut_bytes(buf_done(&t->url), TEXT_MAX),
		.title = str_cut_bytes(buf_done(&t->title), TEXT_MAX),
		.mime = STR("image/jpeg"),
		.taken_at = ts_now() };
	bool same;
	int fd;

	SHA256(jpeg, n, hash);
	same = memcmp(hash, s->hash, sizeof(hash)) == 0;
	if (same && strcmp(w->reason, "interval") == 0)
		return;
	fd = make_sealed_memfd(jpeg, n);
	if (fd < 0) {
		log_event(LOGP_ERR, "shot", "why=\"%s\"", strerror(errno));
		return;
	}
	if (!outbox_shot(r->outbox, &shot, fd, n)) {
		close(fd);
		send_refusal(s, w->reason, "too much waits to be stored");
		return;
	}
	memcpy(s->hash, hash, sizeof(hash));
	control_send_log(r->control);
	if (r->live != NULL)
		live_shot_taken(r->live, &(struct stream_shot_taken){ .reason = shot.reason,
					     .url = shot.url,
					     .title = shot.title,
					     .id = shot.id,
					     .tab = shot.tab,
					     .width = shot.width,
					     .height = shot.height,
					     .taken_at = shot.taken_at });
}

static void take_next_shot(struct shots *s);

static void
finish_shot(struct shots *s, const char *reason)
{
	s->taking = NULL;
	if (strcmp(reason, "close") == 0)
		control_last_shot(s->r->control);
	else
		take_next_shot(s);
}

static void
on_screenshot(void *arg, const struct json_value *result)
{
	struct shot_in_progress *p = arg;
	struct shots *s = p->shots;
	struct shot_request request = p->request;
	bool wanted = s->taking == p;
	struct str data = cdp_text(result, "data");
	size_t n = 0, room = data.n / 4 * 3 + 3;
	unsigned char *jpeg;

	free(p);
	if (!wanted)
		return;
	jpeg = mem_alloc(room);
	if (base64_parse(data, jpeg, room, &n) && n > 0)
		store_shot(s, &request, jpeg, n);
	else
		log_event(LOGP_NOTICE, "shot", "why=\"no picture\" reason=%s", request.reason);
	free(jpeg);
	finish_shot(s, request.reason);
}

/* ---- taking screenshots ---- */

static void
take_next_shot(struct shots *s)
{
	struct shot_in_progress *p;

	if (s->taking != NULL || s->n == 0 || s->r->cdp == NULL)
		return;
	p = mem_alloc(sizeof(*p));
	*p = (struct shot_in_progress){ s, s->waiting[0] };
	s->n--;
	memmove(s->waiting, s->waiting + 1, s->n * sizeof(s->waiting[0]));
	s->taking = p;
	s->since = mono_us();
	tab_refresh(s->r, p->request.tab);
	cdp_send(s->r->cdp, &(struct cdp_call){ .session = buf_done(&p->request.tab->session),
				.method = "Page.captureScreenshot",
				.constant = "{\"format\":\"jpeg\",\"quality\":80}",
				.done = on_screenshot,
				.arg = p });
}

void
shots_take(struct shots *s, struct tab *t, const char *reason)
{
	bool last = strcmp(reason, "close") == 0;

	if (s->refused && !last) {
		send_refusal(s, reason, "the session keeps no more screenshots");
		return;
	}
	if (t->dialog && !last) { /* Chromium paints nothing while a dialog is open */
		send_refusal(s, reason, "the page waits for the answer to a dialog");
		return;
	}
	if (s->n == WAITING_MAX)
		s->n--;
	s->waiting[s->n++] = (struct shot_request){ t, reason };
	s->interval_at = mono_us() + conf.shot_interval * 1000;
	take_next_shot(s);
}

static void
abandon_shot(struct shots *s)
{
	log_event(LOGP_NOTICE, "shot", "why=\"given up\" reason=%s", s->taking->request.reason);
	send_refusal(s, s->taking->request.reason, "the page does not paint");
	finish_shot(s, s->taking->request.reason);
}

void
shots_tick(struct shots *s)
{
	if (s->taking != NULL && mono_us() - s->since > TAKE_US)
		abandon_shot(s);
	if (s->interval_at == 0)
		s->interval_at = mono_us() + conf.shot_interval * 1000;
	if (s->r->stage == STAGE_RUNNING && s->r->active != NULL && mono_us() > s->interval_at) {
		s->interval_at = 0;
		shots_take(s, s->r->active, "interval");
	}
}

/* Chromium never replies to a screenshot whose document was replaced: it is taken again from the
   new document. A screenshot "load" is dropped, since the new document gets its own. */
void
shots_new_document(struct shots *s, const struct tab *t)
{
	struct shot_request request;

	if (s->taking == NULL || s->taking->request.tab != t)
		return;
	request = s->taking->request;
	s->taking = NULL;
	if (strcmp(request.reason, "load") != 0 && s->n < WAITING_MAX) {
		memmove(s->waiting + 1, s->waiting, s->n * sizeof(s->waiting[0]));
		s->waiting[0] = request;
		s->n++;
	}
	take_next_shot(s);
}

void
shots_forget(struct shots *s, const struct tab *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->waiting[i].tab != t)
			s->waiting[kept++] = s->waiting[i];
	s->n = kept;
	if (s->taking != NULL && s->taking->request.tab == t)
		abandon_shot(s);
}

void
shots_refused(struct shots *s, struct str why)
{
	s->refused = true;
	if (s->r->live != NULL)
		live_error(s->r->live, &(struct stream_error){ .code = STR("shot_refused"),
					   .message = why,
					   .to = STR("shot"),
					   .field = STR("") });
}
