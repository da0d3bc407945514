/* SPDX-License-Identifier: ISC */
/* Lists of ports, and the removal of nested objects (ports.h). */
#include "config.h"

#include "record/lookup.h"
#include "record/ports.h"
#include "record/record_priv.h"

/* A bit for each port of each transport. */
enum { TRANSPORTS = 3, PORTS = 65536 };

static const char *const transports[TRANSPORTS] = { "tcp", "udp", "sctp" };

struct record_ports {
	unsigned char bits[TRANSPORTS][PORTS / 8];
};

/* Returns the bits of a transport, or NULL for an unknown transport. */
static const unsigned char *
find_bits(const struct record_ports *ports, struct str transport)
{
	for (size_t i = 0; i < TRANSPORTS; i++)
		if (str_is(transport, transports[i]))
			return ports->bits[i];
	return NULL;
}

static void
set_bits(struct record_ports *ports, const unsigned char *of, int64_t from, int64_t to)
{
	unsigned char *bits = ports->bits[(of - ports->bits[0]) / (PORTS / 8)];

	for (int64_t i = from; i <= to; i++)
		bits[i / 8] |= (unsigned char)(1u << (i % 8));
}

/* "8000-8100" */
static bool
parse_range(struct str to, int64_t *first, int64_t *last)
{
	struct str from = str_until(&to, '-');

	return ip_parse_port(from, first) && ip_parse_port(to.p == NULL ? from : to, last) &&
	       *first <= *last;
}

struct record_ports *
record_ports_new(struct arena *a)
{
	return ARENA_NEW(a, struct record_ports);
}

bool
record_ports_add(struct record_ports *ports, struct str transport, struct str list)
{
	const unsigned char *bits = find_bits(ports, transport);
	int64_t first, last;

	if (bits == NULL)
		return false;
	do {
		if (!parse_range(str_until(&list, ','), &first, &last))
			return false;
		set_bits(ports, bits, first, last);
	} while (list.p != NULL);
	return true;
}

const struct record_ports *
record_ports_parse(struct arena *a, struct str text)
{
	struct record_ports *ports = record_ports_new(a);

	do {
		struct str transport = str_until(&text, ','), range = str_until(&transport, '/');

		if (transport.p == NULL)
			transport = STR("tcp");
		if (!record_canonical(a, DATASET_HOSTS, "services.transport", &transport) ||
		    !record_ports_add(ports, transport, range))
			return NULL;
	} while (text.p != NULL);
	return ports;
}

bool
record_nested_cut(struct record *r, size_t most)
{
	struct record_value *v = &r->root->v[record_nested_member(r->dataset)->place];
	bool more = v->set && v->objects.n > most;

	if (more)
		v->objects.n = most;
	return more;
}

size_t
record_nested_keep(struct arena *a, struct record *r,
    bool (*keep)(void *arg, const struct record_object *o), void *arg)
{
	const struct record_member *m = record_nested_member(r->dataset);
	struct record_value *v = &r->root->v[m->place], kept = { .set = true };
	size_t n = v->set ? v->objects.n : 0;

	kept.objects.p = ARENA_ARRAY(a, n + 1, struct record_object *);
	for (size_t i = 0; i < n; i++)
		if (keep(arg, v->objects.p[i]))
			kept.objects.p[kept.objects.n++] = v->objects.p[i];
	if (kept.objects.n == n)
		return 0;
	*v = kept;
	if (record_derive(a, r) != NULL)
		panic("a record without some of its nested objects is a bad one");
	return n - kept.objects.n;
}

struct dropping {
	const struct record *new;
	const struct record_scan *scan;
};

static bool
is_covered(const struct record_scan *scan, const struct record_object *service)
{
	struct str transport = record_text(service, "transport");
	const unsigned char *bits = find_bits(scan->ports, transport);
	bool udp = str_is(transport, "udp");
	int64_t port;

	if (bits == NULL || !record_int(service, "port", &port))
		/* UNCOVERED: a finished service has a port and one of the transports */
		return false;
	if ((bits[port / 8] >> (port % 8) & 1) == 0 || (udp && scan->udp_silent))
		return false;
	for (size_t i = 0; udp && i < scan->nsilent; i++)
		if (scan->silent[i] == port)
			return false;
	return true;
}

/* Whether the service was seen since the scan began or, if that time is unknown, after the new
   record. A new record without a time counts as the latest. */
static bool
is_seen_after(const struct dropping *d, const struct record_object *service)
{
	int64_t service_seen, new_seen;

	if (!record_int(service, "last_seen", &service_seen))
		return false; /* UNCOVERED: a finished service has a time when its host has one */
	if (!ts_is_null(d->scan->began))
		return service_seen >= d->scan->began.us;
	return record_int(d->new->root, "last_seen", &new_seen) && service_seen > new_seen;
}

/* Whether the service is kept, because the scan does not prove that it has gone. */
static bool
stays(void *arg, const struct record_object *service)
{
	const struct dropping *d = arg;
	struct record_object *const *all;
	size_t n = record_nested_all(d->new, &all);

	if (!is_covered(d->scan, service) || is_seen_after(d, service))
		return true;
	for (size_t i = 0; i < n; i++)
		if (record_nested_cmp(all[i], service) == 0)
			return true;
	return false;
}

void
record_drop_ports(
    struct arena *a, struct record *old, const struct record *new, const struct record_scan *scan)
{
	struct dropping d = { new, scan };

	(void)record_nested_keep(a, old, stays, &d);
}
