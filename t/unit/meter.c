/* SPDX-License-Identifier: ISC */
/* src/counting/meter*, metrics: the mapping, its table, admission, and processes killed in the middle of it. */
#include "config.h"

#include "counting/admit.h"
#include "counting/meter.h"
#include "counting/metrics.h"
#include "daemon/conf.h"
#include "t/unit/tap.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/surfaced-meter.XXXXXX";
static struct meter_file file;
static struct meter_link *worker;

enum { WAIT_MS = 200, PATIENT_MS = 60000 };

static const struct ts START = { INT64_C(1800000000) * 1000000 };

static struct ts
after(double seconds)
{
	return (struct ts){ START.us + (int64_t)(seconds * 1e6) };
}

static struct slot *
slot(enum slot_kind kind, struct uuid owner, uint32_t period, uint64_t limit)
{
	struct slot *s = meter_add(&file, kind, &owner, period);

	if (s == NULL)
		panic("the table is full");
	atomic_store(&s->limit, limit);
	slot_publish(s);
	return s;
}

struct set {
	struct meter_who who;
	struct slot *slots[SLOT_KINDS];
};

/* A key with all its counters, each with this many left. */
static struct set
fresh(uint64_t rate, uint64_t seconds, uint64_t quota)
{
	struct set s = { .who = { .key = uuid_random(),
			     .account = uuid_random(),
			     .group = uuid_random(),
			     .charges = CHARGE_RATE | CHARGE_SEARCH_RATE | CHARGE_QUOTA,
			     .boot = START.us,
			     .deadline = INT64_MAX } };
	uint32_t month = meter_month(START);

	s.slots[0] = slot(SLOT_KEY_RATE, s.who.key, 0, rate << 32 | seconds);
	s.slots[1] = slot(SLOT_ACCOUNT_RATE, s.who.account, 0, rate << 32 | seconds);
	s.slots[2] = slot(SLOT_ACCOUNT_QUOTA, s.who.account, month, quota);
	s.slots[3] = slot(SLOT_GROUP_QUOTA, s.who.group, month, quota);
	s.slots[4] = slot(SLOT_KEY_USAGE, s.who.key, meter_day(START), 0);
	for (int i = 2; i < 4; i++) /* the meter has said that there is no more */
		atomic_store(&s.slots[i]->until, UINT32_MAX);
	return s;
}

static enum meter_rc
admit(const struct set *s, double at, struct meter_ticket *t)
{
	struct meter_who who = s->who;

	who.boot = after(at).us;
	return meter_admit(worker, &who, t);
}

/* ---- tests ---- */

