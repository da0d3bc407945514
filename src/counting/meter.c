/* SPDX-License-Identifier: ISC */
/* A worker's side of the mapping: admission over the limits of one request, by compare-and-swap. */
#include "config.h"

#include "counting/meter_priv.h"
#include "daemon/conf.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	ASK_AGAIN_US = 50000, /* an ask may have been lost with the meter that read it */
};

struct meter_link {
	struct meter_file file;
	struct journal *journal; /* NULL: all are held by others */
	int sock;
	struct sockaddr_un to;
};

struct meter_link *
meter_new(void)
{
	struct meter_link *m = mem_zero(sizeof(*m));

	m->to.sun_family = AF_UNIX;
	if (!meter_socket_name(m->to.sun_path, sizeof(m->to.sun_path)))
		panic("too long a name"); /* UNCOVERED: tbl/params.h bounds it */
	m->sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (m->sock < 0)
		panic("no socket"); /* UNCOVERED: no descriptor is left */
	return m;
}

static bool
open_file(struct meter_link *m)
{
	if (m->file.head != NULL)
		return true;
	if (!meter_file_open(&m->file))
		return false;
	m->journal = journal_join(&m->file);
	return true;
}

static void
close_file(struct meter_link *m)
{
	meter_file_close(&m->file);
	m->journal = NULL;
}

void
meter_free(struct meter_link *m)
{
	close_file(m);
	close(m->sock);
	free(m);
}

const struct meter_file *
meter_view(struct meter_link *m)
{
	return open_file(m) ? &m->file : NULL;
}

/* ---- one rate: a fixed window ---- */

struct window {
	uint32_t start, count, limit, seconds;
};

/* A window begins with the first request that finds none. The request may have read the clock before
   another worker began the window: then it belongs to that window too. */
static struct window
window_at(const struct slot *s, uint64_t word, int64_t boot)
{
	uint64_t limit = atomic_load(&s->limit);
	struct window w = { .limit = (uint32_t)(limit >> 32),
		.seconds = (uint32_t)limit };
	int64_t second = boot / SECOND_US, start = (int64_t)(word >> 32);

	if (w.seconds == 0)
		panic("a rate without a window"); /* UNCOVERED: the database checks it */
	w.start = (uint32_t)second;
	if (second - start < w.seconds && start - second < w.seconds) {
		w.start = (uint32_t)start;
		w.count = (uint32_t)word;
	}
	return w;
}

static int64_t
seconds_of(int64_t us)
{
	return us <= SECOND_US ? 1 : (us + SECOND_US - 1) / SECOND_US;
}

/* Never longer than the window. */
static int64_t
window_reset(const struct window *w, int64_t boot)
{
	int64_t wait = seconds_of(((int64_t)w->start + w->seconds) * SECOND_US - boot);

	return wait < w->seconds ? wait : w->seconds;
}

static bool
rate_take(struct slot *s, int64_t boot, struct window *w)
{
	uint64_t word = atomic_load(&s->word);

	do {
		*w = window_at(s, word, boot);
		if (w->count >= w->limit)
			return false; /* UNCOVERED: since the survey another took the last */
		w->count++;
	} while (!atomic_compare_exchange_weak(
	    &s->word, &word, (uint64_t)w->start << 32 | w->count));
	return true;
}

/* In a later window there is nothing to give back. */
static void
rate_return(struct slot *s, uint32_t start)
{
	uint64_t word = atomic_load(&s->word);

	do {
		if (word >> 32 != start || (uint32_t)word == 0)
			return;
	} while (!atomic_compare_exchange_weak(&s->word, &word, word - 1));
}

/* ---- one quota ---- */

/* Nothing was left when the meter asked last, which may be a while ago. */
static bool
was_exhausted(const struct slot *s)
{
	return atomic_load(&s->until) != 0;
}

static bool
is_exhausted(const struct slot *s)
{
	return atomic_load(&s->until) > (uint32_t)(mono_us() / SECOND_US);
}

/* ---- all of a request ---- */

struct plan {
	struct slot *slots[SLOT_KINDS]; /* NULL: not of this request, or lacking */
	bool lacks;
	enum meter_rc refusal; /* METER_ADMITTED: none yet */
};

static const struct {
	enum meter_charge charge;
	enum meter_rc refusal; /* usage refuses nobody */
} kinds[SLOT_KINDS] = {
	[SLOT_KEY_RATE] = { CHARGE_RATE, METER_KEY_RATE },
	[SLOT_ACCOUNT_RATE] = { CHARGE_SEARCH_RATE, METER_ACCOUNT_RATE },
	[SLOT_ACCOUNT_QUOTA] = { CHARGE_QUOTA, METER_ACCOUNT_QUOTA },
	[SLOT_GROUP_QUOTA] = { CHARGE_QUOTA, METER_GROUP_QUOTA },
	[SLOT_KEY_USAGE] = { CHARGE_QUOTA, METER_ADMITTED },
};

