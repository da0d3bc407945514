/* SPDX-License-Identifier: ISC */
/* hostgen --hosts N [--seed S] [--start K]: N host documents on stdout, one a line, with the skew that the
   Internet has. Host k depends on the seed and k alone: any range can be made again, in any pieces.
   Addresses are unique up to 200,000,000 hosts.

   The eight queries of the benchmarks, and how many of the hosts they find (seed 1):
	all                  (empty)						100 %
	US                   country_code:US					 33 %
	malware on 443       services.port:443 AND tags:malware			  4 %
	22 outside CN        services.port:22 AND NOT country_code:CN		 28 %
	c2/phishing on 8443  (tags:c2 OR tags:phishing) AND services.port:8443	  1 %
	rare tag             tags:sinkhole					  0.04 %
	title contains       services.http.title:login				  5 %
	CIDR                 ip:45.32.0.0/12					  0.4 %
   tags:malware alone finds 8 %. t/cli/hostgen.t holds these. */
#include "config.h"

#include "base/base.h"
#include "t/helper/hosttables.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <unistd.h>

enum {
	ASNS = 30000,
	DENSE_EVERY = 250,
	DENSE_AT = 7,
	SIX_EVERY = 20,
	SIX_AT = 3,
	SERVICES = 8,
	OUT = 1 << 20
};

static const uint64_t max_hosts = 200000000;
static const int64_t newest = 1793491200; /* 2026-11-01, in seconds */

/* ---- numbers ---- */

static uint64_t
mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

struct rng {
	uint64_t s;
};

static uint32_t
next(struct rng *r)
{
	return (uint32_t)(mix(r->s++) >> 32);
}

static uint32_t
below(struct rng *r, uint32_t n)
{
	return (uint32_t)((uint64_t)next(r) * n >> 32);
}

/* True n times in a million. */
static bool
ppm(struct rng *r, uint32_t n)
{
	return below(r, 1000000) < n;
}

/* Zipf's law with exponent 1, by its continuous form: 0 is the likeliest. */
static uint32_t
zipf(struct rng *r, uint32_t n)
{
	double u = next(r) / 4294967296.0;
	uint32_t k = (uint32_t)exp(u * log((double)n + 1)) - 1;

	return k < n ? k : n - 1;
}

/* ---- weighted choices: a table that each entry fills in proportion ---- */

enum { CHOICES = 4096 };

struct choice {
	uint16_t of[CHOICES];
};

static struct choice choose_country, choose_port, choose_product[KINDS];
static uint32_t country_first[COUNT(countries)], country_asns[COUNT(countries)];
static char jarms[256][63];

static void
fill_choice(struct choice *c, const unsigned *weights, size_t n)
{
	uint64_t sum = 0, reach = 0;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		sum += weights[i];
	for (size_t i = 0; i < n; i++) {
		reach += weights[i];
		for (; at < reach * CHOICES / sum; at++)
			c->of[at] = (uint16_t)i;
	}
}

static unsigned
choose(const struct choice *c, struct rng *r)
{
	return c->of[next(r) >> 20];
}

static void
hex_of(char *out, size_t n, struct rng *r)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i += 16) {
		uint64_t v = mix(r->s++);

		for (size_t k = i; k < i + 16 && k < n; k++, v >>= 4)
			out[k] = hex[v & 15];
	}
}

static void
prepare(void)
{
	unsigned w[COUNT(countries) + COUNT(products) + COUNT(ports)], sum = 0;
	uint32_t first = 0;

	for (size_t i = 0; i < COUNT(countries); i++)
		sum += w[i] = countries[i].weight;
	fill_choice(&choose_country, w, COUNT(countries));
	for (size_t i = 0; i < COUNT(countries); i++) {
		country_first[i] = first;
		country_asns[i] = 20 + ASNS * countries[i].weight / sum;
		first += country_asns[i];
	}
	for (size_t i = 0; i < COUNT(ports); i++)
		w[i] = ports[i].weight;
	fill_choice(&choose_port, w, COUNT(ports));
	for (unsigned k = 0; k < OTHER; k++) {
		for (size_t i = 0; i < COUNT(products); i++)
			w[i] = products[i].kind == (enum kind)k ? products[i].weight : 0;
		fill_choice(&choose_product[k], w, COUNT(products));
	}
	for (size_t i = 0; i < COUNT(jarms); i++)
		hex_of(jarms[i], 62, &(struct rng){ i << 20 });
}

