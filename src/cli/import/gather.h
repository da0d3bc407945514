/* SPDX-License-Identifier: ISC */
/* Combines the lines of a file that describe one host. The list of a later record replaces that of
 * an earlier one when records are merged, so lines that each name one vulnerability or one host
 * name must become one record first.
 *
 *     192.0.2.7 CVE-2021-44228  --+
 *     192.0.2.8 ...               |     192.0.2.7  [CVE-2021-44228, CVE-2023-44487]
 *     192.0.2.7 CVE-2023-44487  --+
 *
 * Memory is bounded: a window holds GATHER_HOSTS hosts, GATHER_SERVICES services or GATHER_BYTES,
 * then all hosts are emitted and the next window begins. A host whose lines are in two windows
 * becomes two records. */
#ifndef CLI_IMPORT_GATHER_H
#define CLI_IMPORT_GATHER_H

#include "cli/import/records.h"

enum { GATHER_HOSTS = 20000, GATHER_SERVICES = 65536, GATHER_BYTES = 64 * 1024 * 1024 };

struct names;

struct gather {
	struct records *rs;
	struct arena *a; /* memory of the gathered records */
	struct gathered *hosts;
	size_t n, most, used;
	struct names *names; /* address to 1 + index in hosts */
	struct record_object **services;
	size_t nservices;
	struct names *ports; /* address, port and transport to 1 + index in services */
};

void gather_open(struct gather *g, struct records *rs);
/* The record of an address in canonical form. A line may ask for one host and its services, which
   live until gather_line. Texts that are set must be in g->a: see gather_text. */
struct record *gather_host(struct gather *g, struct str ip, uint64_t line);
/* The service of a host; NULL: port is no port, or the host has too
   many services. */
struct record_object *gather_service(
    struct gather *g, struct record *host, int64_t port, const char *transport);
struct str gather_text(struct gather *g, struct str s);
/* Ends a line: emits all records when the window is full. */
void gather_line(struct gather *g);
/* Emits the rest, and frees the memory. */
void gather_close(struct gather *g);

#endif
