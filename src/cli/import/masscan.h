/* SPDX-License-Identifier: ISC */
/* The part that all forms of masscan's output share (masscan_host.c). masscan.c reads JSON and the
   list, nmap.c the XML. */
#ifndef CLI_IMPORT_MASSCAN_H
#define CLI_IMPORT_MASSCAN_H

#include "cli/import/gather.h"

/* A record of masscan: the status of a port, or one of its banners. */
struct sighting {
	struct str ip, transport;
	struct str name, banner; /* name STR_NULL: a status */
	int64_t port, seconds;   /* since 1970; 0: unknown */
	bool open;
};

/* Adds an open port or a banner to the host; anything else is ignored. */
void masscan_add(struct gather *g, const struct sighting *r, uint64_t line);
/* The text of a banner in -oL and -oX, where bytes that are not printable are \xHH. */
struct str masscan_unescape(struct arena *a, struct str text);

#endif
