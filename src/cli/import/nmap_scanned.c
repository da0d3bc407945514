/* SPDX-License-Identifier: ISC */
/* --authoritative: a port that nmap scanned and did not find open is closed, so a stored service on
   it is gone (C-126).

     <scaninfo type="syn" protocol="tcp" services="1-1024,8080"/>     the ports, once for all hosts
     <host timedout="true">                                           the scan of this host was not completed
     <status state="up" reason="user-set"/>                           -Pn: it was not looked whether the host is up
     <extraports state="closed" count="997">                          ports that are not listed

   Two kinds of hosts prove nothing: those that timed out, and those that were assumed to be up and
   answered on no port. A UDP port in the state open|filtered gave no answer, as many open ones do,
   and proves nothing either. Scans that cannot find an open port (-sA, -sN ...) name no ports here.
   masscan names its ports in the same element, if at all. It has one host element a port, in any
   order, so what was seen since its start was seen by the same scan. */
#include "config.h"

#include "cli/import/nmap_host.h"

static bool
finds_open_ports(struct str type)
{
	return str_is(type, "syn") || str_is(type, "connect") || str_is(type, "udp") ||
	       str_is(type, "sctpinit");
}

static bool
knows_ports(const struct nmap *x)
{
	return x->named && !x->misnamed;
}

static void
prove_masscan(struct nmap *x)
{
	x->rs->scan = (struct record_scan){ .began = TS_NULL };
	if (x->started > 0 && knows_ports(x))
		x->rs->scan = (struct record_scan){
			.ports = x->scanned, .began = { x->started * SECOND_US }, .udp_silent = true
		};
}

void
nmap_scanned_ports(struct nmap *x, const char **atts)
{
	struct str list = str_of(nmap_attribute(atts, "services"));

	if (!x->rs->authoritative || list.n == 0 || x->line > 0 ||
	    !finds_open_ports(str_of(nmap_attribute(atts, "type"))))
		return;
	x->named = true;
	if (x->scanned == NULL)
		x->scanned = record_ports_new(x->rs->kept);
	if (!record_ports_add(x->scanned, str_of(nmap_attribute(atts, "protocol")), list) &&
	    !x->misnamed) {
		x->misnamed = true;
		records_bad(x->rs, nmap_line(x),
		    "the ports of scaninfo are no list such as 22,80,8000-8100; no service is "
		    "removed");
	}
	if (x->masscan)
		prove_masscan(x);
}

/* The proofs of the hosts before point to the ports of the first document, so these must not change. */
void
nmap_scanned_anew(struct nmap *x)
{
	if (!x->rs->authoritative || x->misnamed)
		return;
	x->misnamed = true;
	records_bad(x->rs, nmap_line(x),
	    "another scan begins here, and --authoritative needs a file for each; its hosts lose "
	    "no "
	    "service");
	nmap_scanned_lost(x);
}

void
nmap_scanned_lost(struct nmap *x)
{
	if (!x->masscan)
		return;
	x->misnamed = true;
	x->rs->scan = (struct record_scan){ .began = TS_NULL };
}

void
nmap_scanned_begin(struct nmap *x, const char **atts)
{
	const char *timed_out = nmap_attribute(atts, "timedout");

	x->timed_out = timed_out != NULL && strcmp(timed_out, "true") == 0;
	x->assumed = x->answered = x->udp_silent = false;
	x->silent = NULL;
	x->nsilent = 0;
}

void
nmap_scanned_state(struct nmap *x, const char *state, int64_t port)
{
	struct str s = str_of(state);

	if (!x->rs->authoritative)
		return;
	x->answered |= str_is(s, "open") || str_is(s, "closed") || str_is(s, "unfiltered");
	if (!str_is(s, "open|filtered"))
		return;
	if (port == 0) {
		x->udp_silent = true;
	} else if (nmap_use(x, sizeof(*x->silent))) {
		x->silent = arena_room(x->rs->a, x->silent, x->nsilent, sizeof(*x->silent));
		x->silent[x->nsilent++] = (uint16_t)port;
	}
}

bool
nmap_scanned_host(struct nmap *x, bool bare)
{
	if (!x->rs->authoritative)
		return false;
	x->rs->scan = (struct record_scan){ .began = TS_NULL };
	if (!knows_ports(x) || x->timed_out || (x->assumed && !x->answered))
		return false;
	x->rs->scan = (struct record_scan){ .ports = x->scanned,
		.began = TS_NULL,
		.silent = x->silent,
		.nsilent = x->nsilent,
		.udp_silent = x->udp_silent,
		.known_only = bare };
	return true;
}
