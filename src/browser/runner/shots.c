/* SPDX-License-Identifier: ISC */
/* Screenshots: one is taken at a time, the others wait their turn. */
#include "config.h"

#include "browser/runner/evidence.h"
#include "browser/runner/runner.h"
#include "daemon/conf.h"

#include <errno.h>
#include <openssl/sha.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	WAITING_MAX = 8,
	TAKE_US = 5000000, /* a page that does not paint by then has none */
	TEXT_MAX = 2048,
};

struct wanted {
	struct tab *tab;
	const char *reason;
};

/* One that is being taken. */
struct picture {
	struct shots *shots;
	struct wanted what;
};

struct shots {
	struct runner *r;
	struct wanted waiting[WAITING_MAX];
	size_t n;
	struct picture
	    *taking;   /* NULL: none; its reply may still come when it was given up */
	int64_t since; /* when it began */
	int64_t interval_at;
	unsigned char hash[SHA256_DIGEST_LENGTH]; /* of the last picture */
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

/* ---- one that came ---- */

static int
sealed(const void *bytes, size_t n)
{
	int fd = memfd_create("screenshot", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t done = 0;

	while (fd >= 0 && done < n) {
		ssize_t k = write(fd, (const char *)bytes + done, n - done);

		if (k <= 0)
			break;
		done += (size_t)k;
	}
	if (fd >= 0 && (done < n || fcntl(fd, F_ADD_SEALS,
					F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW |
					    F_SEAL_WRITE) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
refuse(struct shots *s, const char *reason, const char *why)
{
	if (strcmp(reason, "request") == 0 && s->r->live != NULL)
		live_error(
		    s->r->live, &(struct stream_error){ .code = STR("shot_refused"),
				    .message = str_of(why),
				    .to = STR("shot"),
				    .field = STR("") });
}

static void
keep(struct shots *s, const struct wanted *w, const unsigned char *jpeg, size_t n)
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
	fd = sealed(jpeg, n);
	if (fd < 0) {
		log_event(LOGP_ERR, "shot", "why=\"%s\"", strerror(errno));
		return;
	}
	if (!outbox_shot(r->outbox, &shot, fd, n)) {
		close(fd);
		refuse(s, w->reason, "too much waits to be stored");
		return;
	}
	memcpy(s->hash, hash, sizeof(hash));
	control_evidence(r->control);
	if (r->live != NULL)
		live_shot_taken(
		    r->live, &(struct stream_shot_taken){ .reason = shot.reason,
				 .url = shot.url,
				 .title = shot.title,
				 .id = shot.id,
				 .tab = shot.tab,
				 .width = shot.width,
				 .height = shot.height,
				 .taken_at = shot.taken_at });
}

static void take_next(struct shots *s);

static void
taken(struct shots *s, const char *reason)
{
	s->taking = NULL;
	if (strcmp(reason, "close") == 0)
		control_last_shot(s->r->control);
	else
		take_next(s);
}

static void
on_picture(void *arg, const struct json_value *result)
{
	struct picture *p = arg;
	struct shots *s = p->shots;
	struct wanted what = p->what;
	bool wanted = s->taking == p;
	struct str data = cdp_text(result, "data");
	size_t n = 0, room = data.n / 4 * 3 + 3;
	unsigned char *jpeg;

	free(p);
	if (!wanted)
		return;
	jpeg = mem_alloc(room);
	if (base64_parse(data, jpeg, room, &n) && n > 0)
		keep(s, &what, jpeg, n);
	else
		log_event(
		    LOGP_NOTICE, "shot", "why=\"no picture\" reason=%s", what.reason);
	free(jpeg);
	taken(s, what.reason);
}

/* ---- taking them ---- */

static void
take_next(struct shots *s)
{
	struct picture *p;

	if (s->taking != NULL || s->n == 0 || s->r->cdp == NULL)
		return;
	p = mem_alloc(sizeof(*p));
	*p = (struct picture){ s, s->waiting[0] };
	s->n--;
	memmove(s->waiting, s->waiting + 1, s->n * sizeof(s->waiting[0]));
	s->taking = p;
	s->since = mono_us();
	tab_ask(s->r, p->what.tab);
	cdp_send(
	    s->r->cdp, &(struct cdp_call){ .session = buf_done(&p->what.tab->session),
			   .method = "Page.captureScreenshot",
			   .constant = "{\"format\":\"jpeg\",\"quality\":80}",
			   .done = on_picture,
			   .arg = p });
}

void
shots_take(struct shots *s, struct tab *t, const char *reason)
{
	bool last = strcmp(reason, "close") == 0;

	if (s->refused && !last) {
		refuse(s, reason, "the session keeps no more screenshots");
		return;
	}
	if (t->dialog && !last) { /* it would not be painted */
		refuse(s, reason, "the page waits for the answer to a dialog");
		return;
	}
	if (s->n == WAITING_MAX)
		s->n--;
	s->waiting[s->n++] = (struct wanted){ t, reason };
	s->interval_at = mono_us() + conf.shot_interval * 1000;
	take_next(s);
}

static void
give_up(struct shots *s)
{
	log_event(
	    LOGP_NOTICE, "shot", "why=\"given up\" reason=%s", s->taking->what.reason);
	refuse(s, s->taking->what.reason, "the page does not paint");
	taken(s, s->taking->what.reason);
}

void
shots_tick(struct shots *s)
{
	if (s->taking != NULL && mono_us() - s->since > TAKE_US)
		give_up(s);
	if (s->interval_at == 0)
		s->interval_at = mono_us() + conf.shot_interval * 1000;
	if (s->r->stage == STAGE_RUNNING && s->r->active != NULL &&
	    mono_us() > s->interval_at) {
		s->interval_at = 0;
		shots_take(s, s->r->active, "interval");
	}
}

/* A picture that is being taken while its document goes is never answered. One of a load is of what went. */
void
shots_moved(struct shots *s, const struct tab *t)
{
	struct wanted what;

	if (s->taking == NULL || s->taking->what.tab != t)
		return;
	what = s->taking->what;
	s->taking = NULL;
	if (strcmp(what.reason, "load") != 0 && s->n < WAITING_MAX) {
		memmove(s->waiting + 1, s->waiting, s->n * sizeof(s->waiting[0]));
		s->waiting[0] = what;
		s->n++;
	}
	take_next(s);
}

void
shots_forget(struct shots *s, const struct tab *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->waiting[i].tab != t)
			s->waiting[kept++] = s->waiting[i];
	s->n = kept;
	if (s->taking != NULL && s->taking->what.tab == t)
		give_up(s);
}

void
shots_refused(struct shots *s, struct str why)
{
	s->refused = true;
	if (s->r->live != NULL)
		live_error(
		    s->r->live, &(struct stream_error){ .code = STR("shot_refused"),
				    .message = why,
				    .to = STR("shot"),
				    .field = STR("") });
}
