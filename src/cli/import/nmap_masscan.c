/* SPDX-License-Identifier: ISC */
/* The XML of masscan, which has the elements of nmap, an attribute banner, and a host element for
   each port and banner. */
#include "config.h"

#include "cli/import/nmap_host.h"
#include "cli/import/tool_host.h"

/* Copies the attributes of an element inside of a host. nmap_end_masscan decodes them once, at the
   end of the host. */
void
nmap_begin_masscan(struct nmap *x, enum element what, const char **atts)
{
	struct sighting *r = &x->sighting;
	const char *state = nmap_attribute(atts, "state");

	if (what == HOST) {
		arena_reset(x->rs->a);
		x->line = nmap_line(x);
		*r = (struct sighting){ .seconds = nmap_number(nmap_attribute(atts, "endtime")) };
		x->in_host = true;
		x->too_big = false;
		x->used = 0;
	} else if (!x->in_host) {
		return;
	} else if (what == ADDRESS) {
		r->ip = nmap_copy_attribute(x, atts, "addr");
	} else if (what == PORT) {
		r->port = nmap_number(nmap_attribute(atts, "portid"));
		r->transport = nmap_copy_attribute(x, atts, "protocol");
	} else if (what == STATE) {
		r->open = state != NULL && strcmp(state, "open") == 0;
	} else if (what == SERVICE && nmap_attribute(atts, "name") != NULL) {
		r->name = nmap_copy_attribute(x, atts, "name");
		r->banner = nmap_copy_attribute(x, atts, "banner");
	}
}

void
nmap_end_masscan(struct nmap *x, enum element what)
{
	struct sighting *r = &x->sighting;

	if (what != HOST)
		return;
	x->in_host = false;
	x->rs->read++;
	r->ip = tool_address(x->rs->a, r->ip);
	if (x->too_big)
		nmap_too_big(x);
	else if (r->ip.p == NULL)
		records_bad(x->rs, x->line, "the host has no IP address");
	else {
		r->banner = masscan_unescape(x->rs->a, r->banner);
		masscan_add(&x->gather, r, x->line);
	}
	gather_line(&x->gather);
	if (x->rs->stop)
		XML_StopParser(x->xml, XML_FALSE);
}
