/* SPDX-License-Identifier: ISC */
/* The state while nmap's XML is read, and the functions that its readers share: nmap.c calls
   nmap_scripts.c, nmap_scanned.c and nmap_masscan.c, and all call nmap_host.c. */
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
	int64_t started; /* start of the scan in seconds since 1970; 0: unknown */
	const char *refused;
	size_t used;                  /* bytes of the arena that the present host uses */
	struct record_ports *scanned; /* --authoritative: the ports that the file lists */
	/* the file has named ports; one of its lists cannot be read */
	bool named, misnamed;
	bool timed_out, assumed, answered, udp_silent; /* the present host (nmap_scanned.c) */
	uint16_t *silent;
	size_t nsilent;
	bool masscan;
	struct gather gather;     /* masscan's hosts */
	struct sighting sighting; /* the present host element of masscan */
};

/* ---- nmap_host.c ---- */

/* The value of an attribute, or NULL. atts: names and values by turns, as expat passes them. */
const char *nmap_attribute(const char **atts, const char *name);
/* A number such as seconds since 1970; 0: there is none, or it is out of range. */
int64_t nmap_number(const char *z);
/* Counts bytes that the host is about to use. False: the host would be above HOST_BYTES, so the
   caller must not use them. */
bool nmap_use(struct nmap *x, size_t n) MUST_USE;
/* A copy in the memory of the host; STR_NULL if the text is absent or empty, or the host is above
   HOST_BYTES. */
struct str nmap_copy(struct nmap *x, struct str s);
struct str nmap_copy_attribute(struct nmap *x, const char **atts, const char *name);
/* Adds a copy of the text to a list of the host or the service o, unless the list is full. */
void nmap_add_text(struct nmap *x, struct record_object *o, const char *list, struct str s);
void nmap_set_text(struct nmap *x, struct record_object *o, const char *name, struct str s);
/* The service of the present port, which is made at its first use; NULL: the port is closed, or
   there is no port. */
struct record_object *nmap_service(struct nmap *x);
/* Sets the system of the host. The first guess wins, but "Unix" is less specific than any other. */
void nmap_guess_os(struct nmap *x, struct str guess);

void nmap_too_big(struct nmap *x);

/* ---- nmap_masscan.c ---- */

void nmap_begin_masscan(struct nmap *x, enum element what, const char **atts);
void nmap_end_masscan(struct nmap *x, enum element what);

/* ---- nmap_scanned.c ---- */

/* Adds the ports of an element scaninfo, which precedes all hosts. */
void nmap_scanned_ports(struct nmap *x, const char **atts);
void nmap_scanned_begin(struct nmap *x, const char **atts);
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