/* ---- JSON: texts of the tables need no escapes but CR and LF of banners ---- */

static void
z(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

static void
number(struct buf *b, uint64_t n)
{
	char d[20];
	size_t i = sizeof(d);

	do
		d[--i] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	buf_add(b, d + i, sizeof(d) - i);
}

static void
member(struct buf *b, const char *name)
{
	if (b->p[b->n - 1] != '{')
		buf_char(b, ',');
	buf_char(b, '"');
	z(b, name);
	buf_add(b, "\":", 2);
}

static void
text(struct buf *b, const char *name, const char *value)
{
	member(b, name);
	buf_char(b, '"');
	z(b, value);
	buf_char(b, '"');
}

static void
integer(struct buf *b, const char *name, uint64_t value)
{
	member(b, name);
	number(b, value);
}

static void
truth(struct buf *b, const char *name, bool value)
{
	member(b, name);
	z(b, value ? "true" : "false");
}

static void
item(struct buf *b, const char *value)
{
	if (b->p[b->n - 1] != '[')
		buf_char(b, ',');
	buf_char(b, '"');
	z(b, value);
	buf_char(b, '"');
}

static void
list(struct buf *b, const char *name)
{
	member(b, name);
	buf_char(b, '[');
}

static void
moment(struct buf *b, const char *name, int64_t seconds)
{
	char when[TS_LEN + 1];

	ts_print((struct ts){ seconds * 1000000 }, when);
	text(b, name, when);
}

/* ---- a host ---- */

struct host {
	uint64_t k, seed;
	struct rng r;
	struct buf *b;
	bool six;
	char ip[INET6_ADDRSTRLEN], prefix[INET6_ADDRSTRLEN + 4];
	unsigned country, trade;
	uint32_t asn, rank;
	char org[48], domain[64];
	bool malware, c2, phishing, login, has_http;
	unsigned os;
	unsigned services[SERVICES], nservices; /* rows of ports */
	int64_t last;
};

/* Public /8 networks without any reserved part; 45 is the dense one's. */
static uint32_t
general_address(uint64_t k, uint64_t seed)
{
	static uint8_t first[256];
	static unsigned n;
	uint64_t room, x;

	for (unsigned i = 1; n == 0 || (first[n - 1] < 223 && i < 224); i++)
		if (strchr("\x0a\x2d\x64\x7f\xa9\xac\xc0\xc6\xcb", (int)i) == NULL)
			first[n++] = (uint8_t)i;
	room = (uint64_t)n << 24;
	/* 2654435761 is prime and shares no factor with room: a permutation */
	x = (k * 2654435761u + mix(seed) % room) % room;
	return (uint32_t)first[x >> 24] << 24 | (uint32_t)(x & 0xffffff);
}

static void
place_four(struct host *h)
{
	static const unsigned lengths[] = { 16, 17, 18, 19, 20, 20, 20, 19 };
	uint32_t a, net;
	unsigned bits;
	struct in_addr in;

	if (h->k % DENSE_EVERY == DENSE_AT)
		a = 0x2d200000u |
		    (uint32_t)(h->k / DENSE_EVERY * 2654435761u + mix(h->seed + 1)) % (1u << 20);
	else
		a = general_address(h->k, h->seed);
	bits = lengths[mix(h->seed ^ a >> 16) % COUNT(lengths)];
	net = a & ~(UINT32_MAX >> bits);
	in.s_addr = htonl(net);
	h->r.s = mix(h->seed * 31 + ((uint64_t)net << 8 | bits));
	inet_ntop(AF_INET, &in, h->prefix, sizeof(h->prefix));
	snprintf(h->prefix + strlen(h->prefix), 4, "/%u", bits);
	in.s_addr = htonl(a);
	inet_ntop(AF_INET, &in, h->ip, sizeof(h->ip));
}

static void
place_six(struct host *h)
{
	uint64_t v = mix(h->seed * 17 + h->k);
	unsigned char b[16] = { 0x2a, (unsigned char)(v & 15), (unsigned char)(v >> 8 & 15),
		(unsigned char)(v >> 16) };
	uint32_t low = htonl((uint32_t)h->k);

	inet_ntop(AF_INET6, b, h->prefix, sizeof(h->prefix));
	memcpy(h->prefix + strlen(h->prefix), "/32", 4);
	h->r.s = mix(h->seed * 37 + (v & 0xff0f0f));
	memcpy(b + 6, &v, 2);
	memcpy(b + 12, &low, 4);
	inet_ntop(AF_INET6, b, h->ip, sizeof(h->ip));
}

static void
name_word(char *out, uint64_t v)
{
	for (unsigned i = 0; i < 3; i++, v /= COUNT(syllables))
		for (const char *s = syllables[v % COUNT(syllables)]; *s != '\0'; s++)
			*out++ = *s;
	*out = '\0';
}

/* The members that follow from the network and are the same for all its hosts. */
static void
place(struct host *h)
{
	char word[16];
	uint64_t id;

	h->six = h->k % SIX_EVERY == SIX_AT;
	if (h->six)
		place_six(h);
	else
		place_four(h);
	h->country = choose(&choose_country, &h->r);
	h->rank = zipf(&h->r, country_asns[h->country]);
	id = country_first[h->country] + h->rank;
	h->asn = (uint32_t)(id < 20000 ? 1000 + id * 3 : 131072 + id * 2);
	h->trade = (unsigned)(mix(id) % COUNT(trades));
	name_word(word, mix(id * 3 + 1));
	snprintf(h->domain, sizeof(h->domain), "%s.net", word);
	word[0] = (char)(word[0] - 32);
	snprintf(
	    h->org, sizeof(h->org), "%s %s %s", word, trades[h->trade], countries[h->country].code);
}

static void
print_place(struct host *h)
{
	const struct country *c = &countries[h->country];
	unsigned at = below(&h->r, 10);
	struct buf *b = h->b;
	char as[64];
	size_t n;

	at = at < 6 ? 0 : at < 9 ? 1 : 2;
	n = (size_t)snprintf(as, sizeof(as), "AS-%s", h->org);
	for (size_t i = 0; i < n; i++)
		as[i] = as[i] == ' '                   ? '-'
			: as[i] >= 'a' && as[i] <= 'z' ? (char)(as[i] - 32)
						       : as[i];
	text(b, "ip", h->ip);
	integer(b, "ip_version", h->six ? 6 : 4);
	integer(b, "asn", h->asn);
	text(b, "as_name", as);
	text(b, "organisation", h->org);
	text(b, "prefix", h->prefix);
	text(b, "country_code", c->code);
	text(b, "region", c->places[at][1]);
	text(b, "city", c->places[at][0]);
}

static bool
has_port(const struct host *h, unsigned row)
{
	for (unsigned i = 0; i < h->nservices; i++)
		if (h->services[i] == row)
			return true;
	return false;
}

static void
add_port(struct host *h, unsigned row)
{
	if (h->nservices == SERVICES || has_port(h, row))
		return;
	h->services[h->nservices++] = row;
	h->has_http |= ports[row].kind == HTTP;
}

enum { ROW_443 = 0, ROW_8443 = 8 };

/* Rows of ports, in the order of port numbers as the stored form has it. */
static void
choose_services(struct host *h)
{
	static const uint8_t counts[16] = { 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5, 6 };
	unsigned n = counts[below(&h->r, 16)];

	if (n == 6)
		n += below(&h->r, 3);
	for (unsigned tries = 0; h->nservices < n && tries < 64; tries++)
		add_port(h, choose(&choose_port, &h->r));
	if (h->malware && ppm(&h->r, 160000))
		add_port(h, ROW_443);
	if ((h->c2 || h->phishing) && ppm(&h->r, 140000))
		add_port(h, ROW_8443);
	if (h->login && !h->has_http)
		add_port(h, ROW_443);
	for (unsigned i = 1; i < h->nservices; i++) {
		unsigned row = h->services[i], k = i;

		for (; k > 0 && ports[h->services[k - 1]].port > ports[row].port; k--)
			h->services[k] = h->services[k - 1];
		h->services[k] = row;
	}
}

static void
choose_character(struct host *h)
{
	struct rng *r = &h->r;

	h->malware = ppm(r, 80000);
	h->c2 = ppm(r, h->malware ? 320000 : 2000);
	h->phishing = ppm(r, h->malware ? 120000 : 22000);
	h->login = ppm(r, 50000);
	h->os = zipf(r, COUNT(oses));
	h->last = newest - (int64_t)zipf(r, 30 * 86400);
}

/* Sorted, as the stored form has them. */
static void
print_tags(struct host *h)
{
	static const struct {
		const char *slug;
		uint32_t ppm;
	} tags[] = {
		{ "anycast", 9000 },
		{ "botnet", 14000 },
		{ "brute-force", 21000 },
		{ "bulletproof", 6000 },
		{ "c2", 0 },
		{ "cdn", 31000 },
		{ "cloud", 140000 },
		{ "cobalt-strike", 700 },
		{ "cryptominer", 2500 },
		{ "eol", 52000 },
		{ "honeypot", 5000 },
		{ "hosting", 180000 },
		{ "iot", 43000 },
		{ "malware", 0 },
		{ "open-directory", 11000 },
		{ "open-resolver", 8000 },
		{ "phishing", 0 },
		{ "residential", 120000 },
		{ "router", 33000 },
		{ "scanner", 38000 },
		{ "sinkhole", 400 },
		{ "spam", 17000 },
		{ "tor-exit", 1300 },
		{ "tor-relay", 4100 },
		{ "vpn", 26000 },
	};

	list(h->b, "tags");
	for (size_t i = 0; i < COUNT(tags); i++) {
		const char *s = tags[i].slug;
		bool is = tags[i].ppm > 0             ? ppm(&h->r, tags[i].ppm)
			  : strcmp(s, "c2") == 0      ? h->c2
			  : strcmp(s, "malware") == 0 ? h->malware
						      : h->phishing;

		if (is)
			item(h->b, s);
	}
	buf_char(h->b, ']');
}

static void
print_names(struct host *h)
{
	unsigned n = ppm(&h->r, 620000) ? 1 + below(&h->r, 2) : 0;
	char name[96], apex[64], word[16];

	if (ppm(&h->r, 550000)) {
		snprintf(
		    name, sizeof(name), "host-%x.%s", (unsigned)mix(h->k) & 0xffffff, h->domain);
		text(h->b, "ptr", name);
	}
	if (n == 0)
		return;
	/* few domains have many hosts, most have one */
	name_word(word, mix(ppm(&h->r, 300000) ? zipf(&h->r, 20000) : h->k));
	snprintf(apex, sizeof(apex), "%s%u.%s", word, below(&h->r, 100),
	    ppm(&h->r, 500000) ? "com" : countries[h->country].tld);
	memcpy(h->domain, apex, sizeof(h->domain));
	list(h->b, "hostnames");
	snprintf(name, sizeof(name), "%s.%s", subdomains[zipf(&h->r, COUNT(subdomains))], apex);
	if (n == 2)
		item(h->b, apex);
	item(h->b, name);
	buf_char(h->b, ']');
	list(h->b, "apex_domains");
	item(h->b, apex);
	buf_char(h->b, ']');
}

static void
print_vulnerabilities(struct host *h)
{
	uint32_t ids[4];
	unsigned n = 0, want = ppm(&h->r, 85000) ? 1 + zipf(&h->r, 4) : 0;
	char cve[32];

	if (want == 0)
		return;
	while (n < want) {
		uint32_t id = zipf(&h->r, 400);
		unsigned k = n;

		for (; k > 0 && ids[k - 1] > id; k--)
			ids[k] = ids[k - 1];
		ids[k] = id;
		n++;
	}
	list(h->b, "vulnerabilities");
	for (unsigned i = 0; i < n; i++) {
		if (i > 0 && ids[i] == ids[i - 1])
			continue;
		snprintf(cve, sizeof(cve), "CVE-%u-%u", 2014 + ids[i] / 32,
		    1000 + (unsigned)(mix(ids[i]) % 40000));
		item(h->b, cve);
	}
	buf_char(h->b, ']');
}

/* ---- a service ---- */

/* Its hash is left to the import. */
static void
print_banner(struct buf *b, const char *raw)
{
	member(b, "banner");
	buf_char(b, '"');
	for (const char *c = raw; *c != '\0'; c++) {
		if (*c == '\r')
			buf_add(b, "\\r", 2);
		else if (*c == '\n')
			buf_add(b, "\\n", 2);
		else
			buf_char(b, *c);
	}
	buf_char(b, '"');
}

static void
append(char *out, size_t room, const char *a, const char *version, const char *rest)
{
	const char *at = strstr(a, "%s");
	size_t n = at == NULL ? strlen(a) : (size_t)(at - a);

	snprintf(out, room, "%.*s%s%s%s", (int)n, a, at == NULL ? "" : version,
	    at == NULL ? "" : at + 2, rest);
}

static void
print_http(struct host *h, const char *server, bool login)
{
	static const unsigned codes[] = { 200, 200, 200, 301, 302, 403, 404, 401, 200, 500, 503 };
	struct rng *r = &h->r;
	struct buf *b = h->b;
	char hash[65] = "";
	unsigned title = zipf(r, COUNT(titles));

	member(b, "http");
	buf_char(b, '{');
	integer(b, "status_code", login ? 200 : codes[below(r, COUNT(codes))]);
	if (login)
		text(b, "title", login_titles[zipf(r, COUNT(login_titles))]);
	else if (!ppm(r, 120000))
		text(b, "title", titles[title]);
	if (*server != '\0')
		text(b, "server", server);
	hex_of(hash, 40, &(struct rng){ mix(login ? 900 + title : ppm(r, 600000) ? title : h->k) });
	text(b, "body_hash", hash);
	if (ppm(r, 250000)) {
		snprintf(hash, sizeof(hash), "%u", (unsigned)mix(zipf(r, 3000)) & 0x7fffffff);
		text(b, "favicon_hash", hash);
	}
	if (login || ppm(r, 90000)) {
		list(b, "capabilities");
		if (!login)
			item(b, "directory-listing");
		else
			item(b, "login-form");
		buf_char(b, ']');
	}
	buf_char(b, '}');
}

static void
print_tls(struct host *h, unsigned jarm)
{
	struct rng *r = &h->r;
	struct buf *b = h->b;
	bool own = ppm(r, 180000);
	char hash[65] = "";

	member(b, "tls");
	buf_char(b, '{');
	text(b, "version", ppm(r, 620000) ? "TLSv1.3" : ppm(r, 900000) ? "TLSv1.2" : "TLSv1.0");
	text(b, "jarm", jarms[jarm % COUNT(jarms)]);
	member(b, "certificate");
	buf_char(b, '{');
	hex_of(hash, 64, &(struct rng){ mix(h->seed + h->k * 8 + 5) });
	text(b, "fingerprint_sha256", hash);
	text(b, "subject_cn", h->domain);
	text(b, "issuer_cn", own ? h->domain : issuers[zipf(r, COUNT(issuers))]);
	list(b, "names");
	item(b, h->domain);
	buf_char(b, ']');
	moment(b, "not_after", newest + ((int64_t)below(r, 500) - 60) * 86400);
	truth(b, "self_signed", own);
	z(b, "}}");
}

static void
print_service_tags(struct host *h, const struct port *p, bool login)
{
	const char *tag = login ? "login" : NULL;

	if (p->kind == HTTP && !login && ppm(&h->r, 200000))
		tag = "default-page";
	else if (p->kind == SQL)
		tag = "database";
	else if (p->kind == RDP || p->kind == VNC || p->kind == SSH)
		tag = "remote-access";
	else if (p->kind == MODBUS)
		tag = "ics";
	if (tag == NULL)
		return;
	list(h->b, "tags");
	item(h->b, tag);
	buf_char(h->b, ']');
}

static const char *
print_product(struct host *h, const struct port *p, char *server, size_t room)
{
	const struct product *t;
	const char *version;
	char line[256];

	if (p->kind == OTHER || ppm(&h->r, 120000))
		return NULL;
	t = &products[choose(&choose_product[p->kind], &h->r)];
	version = t->versions[zipf(&h->r, COUNT(t->versions))];
	text(h->b, "vendor", t->vendor);
	text(h->b, "product", t->product);
	text(h->b, "version", version);
	snprintf(line, sizeof(line), "cpe:/a:%s:%s", t->cpe, version);
	list(h->b, "cpe");
	item(h->b, line);
	buf_char(h->b, ']');
	if (t->banner == NULL)
		return t->product;
	append(line, sizeof(line), t->banner, version, "");
	if (p->kind == HTTP) {
		append(server, room, t->banner, version, "");
		snprintf(line, sizeof(line), "HTTP/1.1 200 OK\r\nServer: %s\r\n\r\n", server);
	}
	print_banner(h->b, line);
	return t->product;
}

static void
print_service(struct host *h, unsigned row, bool login)
{
	const struct port *p = &ports[row];
	struct buf *b = h->b;
	char server[96] = "";
	const char *product;
	bool https = p->kind == HTTP && p->tls;

	if (b->p[b->n - 1] != '[')
		buf_char(b, ',');
	buf_char(b, '{');
	integer(b, "port", p->port);
	text(b, "transport", p->udp ? "udp" : "tcp");
	text(b, "protocol", https ? "https" : p->kind == HTTP ? "http" : p->name);
	text(b, "service_name", p->kind == HTTP ? "http" : p->name);
	product = print_product(h, p, server, sizeof(server));
	print_service_tags(h, p, login);
	truth(b, "tls_enabled", p->tls);
	if (p->kind == HTTP)
		print_http(h, server, login);
	if (p->tls)
		print_tls(h, product == NULL
				 ? zipf(&h->r, 256)
				 : (unsigned)mix((unsigned char)product[0] * 7u + zipf(&h->r, 8)));
	buf_char(b, '}');
}

static void
print_host(struct buf *b, uint64_t seed, uint64_t k)
{
	struct host h = { .k = k, .seed = seed, .b = b };
	bool login;

	buf_char(b, '{');
	place(&h);
	h.r.s = mix(mix(seed) + k * 0x632be59bd9b4e019u);
	print_place(&h);
	choose_character(&h);
	choose_services(&h);
	print_names(&h);
	if (ppm(&h.r, 640000)) {
		text(b, "os", oses[h.os]);
		list(b, "cpe");
		item(b, os_cpes[h.os]);
		buf_char(b, ']');
	}
	print_vulnerabilities(&h);
	print_tags(&h);
	moment(b, "first_seen", h.last - (int64_t)below(&h.r, 730 * 86400));
	moment(b, "last_seen", h.last);
	integer(b, "service_count", h.nservices);
	list(b, "services");
	login = h.login;
	for (unsigned i = 0; i < h.nservices; i++) {
		bool here = login && ports[h.services[i]].kind == HTTP;

		print_service(&h, h.services[i], here);
		login = login && !here;
	}
	z(b, "]}\n");
}

/* ---- the program ---- */

static bool
write_all(const struct buf *b)
{
	for (size_t at = 0; at < b->n;) {
		ssize_t k = write(STDOUT_FILENO, b->p + at, b->n - at);

		if (k < 0 && errno != EINTR)
			return false;
		at += k > 0 ? (size_t)k : 0;
	}
	return true;
}

static bool
number_of(const char *arg, uint64_t *out)
{
	int64_t v;

	if (!str_int64(str_of(arg), &v) || v < 0)
		return false;
	*out = (uint64_t)v;
	return true;
}

int
main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "hosts", required_argument, NULL, 'h' },
		{ "seed", required_argument, NULL, 's' },
		{ "start", required_argument, NULL, 'k' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t hosts = 0, seed = 1, start = 0;
	struct buf b = { .a = NULL };
	bool ok = true;
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1)
		ok = ok && c != '?' &&
		     number_of(optarg, c == 'h'   ? &hosts
				       : c == 's' ? &seed
						  : &start);
	if (!ok || optind != argc || hosts == 0 || hosts > max_hosts || start > max_hosts - hosts) {
		fputs("usage: hostgen --hosts N [--seed S] [--start K]\n", stderr);
		return 2;
	}
	prepare();
	for (uint64_t k = start; k < start + hosts && ok; k++) {
		print_host(&b, seed, k);
		if (b.n >= OUT || k + 1 == start + hosts) {
			ok = write_all(&b);
			buf_clear(&b);
		}
	}
	buf_free(&b);
	return ok ? 0 : 1;
}
