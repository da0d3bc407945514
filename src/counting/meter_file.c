/* SPDX-License-Identifier: ISC */
/* The mapping of counting/meter.h: periods, slots, the file, and the futex.

   The table is a hash table with linear probing. A look-up ends at an EMPTY slot; at most seven
   eighths of the table are in use, so a miss is cheap. FREE marks a slot inside a chain, which
   look-ups pass and meter_add reuses; slot_free turns FREE slots at the end of a chain into EMPTY
   ones. Only the meter adds and frees slots.

     EMPTY --meter_add, slot_publish--> LIVE --slot_retire--> RETIRED --slot_free--> FREE --> EMPTY
                                         ^  <--slot_publish--                         |
                                         +------------meter_add, slot_publish---------+ */
#include "config.h"

#include "counting/meter_priv.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x70616d6b73617375)

enum { HEAD_BYTES = 4096, PATH_ROOM = 4200 };

_Static_assert(sizeof(struct slot) == 64, "a slot is a cache line");
_Static_assert(sizeof(struct meter_head) <= HEAD_BYTES, "the slots begin on the second page");

/* ---- periods ---- */

uint32_t
meter_day(struct ts t)
{
	return (uint32_t)(t.us / DAY_US);
}

struct ts
meter_day_start(uint32_t day)
{
	return (struct ts){ day * DAY_US };
}

/* Counts days from 0000-03-01, so that a leap day is the last day of its year; eras have 400
   years. */
uint32_t
meter_month(struct ts t)
{
	uint32_t z = meter_day(t) + 719468, era = z / 146097, doe = z % 146097;
	uint32_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	uint32_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	uint32_t mp = (5 * doy + 2) / 153; /* 0: March */

	return (era * 400 + yoe) * 12 + mp + 2;
}

struct ts
meter_month_start(uint32_t month)
{
	uint32_t march = month - 2, year = march / 12, mp = march % 12;
	uint32_t era = year / 400, yoe = year % 400;
	uint32_t doe = yoe * 365 + yoe / 4 - yoe / 100 + (153 * mp + 2) / 5;

	return meter_day_start(era * 146097 + doe - 719468);
}

struct ts
meter_time(const struct meter_file *f, int64_t boot)
{
	return (struct ts){ atomic_load(&f->head->epoch_us) + boot };
}

/* ---- slots ---- */

uint64_t
slot_taken(const struct slot *s)
{
	return atomic_load(&s->word) & UINT32_MAX;
}

uint64_t
slot_back(const struct slot *s)
{
	return atomic_load(&s->back) & UINT32_MAX;
}

uint64_t
slot_room(const struct slot *s)
{
	uint64_t surrendered = atomic_load(&s->surrendered);
	uint64_t room = atomic_load(&s->limit) + slot_back(s);

	return room > surrendered ? room - surrendered : 0;
}

uint64_t
slot_left(const struct slot *s)
{
	/* Room first: a unit granted or given back between the two reads is missed, not
	   invented. */
	uint64_t room = slot_room(s), taken = slot_taken(s);

	return room > taken ? room - taken : 0;
}

uint64_t
slot_used(const struct slot *s)
{
	uint64_t back = slot_back(s);

	return slot_taken(s) - back;
}

void
slot_retire(struct slot *s)
{
	atomic_store(&s->state, SLOT_RETIRED);
}

static uint32_t
hash_position(
    const struct meter_file *f, enum slot_kind kind, const struct uuid *owner, uint32_t period)
{
	uint64_t h;

	memcpy(&h, owner->b + 8, sizeof(h));
	h ^= ((uint64_t)period << 3 | (uint64_t)kind) * UINT64_C(0x9e3779b97f4a7c15);
	h *= UINT64_C(0xff51afd7ed558ccd);
	return (uint32_t)(h >> 32) & (f->head->slots - 1);
}

static bool
slot_counts(const struct slot *s, enum slot_kind kind, const struct uuid *owner, uint32_t period)
{
	return s->period == period && s->kind == (uint32_t)kind &&
	       memcmp(&s->owner, owner, sizeof(*owner)) == 0;
}