/* NULL: this kind does not count for the request. */
static const struct uuid *
owner_of(const struct meter_who *who, enum slot_kind kind)
{
	static const struct uuid none;

	if ((who->charges & kinds[kind].charge) == 0)
		return NULL;
	switch (kind) {
	case SLOT_KEY_RATE:
	case SLOT_KEY_USAGE:
		return &who->key;
	case SLOT_ACCOUNT_RATE:
	case SLOT_ACCOUNT_QUOTA:
		return &who->account;
	case SLOT_GROUP_QUOTA:
		return uuid_cmp(&who->group, &none) == 0 ? NULL : &who->group;
	case SLOT_KINDS: /* UNCOVERED: none */
		break;   /* UNCOVERED: none */
	}
	panic("slot kind %d", (int)kind); /* UNCOVERED: there is no other */
}

static uint32_t
period_of(enum slot_kind kind, struct ts now)
{
	switch (kind) {
	case SLOT_KEY_RATE:
	case SLOT_ACCOUNT_RATE:
		return 0;
	case SLOT_ACCOUNT_QUOTA:
	case SLOT_GROUP_QUOTA:
		return meter_month(now);
	case SLOT_KEY_USAGE:
		return meter_day(now);
	case SLOT_KINDS: /* UNCOVERED: none */
		break;   /* UNCOVERED: none */
	}
	panic("slot kind %d", (int)kind); /* UNCOVERED: there is no other */
}

/* The first that refuses names the code, the longest wait is what the client is told (C-068). */
static void
refuse(struct plan *p, struct meter_ticket *t, enum slot_kind kind, int64_t wait)
{
	if (p->refusal == METER_ADMITTED)
		p->refusal = kinds[kind].refusal;
	if (wait > t->retry_after)
		t->retry_after = wait;
}

static void
look_at_rate(struct plan *p, struct meter_ticket *t, enum slot_kind kind, int64_t boot)
{
	const struct slot *s = p->slots[kind];
	struct window w = window_at(s, atomic_load(&s->word), boot);

	if (kind == SLOT_KEY_RATE) {
		t->limit = w.limit;
		t->seconds = w.seconds;
		t->remaining = w.count < w.limit ? w.limit - w.count : 0;
		t->reset = window_reset(&w, boot);
	}
	if (w.count >= w.limit)
		refuse(p, t, kind, window_reset(&w, boot));
}

static void
look_at(struct plan *p, struct meter_ticket *t, enum slot_kind kind, int64_t boot,
    struct ts now)
{
	switch (kind) {
	case SLOT_KEY_RATE:
	case SLOT_ACCOUNT_RATE:
		look_at_rate(p, t, kind, boot);
		return;
	case SLOT_ACCOUNT_QUOTA:
	case SLOT_GROUP_QUOTA:
		if (slot_left(p->slots[kind]) > 0)
			return;
		/* For how long to wait, where another limit refuses anyway, the old answer is good. */
		if (is_exhausted(p->slots[kind]) ||
		    (p->refusal != METER_ADMITTED && was_exhausted(p->slots[kind])))
			refuse(p, t, kind,
			    seconds_of(
				meter_month_start(meter_month(now) + 1).us - now.us));
		else
			p->lacks = true;
		return;
	case SLOT_KEY_USAGE:
		return;
	case SLOT_KINDS: /* UNCOVERED: none */
		break;   /* UNCOVERED: none */
	}
	panic("slot kind %d", (int)kind); /* UNCOVERED: there is no other */
}

/* Takes nothing: so a request that one limit refuses does not disturb the others. */
static struct plan
survey(const struct meter_link *m, const struct meter_who *who, struct meter_ticket *t)
{
	struct plan p = { .refusal = METER_ADMITTED };
	struct ts now = meter_time(&m->file, who->boot);

	*t = (struct meter_ticket){ 0 };
	for (enum slot_kind k = 0; k < SLOT_KINDS; k++) {
		const struct uuid *owner = owner_of(who, k);

		if (owner == NULL)
			continue;
		p.slots[k] = meter_find(&m->file, k, owner, period_of(k, now));
		if (p.slots[k] == NULL)
			p.lacks = true;
		else
			look_at(&p, t, k, who->boot, now);
	}
	return p;
}

static void
ask(struct meter_link *m, const struct meter_who *who)
{
	struct meter_ask a = { .magic = METER_ASK_MAGIC,
		.key = who->key,
		.account = who->account,
		.group = who->group };
	struct ts now;

	if (m->file.head == NULL)
		return;
	now = meter_time(&m->file, who->boot);
	a.month = meter_month(now);
	a.day = meter_day(now);

	/* A full queue or no meter: whoever needs the answer asks again. */
	(void)sendto(m->sock, &a, sizeof(a), MSG_DONTWAIT | MSG_NOSIGNAL,
	    (const struct sockaddr *)&m->to, sizeof(m->to));
}

static bool
take(struct meter_link *m, const struct meter_who *who, struct slot *s, enum slot_kind k,
    struct meter_ticket *t)
{
	struct window w;
	uint64_t left;

