/* SPDX-License-Identifier: ISC */
/* Checks the answers of look-ups. A browser's name is refused if any of its addresses is not
 * public, so every address is checked before the first is used: the owner of a name could
 * otherwise mix addresses of this network among public ones and wait until the public ones fail.
 *
 * Names of proxies (LOOKUP_OURS) come from the administrator, and may have any address. The
 * checked addresses are passed on as bytes; nothing is looked up twice. */
#include "config.h"

#include "browser/egress/egress.h"

#include <ares.h>
#include <netinet/in.h>

static bool
copy_node_ip(const struct ares_addrinfo_node *node, struct ip *out)
{
	struct sockaddr_in four;
	struct sockaddr_in6 six;

	*out = (struct ip){ .family = node->ai_family };
	if (node->ai_family == AF_INET && node->ai_addrlen >= sizeof(four)) {
		memcpy(&four, node->ai_addr, sizeof(four));
		memcpy(out->b, &four.sin_addr, 4);
		return true;
	}
	if (node->ai_family == AF_INET6 && node->ai_addrlen >= sizeof(six)) {
		memcpy(&six, node->ai_addr, sizeof(six));
		memcpy(out->b, &six.sin6_addr, 16);
		return true;
	}
	return false;
}

/* The first node of a family, from node on; NULL: none. */
static const struct ares_addrinfo_node *
find_family(const struct ares_addrinfo_node *node, int family)
{
	while (node != NULL && node->ai_family != family)
		node = node->ai_next;
	return node;
}

/* Copies the addresses, alternating between IPv6 and IPv4 (RFC 8305), so that a broken family costs
   little. */
static void
interleave_addresses(struct addresses *to, const struct ares_addrinfo_node *nodes)
{
	const struct ares_addrinfo_node *six = find_family(nodes, AF_INET6),
					*four = find_family(nodes, AF_INET);

	while (to->n < ADDRESSES_MAX && (six != NULL || four != NULL)) {
		const struct ares_addrinfo_node **from =
		    four == NULL || (six != NULL && to->n % 2 == 0) ? &six : &four;

		if (copy_node_ip(*from, &to->ips[to->n]))
			to->n++;
		*from = find_family((*from)->ai_next, (*from)->ai_family);
	}
}

static enum reason
judge_addresses(enum lookup_kind kind, const struct ares_addrinfo_node *nodes)
{
	struct ip ip;

	if (nodes == NULL)
		return REASON_DNS;
	for (; nodes != NULL; nodes = nodes->ai_next)
		if (kind == LOOKUP_PUBLIC && (!copy_node_ip(nodes, &ip) || !ip_public(&ip)))
			return REASON_ANSWER;
	return REASON_CONNECTED;
}

static enum reason
status_reason(int status)
{
	switch (status) {
	case ARES_ENODATA:
	case ARES_ENOTFOUND:
	case ARES_EBADNAME:
	case ARES_EBADRESP:
	case ARES_EFORMERR:
		return REASON_DNS;
	default:
		return REASON_RESOLVER;
	}
}

enum reason
answer_judge(
    enum lookup_kind kind, int status, const struct ares_addrinfo *found, struct addresses *to)
{
	enum reason why =
	    status == ARES_SUCCESS ? judge_addresses(kind, found->nodes) : status_reason(status);

	to->n = 0;
	if (why == REASON_CONNECTED)
		interleave_addresses(to, found->nodes);
	return why;
}