static void
periods_follow_the_calendar(void)
{
	static const struct {
		const char *text;
		uint32_t month;
	} rows[] = { { "1970-01-01", 1970 * 12 }, { "2000-02-29", 2000 * 12 + 1 },
		{ "2026-12-31", 2026 * 12 + 11 }, { "2027-01-01", 2027 * 12 },
		{ "2100-03-01", 2100 * 12 + 2 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ts t;

		CU_ASSERT(ts_parse_date(str_of(rows[i].text), &t));
		CU_ASSERT_EQUAL(meter_month(t), rows[i].month);
		CU_ASSERT_EQUAL(meter_day_start(meter_day(t)).us, t.us);
	}
	for (uint32_t m = 1970 * 12 + 1; m < 2106 * 12; m++) {
		struct ts t = meter_month_start(m);

		CU_ASSERT_EQUAL(meter_month(t), m);
		CU_ASSERT_EQUAL(meter_month((struct ts){ t.us - 1 }), m - 1);
	}
}

static void
a_rate_is_a_window(void)
{
	struct set s = fresh(2, 60, 100);
	struct meter_ticket t;

	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(t.limit, 2);
	CU_ASSERT_EQUAL(t.seconds, 60);
	CU_ASSERT_EQUAL(t.remaining, 1);
	CU_ASSERT_EQUAL(t.reset, 60);
	CU_ASSERT_EQUAL(admit(&s, 10.5, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(admit(&s, 10.5, &t), METER_KEY_RATE);
	CU_ASSERT_EQUAL(t.retry_after, 50); /* rounded up */
	CU_ASSERT_EQUAL(t.remaining, 0);
	CU_ASSERT_EQUAL(admit(&s, 59.999, &t), METER_KEY_RATE);
	CU_ASSERT_EQUAL(t.retry_after, 1);
	CU_ASSERT_EQUAL(admit(&s, 60, &t), METER_ADMITTED);
	/* A request that read the clock before another worker began the window belongs to that window. */
	CU_ASSERT_EQUAL(admit(&s, 30, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(admit(&s, 30, &t), METER_KEY_RATE);
	CU_ASSERT_EQUAL(t.retry_after, 60);
	CU_ASSERT_EQUAL(admit(&s, 120, &t), METER_ADMITTED);
	/* The window is as long as the limit is now, and begins with its first request. */
	for (int i = 0; i < 2; i++)
		atomic_store(&s.slots[i]->limit, UINT64_C(2) << 32 | 10);
	CU_ASSERT_EQUAL(admit(&s, 129.5, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(t.reset, 1);
	CU_ASSERT_EQUAL(admit(&s, 137, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(t.reset, 10);
	CU_ASSERT_EQUAL(slot_used(s.slots[2]), 7);
}

/* The wall clock was ahead by an hour or by days when the window began. */
static void
a_wait_is_within_its_window(void)
{
	static const int64_t ahead[] = { 1, 59, 60, 3600, 86400, 40 * 86400 };

	for (size_t i = 0; i < COUNT(ahead); i++) {
		struct set s = fresh(1, 60, 100);
		struct meter_ticket t;

		atomic_store(
		    &s.slots[0]->word, (uint64_t)(START.us / SECOND_US + ahead[i]) << 32 | 1);
		if (admit(&s, 0, &t) != METER_ADMITTED) {
			CU_ASSERT(ahead[i] < 60);
			CU_ASSERT(t.retry_after <= 60);
		}
		CU_ASSERT(t.reset <= 60);
	}
}

/* The month and the day are those of PostgreSQL's clock, whatever this host's is. */
static void
a_month_follows_the_epoch(void)
{
	struct set s = fresh(100, 60, 10);
	uint32_t next = meter_month(START) + 1;
	int64_t left = meter_month_start(next).us - START.us;
	struct meter_ticket t;

	atomic_store(&file.head->epoch_us, left);
	slot(SLOT_KEY_USAGE, s.who.key, meter_day(meter_month_start(next)), 0);
	slot(SLOT_ACCOUNT_QUOTA, s.who.account, next, 10);
	slot(SLOT_GROUP_QUOTA, s.who.group, next, 10);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(slot_used(s.slots[2]), 0);
	atomic_store(&file.head->epoch_us, 0);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(slot_used(s.slots[2]), 1);
}

static void
refusals_are_ordered(void)
{
	struct set s = fresh(1, 60, 1);
	struct meter_ticket t;
	int64_t month_end = (meter_month_start(meter_month(START) + 1).us - START.us) / 1000000;

	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_KEY_RATE);
	CU_ASSERT_EQUAL(t.retry_after, month_end);
	atomic_store(&s.slots[0]->limit, UINT64_C(9) << 32 | 60);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ACCOUNT_RATE);
	atomic_store(&s.slots[1]->limit, UINT64_C(9) << 32 | 60);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ACCOUNT_QUOTA);
	atomic_store(&s.slots[2]->limit, 9);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_GROUP_QUOTA);
	CU_ASSERT_EQUAL(t.retry_after, month_end);
	/* None of them took anything. */
	CU_ASSERT_EQUAL(atomic_load(&s.slots[0]->word) & UINT32_MAX, 1);
	CU_ASSERT_EQUAL(atomic_load(&s.slots[1]->word) & UINT32_MAX, 1);
	CU_ASSERT_EQUAL(slot_used(s.slots[2]), 1);
	CU_ASSERT_EQUAL(slot_used(s.slots[4]), 1);
	s.who.charges = CHARGE_RATE;
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(slot_used(s.slots[4]), 1);
}

static void
what_is_given_back_can_be_taken_again(void)
{
	struct set s = fresh(1, 60, 1);
	struct meter_ticket t, again;

	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	meter_give_back(worker, &t);
	meter_give_back(worker, &t); /* once */
	for (int i = 2; i < SLOT_KINDS; i++)
		CU_ASSERT_EQUAL(slot_used(s.slots[i]), 0);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(admit(&s, 0, &again), METER_KEY_RATE);
	meter_give_back(worker, &again);
	CU_ASSERT_EQUAL(slot_left(s.slots[2]), 0);
	/* In a later window a late answer takes nothing from it. */
	atomic_store(&s.slots[2]->limit, 9);
	atomic_store(&s.slots[3]->limit, 9);
	CU_ASSERT_EQUAL(admit(&s, 60, &again), METER_ADMITTED);
	meter_give_back(worker, &t);
	CU_ASSERT_EQUAL(admit(&s, 60, &t), METER_KEY_RATE);
}

static void
a_surrender_leaves_nothing(void)
{
	struct set s = fresh(100, 60, 10);
	struct meter_ticket t;

	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	CU_ASSERT_EQUAL(slot_surrender(&file, s.slots[2]), 9);
	CU_ASSERT_EQUAL(slot_surrender(&file, s.slots[2]), 0);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ACCOUNT_QUOTA);
	CU_ASSERT_EQUAL(slot_used(s.slots[2]), 1);
	atomic_fetch_add(&s.slots[2]->limit, 2);
	CU_ASSERT_EQUAL(slot_left(s.slots[2]), 2);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
}

static void
without_a_meter_it_is_closed(void)
{
	struct set s = fresh(100, 60, 10);
	struct meter_ticket t;
	int64_t began = mono_us();

	s.who.group = uuid_random(); /* unknown here */
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_UNAVAILABLE);
	CU_ASSERT(mono_us() - began >= conf.meter_wait * 1000);
	CU_ASSERT_EQUAL(slot_used(s.slots[2]), 0);
	s = fresh(100, 60, 10);
	atomic_store(&s.slots[2]->until, 0); /* nothing left, and nobody who says that it is all */
	atomic_store(&s.slots[2]->limit, 0);
	s.who.deadline = mono_us() + 20000;
	conf.meter_wait = PATIENT_MS;
	began = mono_us();
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_UNAVAILABLE);
	CU_ASSERT(mono_us() - began < conf.meter_wait * 1000);
	conf.meter_wait = WAIT_MS;
}

static void
a_lease_wakes_who_waits(void)
{
	struct set s = fresh(100, 60, 0);
	struct meter_ticket t;
	pid_t pid;

	atomic_store(&s.slots[2]->until, 0);
	atomic_store(&s.slots[3]->limit, 1);
	pid = fork();
	if (pid == 0) {
		usleep(30000);
		atomic_store(&s.slots[2]->limit, 1);
		meter_wake_workers(&file);
		_exit(0);
	}
	conf.meter_wait = PATIENT_MS;
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	conf.meter_wait = WAIT_MS;
	waitpid(pid, NULL, 0);
}

static void
slots_come_and_go(void)
{
	struct uuid owners[300];
	uint32_t n = file.head->slots;

	for (size_t i = 0; i < COUNT(owners); i++) {
		owners[i] = uuid_random();
		slot(SLOT_KEY_USAGE, owners[i], 7, 0);
	}
	for (size_t i = 0; i < COUNT(owners); i++) {
		struct slot *s = meter_find(&file, SLOT_KEY_USAGE, &owners[i], 7);

		CU_ASSERT_PTR_NOT_NULL_FATAL(s);
		CU_ASSERT_PTR_NULL(meter_find(&file, SLOT_KEY_USAGE, &owners[i], 8));
		CU_ASSERT_PTR_NULL(meter_find(&file, SLOT_KEY_RATE, &owners[i], 7));
		slot_retire(s);
		CU_ASSERT_PTR_NULL(meter_find(&file, SLOT_KEY_USAGE, &owners[i], 7));
		slot_free(&file, s);
	}
	/* The table is as empty as before, again and again. */
	for (uint32_t i = 0; i < 20 * n; i++) {
		struct uuid owner = uuid_random();

		slot_free(&file, slot(SLOT_KEY_USAGE, owner, 7, 0));
	}
}

/* A worker of its own, which dies at the end of body. */
#define KILLED(body)                                                                               \
	do {                                                                                       \
		pid_t pid = fork();                                                                \
                                                                                                   \
		if (pid == 0) {                                                                    \
			worker = meter_new();                                                      \
			body;                                                                      \
			raise(SIGKILL);                                                            \
		}                                                                                  \
		waitpid(pid, NULL, 0);                                                             \
	} while (0)

static bool
all_used(const struct set *s, uint64_t n)
{
	return slot_used(s->slots[2]) == n && slot_used(s->slots[3]) == n &&
	       slot_used(s->slots[4]) == n;
}

static struct journal *
journal_of(uint64_t request)
{
	for (uint32_t i = 0; i < METER_JOURNALS; i++)
		if (atomic_load(&file.journals[i].request) == request)
			return &file.journals[i];
	return NULL;
}

static void
a_charge_dies_with_its_worker(void)
{
	struct set s = fresh(100, 60, 10);
	struct meter_ticket t;

	s.who.request = 77;
	KILLED((void)admit(&s, 0, &t));
	CU_ASSERT(all_used(&s, 1));
	meter_settle_dead(&file);
	CU_ASSERT(all_used(&s, 0));
	meter_settle_dead(&file); /* once */
	CU_ASSERT(all_used(&s, 0));
	/* An answer that is under way is probably sent; its charge stays, at first for a repetition. */
	KILLED((void)admit(&s, 0, &t); meter_answering(worker));
	meter_settle_dead(&file);
	CU_ASSERT_PTR_NOT_NULL_FATAL(journal_of(77));
	atomic_fetch_sub(&journal_of(77)->since, 3600);
	meter_settle_dead(&file);
	CU_ASSERT(all_used(&s, 1));
	CU_ASSERT_PTR_NULL(journal_of(77));
	KILLED((void)admit(&s, 0, &t); meter_answering(worker); meter_answered(worker));
	meter_settle_dead(&file);
	CU_ASSERT(all_used(&s, 2));
	/* A live worker's charge is its own. */
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	meter_settle_dead(&file);
	CU_ASSERT(all_used(&s, 3));
	meter_give_back(worker, &t);
	CU_ASSERT(all_used(&s, 2));
}

static void
a_repeated_request_is_charged_once(void)
{
	struct set s = fresh(1, 60, 1), other = fresh(9, 60, 9);
	struct meter_ticket t;

	s.who.request = other.who.request = 78;
	for (int answering = 0; answering < 2; answering++) {
		KILLED((void)admit(&s, 0, &t); if (answering) meter_answering(worker));
		/* It has the last unit of the quota and of the rate, and takes no other. */
		CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
		CU_ASSERT(all_used(&s, 1));
		CU_ASSERT_EQUAL(t.limit, 1);
		if (answering == 0)
			meter_give_back(worker, &t);
		atomic_store(&s.slots[0]->word, 0);
		atomic_store(&s.slots[1]->word, 0);
	}
	meter_answering(worker);
	meter_answered(worker);
	CU_ASSERT(all_used(&s, 1));
	/* The identifier alone is not enough: the charge of another key is not taken over. */
	KILLED((void)admit(&other, 0, &t));
	s.who.request = 78;
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ACCOUNT_QUOTA);
	CU_ASSERT(all_used(&other, 0));
}

/* A worker that dies before it notes that it has counted, or given back, leaves the question to the numbers. */
static void
an_unnoted_count_is_found(void)
{
	for (int state = 1; state <= 3; state += 2)
		for (int happened = 0; happened < 2; happened++)
			for (int hidden = 0; hidden <= happened; hidden++) {
				struct set s = fresh(100, 60, 10);
				struct meter_ticket t;
				struct journal *j;
				_Atomic uint64_t *number;

				s.who.request = 79;
				KILLED((void)admit(&s, 0, &t));
				j = journal_of(79);
				CU_ASSERT_PTR_NOT_NULL_FATAL(j);
				number = state == 1 ? &s.slots[2]->word : &s.slots[2]->back;
				if (state == 3)
					atomic_store(
					    number, atomic_load(&j->entries[0]) >> 32 << 32 | 1);
				atomic_store(&j->entries[0],
				    (atomic_load(&j->entries[0]) & ~UINT64_C(3)) | (uint64_t)state);
				if (!happened)
					atomic_store(number, 0);
				s.who.request = 80;
				if (hidden) { /* by the next writers of both numbers */
					CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
					meter_give_back(worker, &t);
				}
				meter_settle_dead(&file);
				CU_ASSERT(all_used(&s, 0));
			}
}

static void
a_kill_loses_nothing(void)
{
	enum { WORKERS = 4, ROUNDS = 40, QUOTA = 300000 };
	struct set s = fresh(4000000000, 60, QUOTA);
	pid_t pids[WORKERS] = { 0 };
	struct meter_ticket t;

	for (int round = 0; round < ROUNDS * WORKERS; round++) {
		pid_t *pid = &pids[round % WORKERS];

		if (*pid > 0) {
			kill(*pid, SIGKILL);
			waitpid(*pid, NULL, 0);
		}
		*pid = fork();
		if (*pid == 0) {
			worker = meter_new();
			for (uint64_t n = 1;; n++) {
				s.who.request = (uint64_t)getpid() << 32 | n;
				if (admit(&s, 0, &t) != METER_ADMITTED)
					continue;
				if (n % 8 == 0)
					meter_give_back(worker, &t);
				else
					meter_answered(worker);
			}
		}
		usleep(1000);
	}
	for (int i = 0; i < WORKERS; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	for (uint32_t i = 0; i < METER_JOURNALS; i++)
		atomic_store(&file.journals[i].since, 0);
	meter_settle_dead(&file);
	CU_ASSERT(all_used(&s, slot_used(s.slots[4])));
	while (admit(&s, 0, &t) == METER_ADMITTED)
		meter_answered(worker);
	CU_ASSERT(all_used(&s, QUOTA));
}

static void
a_new_file_is_a_new_incarnation(void)
{
	struct uuid before = file.head->incarnation;
	struct meter_file again = { 0 };
	char err[256];

	CU_ASSERT_FATAL(meter_file_hold(&again, err, sizeof(err)));
	CU_ASSERT_EQUAL(uuid_cmp(&before, &again.head->incarnation), 0);
	again.head->boot_id[0] ^= 1; /* another boot */
	meter_file_close(&again);
	CU_ASSERT_FATAL(meter_file_hold(&again, err, sizeof(err)));
	CU_ASSERT_NOT_EQUAL(uuid_cmp(&before, &again.head->incarnation), 0);
	meter_file_close(&file);
	file = again;
	atomic_store(&file.head->epoch_us, 0);
}

/* A folder below dir, which conf names from here on; "" is dir itself. */
static const char *
run_in(const char *name)
{
	static char paths[8][64];
	static int n;
	char *path = paths[n++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	(void)mkdir(path, 0700);
	return conf.run_directory = path;
}

static void
without_a_file_it_is_closed(void)
{
	struct meter_link *lost;
	struct set s = fresh(100, 60, 10);
	struct meter_file none = { 0 };
	struct meter_ticket t;
	char err[256];

	run_in("empty");
	lost = meter_new();
	CU_ASSERT_PTR_NULL(meter_view(lost));
	s.who.deadline = mono_us() + 20000;
	CU_ASSERT_EQUAL(meter_admit(lost, &s.who, &t), METER_UNAVAILABLE);
	meter_free(lost);

	conf.run_directory = "/nonexistent";
	CU_ASSERT_FALSE(meter_file_hold(&none, err, sizeof(err)));
	CU_ASSERT_STRING_EQUAL(err, "/nonexistent/meter.map: No such file or directory");
	CU_ASSERT_EQUAL(meter_lock(), -1);
	run_in("");
}

static void
a_full_table_says_so(void)
{
	struct meter_file small = { 0 };
	size_t given = conf.meter_slots, n = 0;
	char err[256];

	run_in("small");
	conf.meter_slots = 64;
	CU_ASSERT_FATAL(meter_file_hold(&small, err, sizeof(err)));
	for (; n < 64; n++) {
		struct uuid owner = uuid_random();
		struct slot *s = meter_add(&small, SLOT_KEY_USAGE, &owner, 7);

		if (s == NULL)
			break;
		slot_publish(s);
	}
	CU_ASSERT(n >= 8 && n < 64);
	meter_file_close(&small);
	conf.meter_slots = given;
	run_in("");
}

static void
write_file(const char *name, size_t n)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", conf.run_directory, name);
	out = fopen(path, "we");
	if (out == NULL)
		panic("%s", path);
	for (size_t i = 0; i < n; i++)
		fputc('x', out);
	fclose(out);
}

static void
a_foreign_file_is_replaced(void)
{
	struct meter_file f = { 0 };
	char err[256];

	run_in("foreign");
	for (size_t n = 10; n < 100000; n *= 1000) {
		write_file("meter.map", n);
		CU_ASSERT(meter_file_hold(&f, err, sizeof(err)));
		meter_file_close(&f);
	}
	meter_file_drop(&file);
	CU_ASSERT(meter_file_hold(&f, err, sizeof(err)));
	meter_file_close(&f);
	run_in("");
}

static void
one_holds_the_lock(void)
{
	int held = meter_lock();

	CU_ASSERT_NOT_EQUAL(held, -1);
	CU_ASSERT_EQUAL(meter_lock(), -1);
	close(held);
	held = meter_lock();
	CU_ASSERT_NOT_EQUAL(held, -1);
	close(held);
}

/* Replaces the file by one with a unit for each limit of the set. */
static void
renew_file(const struct set *s, struct meter_file *old)
{
	char err[256];

	*old = file;
	meter_file_drop(&file);
	file = (struct meter_file){ 0 };
	CU_ASSERT_FATAL(meter_file_hold(&file, err, sizeof(err)));
	atomic_store(&file.head->epoch_us, 0);
	slot(SLOT_KEY_RATE, s->who.key, 0, UINT64_C(100) << 32 | 60);
	slot(SLOT_ACCOUNT_RATE, s->who.account, 0, UINT64_C(100) << 32 | 60);
	slot(SLOT_ACCOUNT_QUOTA, s->who.account, meter_month(START), 1);
	slot(SLOT_GROUP_QUOTA, s->who.group, meter_month(START), 1);
	slot(SLOT_KEY_USAGE, s->who.key, meter_day(START), 0);
}

/* The meter flushes the new file only: a charge in the old one would be lost. */
static void
the_next_request_leaves_a_replaced_file(void)
{
	struct set s = fresh(100, 60, 10);
	struct meter_file old;
	struct meter_ticket t;

	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	meter_answered(worker);
	renew_file(&s, &old);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	CU_ASSERT(all_used(&s, 1)); /* the slots of the old file */
	CU_ASSERT_EQUAL(
	    slot_used(meter_find(&file, SLOT_KEY_USAGE, &s.who.key, meter_day(START))), 1);
	/* Units go back to the file that they were taken from. */
	meter_give_back(worker, &t);
	CU_ASSERT_EQUAL(
	    slot_used(meter_find(&file, SLOT_KEY_USAGE, &s.who.key, meter_day(START))), 0);
	CU_ASSERT(all_used(&s, 1));
	meter_file_close(&old);
}

/* A meter that ended left no file: requests wait for its successor instead of being counted nowhere. */
static void
a_dropped_file_counts_nothing(void)
{
	struct set s = fresh(100, 60, 10);
	struct meter_file old;
	struct meter_ticket t;

	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	meter_give_back(worker, &t);
	meter_file_drop(&file);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_UNAVAILABLE);
	CU_ASSERT(all_used(&s, 0));
	renew_file(&s, &old);
	CU_ASSERT_EQUAL(admit(&s, 0, &t), METER_ADMITTED);
	meter_file_close(&old);
}

static void
metrics_never_stop_anybody(void)
{
	struct metrics *m;
	char name[64];

	conf.run_directory = "/nonexistent";
	CU_ASSERT_PTR_NULL(metrics_open());
	CU_ASSERT_EQUAL(metrics_operation(NULL, "x"), -1);
	metrics_add(NULL, COUNTER_ASKS);
	metrics_request(NULL, 0, 200, 1);
	metrics_close(NULL);

	run_in("metrics");
	snprintf(name, sizeof(name), "metrics-%zu.map", sizeof(struct metrics));
	write_file(name, sizeof(struct metrics));
	CU_ASSERT_PTR_NULL(metrics_open()); /* none of ours */
	run_in("counted");
	m = metrics_open();
	if (m == NULL)
		panic("no metrics");
	CU_ASSERT_EQUAL(metrics_operation(m, "one"), 0);
	CU_ASSERT_EQUAL(metrics_operation(m, "two"), 1);
	CU_ASSERT_EQUAL(metrics_operation(m, "one"), 0);
	conf.run_directory = "/nonexistent";
	CU_ASSERT_EQUAL(metrics_operation(m, "three"), -1);
	metrics_request(m, -1, 200, 1);
	metrics_request(m, 1, 200, 20 * 1000000);
	metrics_request(m, 1, 299, 1);
	CU_ASSERT_EQUAL(m->requests[1][0].buckets[METRICS_BUCKETS - 1], 1);
	CU_ASSERT_EQUAL(m->requests[1][METRICS_STATUSES - 1].buckets[0], 1);
	CU_ASSERT_EQUAL(metrics_quantile_ms((uint64_t[METRICS_BUCKETS]){ 0 }, 0.5), 0);
	metrics_close(m);
	run_in("");
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "months and days follow the calendar", periods_follow_the_calendar },
		{ "a rate counts requests in a window (C-067)", a_rate_is_a_window },
		{ "a wait is never longer than its window (C-067)", a_wait_is_within_its_window },
		{ "a month follows the clock of the database", a_month_follows_the_epoch },
		{ "a refusal has the first code in order and the longest wait (C-068)",
		    refusals_are_ordered },
		{ "a unit that is given back can be taken again (C-069)",
		    what_is_given_back_can_be_taken_again },
		{ "a surrender leaves no leased unit", a_surrender_leaves_nothing },
		{ "requests are refused without a meter (C-018)", without_a_meter_it_is_closed },
		{ "a lease wakes the waiting worker", a_lease_wakes_who_waits },
		{ "slots of counters are taken and freed", slots_come_and_go },
		{ "a charge dies with its worker, once", a_charge_dies_with_its_worker },
		{ "a repeated request is charged once", a_repeated_request_is_charged_once },
		{ "a count that its worker did not note is found", an_unnoted_count_is_found },
		{ "a killed worker loses no count", a_kill_loses_nothing },
		{ "a new file makes a new incarnation", a_new_file_is_a_new_incarnation },
		{ "requests are refused without a file (C-018)", without_a_file_it_is_closed },
		{ "a full table is reported in the log", a_full_table_says_so },
		{ "a file of another format is replaced", a_foreign_file_is_replaced },
		{ "only one meter holds the lock", one_holds_the_lock },
		{ "the next request after a replacement charges the new file",
		    the_next_request_leaves_a_replaced_file },
		{ "no request is counted in a file that was dropped",
		    a_dropped_file_counts_nothing },
		{ "metrics never block a request", metrics_never_stop_anybody },
		CU_TEST_INFO_NULL,
	};
	char err[256], command[100];
	const char *given;
	int rc;

	if (!conf_load("surfaced", NULL, err, sizeof(err)) || mkdtemp(dir) == NULL)
		panic("%s", err);
	given = conf.run_directory;
	conf.run_directory = dir;
	conf.meter_slots = 1024;
	conf.meter_wait = WAIT_MS;
	if (!meter_file_hold(&file, err, sizeof(err)))
		panic("%s", err);
	atomic_store(&file.head->epoch_us, 0); /* a request's boot_us is its time */
	worker = meter_new();
	rc = tap_main(tests);
	meter_free(worker);
	meter_file_close(&file);
	conf.run_directory = given; /* or a sanitizer counts it as lost */
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	/* NOLINTNEXTLINE(cert-env33-c): constant words and our own folder */
	return system(command) == 0 ? rc : 1;
}