	switch (k) {
	case SLOT_KEY_RATE:
	case SLOT_ACCOUNT_RATE:
		if (!rate_take(s, who->boot, &w))
			return false; /* UNCOVERED: the same */
		t->window[k] = w.start;
		if (k == SLOT_KEY_RATE)
			t->remaining = w.limit - w.count;
		break;
	case SLOT_ACCOUNT_QUOTA:
	case SLOT_GROUP_QUOTA:
		if (!charge_take(&m->file, m->journal, k, s, &left))
			return false;
		if (left > 0 && left == atomic_load(&s->mark))
			ask(m, who); /* the next lease comes before this one ends */
		break;
	case SLOT_KEY_USAGE:
		if (!charge_take(&m->file, m->journal, k, s, &left))
			panic("usage refuses"); /* UNCOVERED: it has no limit */
		break;
	case SLOT_KINDS:                       /* UNCOVERED: none */
		panic("slot kind %d", (int)k); /* UNCOVERED: there is no other */
	}
	t->taken[k] = s;
	return true;
}

/* False when another request was quicker: nothing is taken then. */
static bool
take_all(struct meter_link *m, const struct meter_who *who, const struct plan *p,
    struct meter_ticket *t)
{
	t->charged = true;
	charge_begin(m->journal, who->request);
	for (enum slot_kind k = 0; k < SLOT_KINDS; k++) {
		if (p->slots[k] == NULL || take(m, who, p->slots[k], k, t))
			continue;
		meter_give_back(m, t);
		return false;
	}
	charge_phase(m->journal, PHASE_CHARGED);
	return true;
}

void
meter_answering(struct meter_link *m)
{
	if (m->journal != NULL && atomic_load(&m->journal->phase) == PHASE_CHARGED)
		charge_phase(m->journal, PHASE_ANSWERING);
}

void
meter_answered(struct meter_link *m)
{
	charge_keep(m->journal);
}

void
meter_give_back(struct meter_link *m, struct meter_ticket *t)
{
	if (!t->charged)
		return;
	t->charged = false;
	for (enum slot_kind k = 0; k < SLOT_KINDS; k++) {
		struct slot *s = t->taken[k];

		t->taken[k] = NULL;
		if (s == NULL)
			continue;
		if (k == SLOT_KEY_RATE || k == SLOT_ACCOUNT_RATE)
			rate_return(s, t->window[k]);
		else if (m->journal == NULL)
			charge_return_unnoted(
			    &m->file, s); /* UNCOVERED: as many workers as journals */
	}
	if (m->journal != NULL)
		charge_return(&m->file, m->journal);
}

/* The worker that had this request before died, and nginx repeats it: its charge goes on. The rate too was charged. */
static bool
adopt(struct meter_link *m, const struct meter_who *who, struct meter_ticket *t)
{
	const struct uuid *owners[JOURNAL_ENTRIES];
	struct journal *j;

	if (who->request == 0 || (who->charges & CHARGE_QUOTA) == 0)
		return false;
	for (int i = 0; i < JOURNAL_ENTRIES; i++)
		owners[i] = owner_of(who, (enum slot_kind)(SLOT_ACCOUNT_QUOTA + i));
	j = journal_adopt(&m->file, m->journal, who->request, owners);
	if (j == NULL)
		return false;
	m->journal = j;
	(void)survey(m, who, t); /* for the headers */
	t->charged = true;
	return true;
}

/* A pause also where there is nothing yet to wait on. */
static void
pause_for_meter(struct meter_link *m, uint32_t news, int64_t us)
{
	struct timespec wait = { .tv_nsec = us / 4 * 1000 };

	if (m->file.head != NULL)
		meter_await(&m->file, news, us);
	else
		nanosleep(&wait, NULL);
}

/* False: the time is up. */
static bool
wait_for_meter(
    struct meter_link *m, const struct meter_who *who, uint32_t news, int64_t deadline)
{
	int64_t left = deadline - mono_us();

	if (left <= 0)
		return false;
	ask(m, who);
	pause_for_meter(m, news, left < ASK_AGAIN_US ? left : ASK_AGAIN_US);
	if (m->file.head != NULL && meter_file_replaced(&m->file))
		close_file(m);
	return true;
}

enum meter_rc
meter_admit(struct meter_link *m, const struct meter_who *who, struct meter_ticket *out)
{
	int64_t deadline = mono_us() + conf.meter_wait * 1000;
	bool asked = false;
	uint32_t news = 0;

	if (who->deadline < deadline)
		deadline = who->deadline;
	do {
		*out = (struct meter_ticket){ 0 };
		if (!open_file(m))
			continue;
		if (!asked && adopt(m, who, out))
			return METER_ADMITTED;
		news = atomic_load(&m->file.head->news);
		for (;;) {
			struct plan p = survey(m, who, out);

			/* The longest wait may be that of a quota which is not known yet. */
			if (p.refusal != METER_ADMITTED && (asked || !p.lacks))
				return p.refusal;
			if (p.lacks)
				break;
			if (take_all(m, who, &p, out))
				return METER_ADMITTED;
		}
		asked = true;
	} while (wait_for_meter(m, who, news, deadline));
	return METER_UNAVAILABLE;
}
