/* SPDX-License-Identifier: ISC */
/* A worker's side of the mapping: admits a request by all its limits, or by none.
 * counting/meter.h has the protocol and the life of a request.
 *
 * The difficulty is that several counters must change together, without a lock and while other
 * workers change them. So the worker looks at all of them first (survey), takes one unit after
 * the other (take_planned), and gives back what it has taken when another worker was quicker in
 * one of them. A refusal takes nothing from any limit, and names the first limit in the order of
 * C-068. */
#include "config.h"

#include "counting/admit.h"
#include "counting/meter_priv.h"
#include "daemon/conf.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	ASK_AGAIN_US = 50000, /* a meter that was killed may have lost the question */
};

struct meter_link {
	struct meter_file file;
	struct journal *journal; /* NULL: other workers hold all of them */
	int sock;
	struct sockaddr_un to;
};

struct meter_link *
meter_new(void)
{
	struct meter_link *m = mem_zero(sizeof(*m));

	m->to.sun_family = AF_UNIX;
	if (!meter_socket_name(m->to.sun_path, sizeof(m->to.sun_path)))
		panic(
		    "the meter's socket name is too long"); /* UNCOVERED: tbl/params.h bounds it */
	m->sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (m->sock < 0)
		panic("no socket for the meter"); /* UNCOVERED: no descriptor is left */
	return m;
}

static bool
open_mapping(struct meter_link *m)
{
	if (m->file.head != NULL)
		return true;
	if (!meter_file_open(&m->file))
		return false;
	m->journal = journal_join(&m->file);
	return true;
}

static void
close_mapping(struct meter_link *m)
{
	meter_file_close(&m->file);
	m->journal = NULL;
}

/* Only between two requests: the ticket of a request points into the mapping that it was charged
   in. */
static bool
open_current_mapping(struct meter_link *m)
{
	if (m->file.head != NULL && meter_file_replaced(&m->file))
		close_mapping(m);
	return open_mapping(m);
}

void
meter_free(struct meter_link *m)
{
	close_mapping(m);
	close(m->sock);
	free(m);
}

const struct meter_file *
meter_view(struct meter_link *m)
{
	return open_mapping(m) ? &m->file : NULL;
}

/* ---- one rate: a fixed window ---- */

struct window {
	uint32_t start, count, limit, seconds;
};

/* The window of a request: the current one, or a new one that begins with it. A request that read
   the clock before another worker began the window belongs to that window too. */
static struct window
window_at(const struct slot *s, uint64_t word, int64_t boot)
{
	uint64_t limit = atomic_load(&s->limit);
	struct window w = { .limit = (uint32_t)(limit >> 32), .seconds = (uint32_t)limit };
	int64_t second = boot / SECOND_US, start = (int64_t)(word >> 32);

	if (w.seconds == 0)
		panic("a rate whose window is 0 s"); /* UNCOVERED: the database checks it */
	w.start = (uint32_t)second;
	if (second - start < w.seconds && start - second < w.seconds) {
		w.start = (uint32_t)start;
		w.count = (uint32_t)word;
	}
	return w;
}

static int64_t
seconds_rounded_up(int64_t us)
{
	return us <= SECOND_US ? 1 : (us + SECOND_US - 1) / SECOND_US;
}

/* Seconds to the end of the window, at most its length. */
static int64_t
window_reset(const struct window *w, int64_t boot)
{
	int64_t wait = seconds_rounded_up(((int64_t)w->start + w->seconds) * SECOND_US - boot);

	return wait < w->seconds ? wait : w->seconds;
}

static bool
take_from_rate(struct slot *s, int64_t boot, struct window *w)
{
	uint64_t word = atomic_load(&s->word);

	do {
		*w = window_at(s, word, boot);
		if (w->count >= w->limit)
			return false; /* UNCOVERED: another worker took the last unit meanwhile */
		w->count++;
	} while (
	    !atomic_compare_exchange_weak(&s->word, &word, (uint64_t)w->start << 32 | w->count));
	return true;
}

