/* SPDX-License-Identifier: ISC */
/* Checks the form of webhook URLs, and signs deliveries. Nothing is resolved here: src/alert checks
   the addresses of a name each time it connects. */
#include "config.h"

#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */
#include <openssl/hmac.h>

#include "address/netaddr.h"
#include "address/start_url.h"
#include "address/webhook.h"
#include "base/limits.h"

#include <arpa/inet.h>

void
webhook_secret_make(char out[WEBHOOK_SECRET_LEN + 1])
{
	unsigned char bytes[WEBHOOK_KEY_LEN];
	static const char prefix[] = "whsec_";

	random_bytes(bytes, sizeof(bytes));
	memcpy(out, prefix, sizeof(prefix) - 1);
	EVP_EncodeBlock((unsigned char *)out + sizeof(prefix) - 1, bytes, (int)sizeof(bytes));
}

struct str
webhook_sign(struct arena *a, const struct webhook *w)
{
	static const struct str prefix = STR_INIT("whsec_");
	unsigned char key[64], mac[EVP_MAX_MD_SIZE];
	struct buf signed_text = { .a = a };
	char text[64];
	unsigned n = 0;

	/* 43 characters of base64 and one of padding: EVP_DecodeBlock adds a zero byte after the
	   key. */
	if (w->secret.n != WEBHOOK_SECRET_LEN || !str_starts(w->secret, prefix) ||
	    EVP_DecodeBlock(key, (const unsigned char *)w->secret.p + prefix.n,
		(int)(w->secret.n - prefix.n)) != WEBHOOK_KEY_LEN + 1)
		return STR_NULL;
	buf_str(&signed_text, w->id);
	buf_printf(&signed_text, ".%lld.", (long long)w->at);
	buf_str(&signed_text, w->body);
	if (HMAC(EVP_sha256(), key, WEBHOOK_KEY_LEN, (const unsigned char *)signed_text.p,
		signed_text.n, mac, &n) == NULL)
		panic("HMAC failed");
	OPENSSL_cleanse(key, sizeof(key));
	EVP_EncodeBlock((unsigned char *)text, mac, (int)n);
	return arena_printf(a, "v1,%s", text);
}

/* Copies s with a NUL at its end; false when it does not fit or contains a NUL. */
static bool
copy_z(struct str s, char *out, size_t room)
{
	if (s.n >= room || memchr(s.p, '\0', s.n) != NULL)
		return false;
	memcpy(out, s.p, s.n);
	out[s.n] = '\0';
	return true;
}

static const char *
ipv6_fault(struct str host)
{
	char text[INET6_ADDRSTRLEN];
	unsigned char a[16];

	if (!copy_z(host, text, sizeof(text)) || inet_pton(AF_INET6, text, a) != 1)
		return "has no valid address";
	return netaddr_public6(a) ? NULL : "has an address that is not public";
}

static bool
label_is_valid(struct str l)
{
	for (size_t i = 0; i < l.n; i++) {
		char c = l.p[i];

		if (!((c >= 'a' && c <= 'z') || ascii_digit(c) || c == '-' || c == '_'))
			return false;
	}
	return l.n >= 1 && l.n <= 63 && l.p[0] != '-' && l.p[l.n - 1] != '-';
}

/* host: lower-case ASCII. A name whose last label begins with a digit may be an IPv4 address in
   another spelling; only four decimal numbers are accepted. */
static const char *
webhook_host_fault(struct str host)
{
	char text[INET_ADDRSTRLEN];
	unsigned char a[4];
	struct str rest = host, label = STR_NULL;
	size_t labels = 0;

	if (copy_z(host, text, sizeof(text)) && inet_pton(AF_INET, text, a) == 1)
		return netaddr_public4(a) ? NULL : "has an address that is not public";
	for (; rest.p != NULL; labels++) { /* runs at least once: host is not empty */
		label = str_until(&rest, '.');
		if (!label_is_valid(label))
			return "has no valid host name";
	}
	if (label.n == 0 || host.n > 253 || ascii_digit(label.p[0]))
		return "has no valid host name";
	if (labels < 2 || host_local(host))
		return "has a host name that is not public";
	return NULL;
}

/* Ports of other protocols are refused even if conf.webhook_ports lists them, so that no webhook
   can be parsed as a command of another protocol. */
static const int other_protocols[] = {
#define SERVICE_PORT(n) n,
#include "tbl/unsafe_ports.h"
};

/* list: ports and ranges of ports, separated by blanks or commas, like conf.webhook_ports. */
static bool
port_listed(const char *list, int64_t port)
{
	while (*list != '\0') {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (end == list)
			return false; /* no number: the rest is ignored */
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (port >= first && port <= last)
			return true;
		list = end + strspn(end, " \t,");
	}
	return false;
}

static const char *
webhook_port_fault(struct str port, const char *list)
{
	int64_t n;

	if (port.n == 0 || port.n > 5 || port.p[0] < '1' || port.p[0] > '9' ||
	    !str_int64(port, &n) || n > 65535)
		return "has no valid port";
	for (size_t i = 0; i < COUNT(other_protocols); i++)
		if (n == other_protocols[i])
			return "has a port of another protocol than HTTP";
	if (start_url_port_blocked(n))
		return "has a port of another protocol than HTTP";
	return port_listed(list, n) ? NULL : "has a port that webhooks do not go to";
}

/* s: "host", "host:port", "[address]" or "[address]:port". */
static const char *
authority_fault(struct str s, const char *ports)
{
	char room[256];
	const char *fault, *colon;
	struct str host = s;

	if (memchr(s.p, '@', s.n) != NULL)
		return "must not have a user name or password";
	if (s.n > 0 && s.p[0] == '[') {
		colon = memchr(s.p, ']', s.n);
		if (colon == NULL)
			return "has no valid address";
		fault = ipv6_fault((struct str){ s.p + 1, (size_t)(colon - s.p) - 1 });
		host.n = (size_t)(colon - s.p) + 1;
	} else {
		colon = s.n == 0 ? NULL : memchr(s.p, ':', s.n);
		host.n = colon == NULL ? s.n : (size_t)(colon - s.p);
		if (host.n == 0 || host.n > sizeof(room))
			return "has no valid host name";
		fault = webhook_host_fault(str_lower_ascii(room, host));
	}
	if (fault != NULL)
		return fault;
	if (host.n == s.n)
		return webhook_port_fault(STR("443"), ports);
	if (s.p[host.n] != ':')
		return "has no valid host name";
	return webhook_port_fault((struct str){ s.p + host.n + 1, s.n - host.n - 1 }, ports);
}

const char *
webhook_url_fault(struct str url, const char *ports)
{
	char scheme[8];
	size_t n = 0;

	if (url.n < 8 || !str_is(str_lower_ascii(scheme, (struct str){ url.p, 8 }), "https://"))
		return "must begin with https://";
	if ((int64_t)url.n > LIM_WEBHOOK_URL)
		return "is too long";
	for (size_t i = 0; i < url.n; i++)
		if (url.p[i] <= ' ' || url.p[i] > '~' || strchr("\"<>\\^`{|}#", url.p[i]) != NULL)
			return "has a character that must be escaped, or a fragment";
	url = (struct str){ url.p + 8, url.n - 8 };
	while (n < url.n && url.p[n] != '/' && url.p[n] != '?')
		n++;
	return authority_fault((struct str){ url.p, n }, ports);
}
