/* SPDX-License-Identifier: ISC */
/* Lists of ports, and the removal of nested objects (ports.h). */
#include "config.h"

#include "record/lookup.h"
#include "record/ports.h"
#include "record/record_priv.h"

struct range {
	struct str transport;
	int64_t from, to;
};

struct record_ports {
	struct range *p;
	size_t n;
};

/* "8000-8100/udp" */
static bool
parse_range(struct arena *a, struct str s, struct range *r)
{
	struct str to = str_until(&s, '/'), from = str_until(&to, '-');

	r->transport = s;
	if (r->transport.p == NULL)
		r->transport = STR("tcp");
	return record_canonical(a, DATASET_HOSTS, "services.transport", &r->transport) &&
	       ip_parse_port(from, &r->from) && ip_parse_port(to.p == NULL ? from : to, &r->to) &&
	       r->from <= r->to;
}

const struct record_ports *
record_ports_parse(struct arena *a, struct str text)
{
	struct record_ports *ports = ARENA_NEW(a, struct record_ports);

	do {
		struct str one = str_until(&text, ',');

		ports->p = arena_room(a, ports->p, ports->n, sizeof(*ports->p));
		if (!parse_range(a, one, &ports->p[ports->n++]))
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
	const struct record_ports *ports;
};

static bool
is_covered(const struct record_ports *ports, const struct record_object *service)
{
	struct str transport = record_text(service, "transport");
	int64_t port;

	if (!record_int(service, "port", &port))
		return false; /* UNCOVERED: a finished service has a port */
	for (size_t i = 0; i < ports->n; i++)
		if (port >= ports->p[i].from && port <= ports->p[i].to &&
		    str_eq(transport, ports->p[i].transport))
			return true;
	return false;
}

/* A new record without a time counts as the latest. */
static bool
is_seen_after(const struct record_object *service, const struct record *new)
{
	int64_t service_seen, new_seen;

	return record_int(service, "last_seen", &service_seen) &&
	       record_int(new->root, "last_seen", &new_seen) && service_seen > new_seen;
}

/* Whether the new record is no proof that the service has gone. */
static bool
stays(void *arg, const struct record_object *service)
{
	const struct dropping *d = arg;
	struct record_object *const *all;
	size_t n = record_nested_all(d->new, &all);

	if (!is_covered(d->ports, service) || is_seen_after(service, d->new))
		return true;
	for (size_t i = 0; i < n; i++)
		if (record_nested_cmp(all[i], service) == 0)
			return true;
	return false;
}

void
record_drop_ports(
    struct arena *a, struct record *old, const struct record *new, const struct record_ports *ports)
{
	struct dropping d = { new, ports };

	(void)record_nested_keep(a, old, stays, &d);
}