/* Does nothing when another window has begun, which does not contain the unit. */
static void
return_to_rate(struct slot *s, uint32_t start)
{
	uint64_t word = atomic_load(&s->word);

	do {
		if (word >> 32 != start || (uint32_t)word == 0)
			return;
	} while (!atomic_compare_exchange_weak(&s->word, &word, word - 1));
}

/* ---- one quota ---- */

/* True when nothing was left the last time the meter asked PostgreSQL, however long ago. */
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
	struct slot *slots[SLOT_KINDS]; /* NULL: the kind does not count, or is missing */
	bool lacks;                     /* a slot or a lease, which the meter must provide */
	enum meter_rc refusal;          /* METER_ADMITTED: none yet */
};

static const struct {
	enum meter_charge charge;
	enum meter_rc refusal; /* METER_ADMITTED: never refuses */
} kinds[SLOT_KINDS] = {
	[SLOT_KEY_RATE] = { CHARGE_RATE, METER_KEY_RATE },
	[SLOT_ACCOUNT_RATE] = { CHARGE_SEARCH_RATE, METER_ACCOUNT_RATE },
	[SLOT_ACCOUNT_QUOTA] = { CHARGE_QUOTA, METER_ACCOUNT_QUOTA },
	[SLOT_GROUP_QUOTA] = { CHARGE_QUOTA, METER_GROUP_QUOTA },
	[SLOT_KEY_USAGE] = { CHARGE_QUOTA, METER_ADMITTED },
};

/* The owner of the slot that counts the request; NULL: this kind does not count it. */
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

/* The first limit that refuses gives the error code, the longest wait gives Retry-After (C-068). */
static void
note_refusal(struct plan *p, struct meter_ticket *t, enum slot_kind kind, int64_t wait)
{
	if (p->refusal == METER_ADMITTED)
		p->refusal = kinds[kind].refusal;
	if (wait > t->retry_after)
		t->retry_after = wait;
}

static void
survey_rate(struct plan *p, struct meter_ticket *t, enum slot_kind kind, int64_t boot)
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
		note_refusal(p, t, kind, window_reset(&w, boot));
}

static void
survey_slot(
    struct plan *p, struct meter_ticket *t, enum slot_kind kind, int64_t boot, struct ts now)
{
	switch (kind) {
	case SLOT_KEY_RATE:
	case SLOT_ACCOUNT_RATE:
		survey_rate(p, t, kind, boot);
		return;
	case SLOT_ACCOUNT_QUOTA:
	case SLOT_GROUP_QUOTA:
		if (slot_left(p->slots[kind]) > 0)
			return;
		/* When another limit refuses anyway, an old answer is good enough to compute the
		   wait, and the meter need not be asked again. */
		if (is_exhausted(p->slots[kind]) ||
		    (p->refusal != METER_ADMITTED && was_exhausted(p->slots[kind])))
			note_refusal(p, t, kind,
			    seconds_rounded_up(
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

/* Looks at all limits of the request and takes nothing, so that a request which one limit refuses
   leaves the others untouched. */
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
			survey_slot(&p, t, k, who->boot, now);
	}
	return p;
}

static void
ask_meter(struct meter_link *m, const struct meter_who *who)
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

	/* Fails when the queue is full or no meter runs; wait_for_meter repeats the question. */
	(void)sendto(m->sock, &a, sizeof(a), MSG_DONTWAIT | MSG_NOSIGNAL,
	    (const struct sockaddr *)&m->to, sizeof(m->to));
}

static bool
take_unit(struct meter_link *m, const struct meter_who *who, struct slot *s, enum slot_kind k,
    struct meter_ticket *t)
{
	struct window w;
	uint64_t left;

