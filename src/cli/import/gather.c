/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "cli/import/gather.h"

#include "cli/import/names.h"

enum {
	LINE_SERVICES = LIM_HOST_SERVICES, /* a line of masscan may have all ports of a host */
	SERVICE_BYTES = 1024,              /* about the size of the object */
};

struct gathered {
	struct record r;
	uint64_t line; /* the first one about the host */
};

void
gather_open(struct gather *g, struct records *rs)
{
	*g = (struct gather){ .rs = rs, .most = rs->window > 0 ? rs->window : GATHER_HOSTS };
	g->a = arena_new(SIZE_MAX / 2);
	g->hosts = mem_array(g->most, sizeof(g->hosts[0]));
	g->names = names_new(g->most);
	g->services = mem_array(GATHER_SERVICES + LINE_SERVICES, sizeof(g->services[0]));
	g->ports = names_new(GATHER_SERVICES + LINE_SERVICES);
}

/* records_emit allocates in the arena of the entry, which would otherwise grow with the number of
   hosts. */
static void
emit_all(struct gather *g)
{
	g->rs->element = 0; /* the hosts are of other values than the present one */
	for (size_t i = 0; i < g->n && !g->rs->stop; i++) {
		arena_reset(g->rs->a);
		records_emit(g->rs, &g->hosts[i].r, STR_NULL, RECORD_LENIENT, g->hosts[i].line);
	}
}

struct record *
gather_host(struct gather *g, struct str ip, uint64_t line)
{
	uint32_t *at = names_at(g->names, ip);

	if (*at == 0) {
		struct record r = record_new(g->a, DATASET_HOSTS);

		record_set_text(g->a, r.root, "ip", gather_text(g, ip));
		g->hosts[g->n] = (struct gathered){ r, line };
		*at = (uint32_t)++g->n;
	}
	return &g->hosts[*at - 1].r;
}

struct record_object *
gather_service(struct gather *g, struct record *host, int64_t port, const char *transport)
{
	struct str ip = record_text(host->root, "ip");
	struct record_object *const *all, *s;
	char key[96];
	uint32_t *at;

	if (port < 1 || port > 65535)
		return NULL;
	snprintf(key, sizeof(key), "%.*s %d/%s", (int)ip.n, ip.p, (int)port, transport);
	at = names_at(g->ports, str_of(key));
	if (*at != 0)
		return g->services[*at - 1];
	if (record_nested_all(host, &all) >= LIM_HOST_SERVICES)
		return NULL;
	s = record_nested(g->a, host);
	record_set_int(g->a, s, "port", port);
	record_set_text(g->a, s, "transport", gather_text(g, str_of(transport)));
	g->services[g->nservices] = s;
	*at = (uint32_t)++g->nservices;
	g->used += SERVICE_BYTES;
	return s;
}

struct str
gather_text(struct gather *g, struct str s)
{
	if (s.p == NULL)
		return STR_NULL;
	g->used += s.n + 32;
	return arena_str(g->a, s);
}

void
gather_line(struct gather *g)
{
	if (g->n < g->most && g->nservices < GATHER_SERVICES && g->used <= GATHER_BYTES)
		return;
	emit_all(g);
	arena_reset(g->a);
	names_clear(g->names);
	names_clear(g->ports);
	g->n = g->nservices = g->used = 0;
}

void
gather_close(struct gather *g)
{
	if (!g->rs->stop)
		emit_all(g);
	names_free(g->names);
	names_free(g->ports);
	free(g->hosts);
	free(g->services);
	arena_free(g->a);
}
