/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: may the programs that connect out reach the name servers of this machine?
   Their units deny link-local addresses, where clouds have their metadata; but some clouds have
   their name server there too, Google's even at the same address. Which address is right to allow
   depends on the machine, so the units allow none, and doctor compares /etc/resolv.conf with the
   rules that systemd applies:

     /etc/resolv.conf         nameserver 169.254.169.254
     systemctl show           IPAddressDeny=169.254.0.0/16 ...     denied,
                              IPAddressAllow=169.254.169.254/32    unless an address or a network here has
                                                                   it */
#include "config.h"

#include "cli/doctor/doctor.h"
#include "cli/process.h"

#include <arpa/inet.h>

#define RESOLV_CONF "/etc/resolv.conf"

enum { RULES_MAX = 65536, TEXT_MAX = 128 };

struct network {
	int family;
	unsigned char address[16];
	unsigned bits;
};

/* Parses ADDRESS or ADDRESS/BITS. */
static bool
parse_network(const char *text, struct network *out)
{
	size_t n = strcspn(text, "/");
	char address[TEXT_MAX];
	int64_t bits;

	if (n >= sizeof(address))
		return false;
	memcpy(address, text, n);
	address[n] = '\0';
	*out = (struct network){ .family = strchr(address, ':') != NULL ? AF_INET6 : AF_INET };
	out->bits = out->family == AF_INET6 ? 128 : 32;
	if (text[n] == '/') {
		if (!str_int64(str_of(text + n + 1), &bits) || bits < 0 || bits > out->bits)
			return false;
		out->bits = (unsigned)bits;
	}
	return inet_pton(out->family, address, out->address) == 1;
}

static bool
network_contains(const struct network *net, const struct network *a)
{
	if (net->family != a->family)
		return false;
	for (unsigned i = 0; i < net->bits && i < a->bits; i++)
		if (((net->address[i / 8] ^ a->address[i / 8]) >> (7 - i % 8) & 1) != 0)
			return false;
	return true;
}

/* Whether a network on the line of this property, "IPAddressDeny=NETWORK NETWORK", contains the
   address. systemd decides by the lists and not by the longest prefix: an address that
   IPAddressAllow contains may be reached even when IPAddressDeny contains it, too.
   check_name_server therefore asks for both lists. systemctl prints networks in canonical form,
   without names such as "link-local", so comparing bits is enough. */
static bool
is_network_listed(const char *rules, const char *property, const struct network *a)
{
	const char *p = strstr(rules, property);
	char text[TEXT_MAX];
	struct network net;
	int n;

	if (p == NULL)
		return false;
	p += strlen(property);
	while (sscanf(p, "%127[^ \n]%n", text, &n) == 1) {
		if (parse_network(text, &net) && network_contains(&net, a))
			return true;
		p += n;
		p += strspn(p, " ");
	}
	return false;
}

static void
check_name_server(struct doctor *d, const char *unit, const char *rules, const char *server)
{
	struct network a;

	if (!parse_network(server, &a))
		return;
	if (is_network_listed(rules, "IPAddressDeny=", &a) &&
	    !is_network_listed(rules, "IPAddressAllow=", &a))
		doctor_report(d, HEALTH_FAILED, "resolver", DO_WITH(ALLOW_SERVER, unit, server),
		    "%s may not reach %s, a name server of " RESOLV_CONF, unit, server);
	else
		doctor_report(d, HEALTH_OK, "resolver", NO_ADVICE, "%s may reach %s", unit, server);
}

static void
check_unit(struct doctor *d, const char *unit)
{
	const char *argv[] = { "systemctl", "show", "-p", "IPAddressDeny", "-p", "IPAddressAllow",
		PRINTED(d, "%s.service", unit), NULL };
	struct buf rules = { .a = d->c->arena };
	char line[512], server[TEXT_MAX];
	FILE *in;

	/* Without systemd there is no unit, and nothing is denied. */
	if (process_read((char *const *)(uintptr_t)argv, &rules, RULES_MAX) != 0)
		return;
	buf_char(&rules, '\0');
	in = fopen(RESOLV_CONF, "re");
	if (in == NULL)
		return;
	while (fgets(line, sizeof(line), in) != NULL)
		if (sscanf(line, " nameserver %127[^ \t\n%]", server) == 1)
			check_name_server(d, unit, rules.p, PRINTED(d, "%s", server));
	fclose(in);
}

void
doctor_resolver(struct doctor *d)
{
	static const enum program_id outward[] = { PROGRAM_ALERT, PROGRAM_EGRESS };

	for (size_t i = 0; i < COUNT(outward); i++)
		if (d->programs[outward[i]].wanted)
			check_unit(d, d->programs[outward[i]].name);
}