	switch (k) {
	case SLOT_KEY_RATE:
	case SLOT_ACCOUNT_RATE:
		if (!take_from_rate(s, who->boot, &w))
			return false; /* UNCOVERED: as in take_from_rate */
		t->window[k] = w.start;
		if (k == SLOT_KEY_RATE)
			t->remaining = w.limit - w.count;
		break;
	case SLOT_ACCOUNT_QUOTA:
	case SLOT_GROUP_QUOTA:
		if (!charge_take(&m->file, m->journal, k, s, &left))
			return false;
		if (left > 0 && left == atomic_load(&s->mark))
			ask_meter(m, who); /* so that the next lease arrives in time */
		break;
	case SLOT_KEY_USAGE:
		if (!charge_take(&m->file, m->journal, k, s, &left))
			panic("a usage slot refused a unit"); /* UNCOVERED: it has no limit */
		break;
	case SLOT_KINDS:                       /* UNCOVERED: none */
		panic("slot kind %d", (int)k); /* UNCOVERED: there is no other */
	}
	t->taken[k] = s;
	return true;
}

/* False when another worker took the last unit of a slot in the meantime; nothing is taken then. */
static bool
take_planned(
    struct meter_link *m, const struct meter_who *who, const struct plan *p, struct meter_ticket *t)
{
	t->charged = true;
	charge_begin(m->journal, who->request);
	for (enum slot_kind k = 0; k < SLOT_KINDS; k++) {
		if (p->slots[k] == NULL || take_unit(m, who, p->slots[k], k, t))
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
			return_to_rate(s, t->window[k]);
		else if (m->journal == NULL)
			charge_return_unnoted(
			    &m->file, s); /* UNCOVERED: needs more workers than journals */
	}
	if (m->journal != NULL)
		charge_return(&m->file, m->journal);
}

/* Adopts the charge of a worker that died with this request, which nginx has sent again. Rates were
   charged then too, and are not charged again. */
static bool
adopt_charge(struct meter_link *m, const struct meter_who *who, struct meter_ticket *t)
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

/* Waits for an answer of the meter; sleeps for a moment when there is no mapping whose futex could
   wake it. */
static void
pause_for_meter(struct meter_link *m, uint32_t seen, int64_t us)
{
	struct timespec wait = { .tv_nsec = us / 4 * 1000 };

	if (m->file.head != NULL)
		meter_await_answer(&m->file, seen, us);
	else
		nanosleep(&wait, NULL);
}

/* False: the deadline has passed. */
static bool
wait_for_meter(struct meter_link *m, const struct meter_who *who, uint32_t seen, int64_t deadline)
{
	int64_t left = deadline - mono_us();

	if (left <= 0)
		return false;
	ask_meter(m, who);
	pause_for_meter(m, seen, left < ASK_AGAIN_US ? left : ASK_AGAIN_US);
	return true;
}

/* Admits or refuses a request. The meter is asked for a slot or a lease that is missing, and
 * awaited for at most conf.meter_wait, or the deadline of the request.
 *
 *   seen = answers ---> survey: a slot is missing ---> ask ---> sleep while answers == seen
 *                               ^ an answer that comes here changes the futex: no sleep at all
 *
 * `seen` is read before the survey, so that no answer is slept through. Each round begins with
 * the mapping of the present, because the file may have been replaced while the worker slept.
 * The charge of a killed worker is looked for once, before the meter is asked. */
enum meter_rc
meter_admit(struct meter_link *m, const struct meter_who *who, struct meter_ticket *out)
{
	int64_t deadline = mono_us() + conf.meter_wait * 1000;
	bool asked = false;
	uint32_t seen = 0;

	if (who->deadline < deadline)
		deadline = who->deadline;
	do {
		*out = (struct meter_ticket){ 0 };
		if (!open_current_mapping(m))
			continue;
		if (!asked && adopt_charge(m, who, out))
			return METER_ADMITTED;
		seen = atomic_load(&m->file.head->answers);
		for (;;) {
			struct plan p = survey(m, who, out);

			/* Retry-After is the longest wait, and that may be the wait of a quota
			   whose slot is missing: the meter is asked once before the refusal. */
			if (p.refusal != METER_ADMITTED && (asked || !p.lacks))
				return p.refusal;
			if (p.lacks)
				break;
			if (take_planned(m, who, &p, out))
				return METER_ADMITTED;
		}
		asked = true;
	} while (wait_for_meter(m, who, seen, deadline));
	return METER_UNAVAILABLE;
}