static struct slot *
find_in_state(const struct meter_file *f, enum slot_state wanted, enum slot_kind kind,
    const struct uuid *owner, uint32_t period)
{
	uint32_t at = hash_position(f, kind, owner, period);

	for (uint32_t n = 0; n < f->head->slots; n++) {
		struct slot *s = &f->slots[(at + n) & (f->head->slots - 1)];
		uint32_t state = atomic_load_explicit(&s->state, memory_order_acquire);

		if (state == SLOT_EMPTY)
			return NULL;
		if (state == (uint32_t)wanted && slot_counts(s, kind, owner, period))
			return s;
	}
	return NULL; /* UNCOVERED: an eighth of the table is empty */
}

struct slot *
meter_find(
    const struct meter_file *f, enum slot_kind kind, const struct uuid *owner, uint32_t period)
{
	return find_in_state(f, SLOT_LIVE, kind, owner, period);
}

struct slot *
meter_find_retired(
    const struct meter_file *f, enum slot_kind kind, const struct uuid *owner, uint32_t period)
{
	return find_in_state(f, SLOT_RETIRED, kind, owner, period);
}

struct slot *
meter_add(struct meter_file *f, enum slot_kind kind, const struct uuid *owner, uint32_t period)
{
	uint32_t at = hash_position(f, kind, owner, period), n = 0;
	struct slot *s;

	for (;; n++) {
		uint32_t state;

		/* A chain this long would make look-ups slow: refuse instead. */
		if (n == f->head->slots / 8)
			return NULL;
		s = &f->slots[(at + n) & (f->head->slots - 1)];
		state = atomic_load(&s->state);
		if (state == SLOT_EMPTY || state == SLOT_FREE)
			break;
	}
	*s = (struct slot){ .state = atomic_load(&s->state),
		.kind = (uint16_t)kind,
		.period = period,
		.owner = *owner };
	return s;
}

/* When the next slot is EMPTY, no look-up goes beyond this one: the FREE slots before it become
   EMPTY too. */
void
slot_free(struct meter_file *f, struct slot *s)
{
	uint32_t mask = f->head->slots - 1, at = (uint32_t)(s - f->slots);

	atomic_store(&s->state, SLOT_FREE);
	if (atomic_load(&f->slots[(at + 1) & mask].state) != SLOT_EMPTY)
		return;
	while (atomic_load(&f->slots[at].state) == SLOT_FREE) {
		atomic_store(&f->slots[at].state, SLOT_EMPTY);
		at = (at - 1) & mask;
	}
}

void
slot_publish(struct slot *s)
{
	atomic_store_explicit(&s->state, SLOT_LIVE, memory_order_release);
}

/* ---- the file ---- */

static bool
name_in_run_directory(const char *file, char *out, size_t room)
{
	return (size_t)snprintf(out, room, "%s/%s", conf.run_directory, file) < room;
}

bool
meter_socket_name(char *out, size_t room)
{
	return name_in_run_directory("meter.sock", out, room);
}

void
meter_file_close(struct meter_file *f)
{
	if (f->head != NULL) {
		munmap(f->head, f->bytes);
		close(f->fd);
	}
	*f = (struct meter_file){ 0 };
}

static size_t
file_bytes(uint32_t slots)
{
	return HEAD_BYTES + slots * sizeof(struct slot) + METER_JOURNALS * sizeof(struct journal);
}

/* Maps the file and owns the descriptor, unless it returns false. */
static bool
map_meter(struct meter_file *f, int fd)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) != 0 || st.st_size < (off_t)(HEAD_BYTES + sizeof(struct slot)))
		return false;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return false; /* UNCOVERED: no address space is left */
	*f = (struct meter_file){ .fd = fd,
		.bytes = (size_t)st.st_size,
		.head = p,
		.slots = (struct slot *)((char *)p + HEAD_BYTES) };
	if (f->head->magic == MAGIC && f->head->version == METER_VERSION &&
	    f->bytes == file_bytes(f->head->slots) &&
	    (f->head->slots & (f->head->slots - 1)) == 0) {
		f->journals = (struct journal *)(f->slots + f->head->slots);
		return true;
	}
	munmap(p, f->bytes);
	*f = (struct meter_file){ 0 };
	return false;
}

bool
meter_file_open(struct meter_file *f)
{
	char path[PATH_ROOM];
	int fd = name_in_run_directory("meter.map", path, sizeof(path))
		     ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
		     : -1;
	bool ok;

	if (fd < 0)
		return false;
	ok = map_meter(f, fd);
	if (!ok)
		close(fd);
	return ok;
}

