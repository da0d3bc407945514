/* SPDX-License-Identifier: ISC */
/* The state while nmap's XML is read, and the functions that its readers share: nmap_feed.c calls
   nmap.c, this calls nmap_scripts.c, nmap_scanned.c and nmap_masscan.c, and all call nmap_host.c
   (nmap_host.h). */
#ifndef CLI_IMPORT_NMAP_PRIV_H
#define CLI_IMPORT_NMAP_PRIV_H

#include "cli/import/masscan.h"

#include <expat.h>

/* expat 2.9 deprecates the functions whose names have no 64. */
#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
#define XML_GetCurrentLineNumber64 XML_GetCurrentLineNumber
#define XML_GetCurrentByteIndex64 XML_GetCurrentByteIndex
#endif

enum { HOST_BYTES = 8 * 1024 * 1024, NMAP_KEY = 48 };

/* The elements that are used, in the order of their names in nmap.c. */
enum element {
	HOST,
	STATUS,
	ADDRESS,
	HOSTNAME,
	PORT,
	STATE,
	SERVICE,
	CPE,
	OSMATCH,
	SCRIPT,
	TABLE,
	ELEM,
	RUN,
	SCANINFO,
	EXTRAPORTS,
	OTHER
};

/* The table of a script that the next elem belongs to. */
struct tables {
	char key[8][NMAP_KEY];
	int depth;
};

struct nmap {
	struct records *rs;
	XML_Parser xml;
	struct record host;
	struct record_object *service; /* the service of the present port, or NULL */
	struct str
	    transport; /* with port: a port whose service is made once it is known to be open */
	int64_t port;  /* 0: it is closed, or its service is there already */
	bool in_host, in_port, up, os_done, too_big;
	bool vulnerable; /* the present script found what the table around it describes */
	uint64_t line;   /* first line of the host */
	struct str script;
	char subject[512], issuer[512]; /* all parts of the present certificate's names */
	struct tables tables;
	char elem[NMAP_KEY];
	struct str name; /* name of the present extension */
	struct buf text; /* characters of the present element */
	bool wants_text;
	int depth;
	int64_t started;     /* start of the scan in seconds since 1970; 0: unknown */
	const char *refused; /* why nothing more of the file is read; NULL: it is */
	const char *lost;    /* why the present host is left out; NULL: expat knows */
	uint64_t lines;      /* lines of the file before the first one that the parser got */
	bool resumed;        /* the root element was made by nmap_feed.c, after a fault */
	bool ended;          /* the root element is complete */
	size_t used;         /* bytes of the arena that the present host uses */
	struct record_ports *scanned; /* --authoritative: the ports that the file lists */
	/* the file has named ports; one of its lists cannot be read */
	bool named, misnamed;
	bool timed_out, assumed, answered, udp_silent; /* the present host (nmap_scanned.c) */
	uint16_t *silent;
	size_t nsilent;
	bool masscan, gathering;
	struct gather gather;     /* masscan's hosts; open if gathering */
	struct sighting sighting; /* the present host element of masscan */
};

/* ---- nmap.c ---- */

/* Sets the handlers of a parser that is new or was reset; it is outside of all elements. */
void nmap_begin_parser(struct nmap *x);

/* ---- nmap_masscan.c ---- */

void nmap_begin_masscan(struct nmap *x, enum element what, const char **atts);
void nmap_end_masscan(struct nmap *x, enum element what);

/* ---- nmap_scanned.c ---- */

/* Adds the ports of an element scaninfo, which precedes all hosts. */
void nmap_scanned_ports(struct nmap *x, const char **atts);
void nmap_scanned_begin(struct nmap *x, const char **atts);
/* Begins the next of several documents in one file. */
void nmap_scanned_anew(struct nmap *x);
/* A host of the file was lost: masscan may have listed a port in it that seems closed now. */
void nmap_scanned_lost(struct nmap *x);
/* The state of a port, or of all ports that are not listed (port 0). */
void nmap_scanned_state(struct nmap *x, const char *state, int64_t port);
/* Records the ports that the present host proves to be closed. bare: the host has no open port.
   False: it proves nothing. */
bool nmap_scanned_host(struct nmap *x, bool bare);

/* ---- nmap_scripts.c ---- */

/* Begins a script of the present port, or of the host when there is no port. */
void nmap_begin_script(struct nmap *x, const char **atts);
void nmap_begin_table(struct nmap *x, const char **atts);
/* Ends an element of a script, whose key is x->elem and whose text is x->text. */
void nmap_end_elem(struct nmap *x);
void nmap_end_script(struct nmap *x);

#endif