/* A file that was renamed over or removed has no links left. A flag in the head would miss a file
   that was removed by hand. */
bool
meter_file_replaced(const struct meter_file *f)
{
	struct stat st;

	return fstat(f->fd, &st) != 0 || st.st_nlink == 0;
}

void
meter_file_drop(const struct meter_file *f)
{
	struct stat own, named;
	char path[PATH_ROOM];

	if (name_in_run_directory("meter.map", path, sizeof(path)) && fstat(f->fd, &own) == 0 &&
	    lstat(path, &named) == 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino)
		unlink(path);
}

static void
read_boot_id(char out[BOOT_ID_LEN + 1])
{
	FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");

	memset(out, 0, BOOT_ID_LEN + 1);
	if (in == NULL)
		return; /* UNCOVERED: Linux has it */
	if (fread(out, 1, BOOT_ID_LEN, in) != BOOT_ID_LEN)
		memset(out, 0, BOOT_ID_LEN + 1); /* UNCOVERED: a boot ID has this length */
	fclose(in);
}

static uint32_t
wanted_slots(void)
{
	uint32_t n = 64;

	while (n < conf.meter_slots)
		n *= 2;
	return n;
}

/* Writes a new file under another name and renames it, so that no worker ever maps half a file. */
static bool
make_meter_file(const char *path)
{
	struct meter_head head = { .magic = MAGIC,
		.version = METER_VERSION,
		.slots = wanted_slots(),
		.incarnation = uuid_random() };
	char fresh[PATH_ROOM + 8];
	bool ok;
	int fd, why;

	/* This host's clock, until PostgreSQL's has been read. */
	atomic_store(&head.epoch_us, ts_now().us - boot_us());
	read_boot_id(head.boot_id);
	snprintf(fresh, sizeof(fresh), "%s.new", path);
	unlink(fresh);
	fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0660);
	if (fd < 0)
		return false;
	errno =
	    fchmod(fd, 0660) != 0 ? errno : posix_fallocate(fd, 0, (off_t)file_bytes(head.slots));
	ok = errno == 0 && fd_write(fd, &head, sizeof(head)) && rename(fresh, path) == 0;
	why = errno;
	close(fd);
	if (!ok)
		unlink(fresh);
	errno = why;
	return ok;
}

static bool
is_of_this_boot(const struct meter_file *f)
{
	char boot[BOOT_ID_LEN + 1];

	read_boot_id(boot);
	return strcmp(f->head->boot_id, boot) == 0;
}

bool
meter_file_fits(const struct meter_file *f)
{
	return f->head->slots == wanted_slots();
}

int
meter_lock(void)
{
	char path[PATH_ROOM];

	if (!name_in_run_directory("meter.lock", path, sizeof(path)))
		return -1; /* UNCOVERED: tbl/params.h bounds the directory's name */
	return fd_lock(path, O_RDWR | O_CREAT);
}

bool
meter_file_hold(struct meter_file *f, char *err, size_t room)
{
	char path[PATH_ROOM];

	if (meter_file_open(f)) {
		if (is_of_this_boot(f))
			return true;
		meter_file_close(f);
	}
	if (name_in_run_directory("meter.map", path, sizeof(path)) && make_meter_file(path) &&
	    meter_file_open(f))
		return true;
	snprintf(err, room, "%s/meter.map: %s", conf.run_directory, strerror(errno));
	return false;
}

/* ---- answers of the meter ---- */

static long
futex(_Atomic uint32_t *at, int op, uint32_t value, const struct timespec *wait)
{
	return syscall(SYS_futex, at, op, value, wait, NULL, 0);
}

void
meter_wake_workers(struct meter_file *f)
{
	atomic_fetch_add(&f->head->answers, 1);
	futex(&f->head->answers, FUTEX_WAKE, INT32_MAX, NULL);
}

void
meter_await_answer(const struct meter_file *f, uint32_t seen, int64_t us)
{
	struct timespec wait = { .tv_sec = us / SECOND_US, .tv_nsec = us % SECOND_US * 1000 };

	futex(&f->head->answers, FUTEX_WAIT, seen, &wait);
}
