/* SPDX-License-Identifier: ISC */
/* The client's side of the proxy of a route: HTTP CONNECT and SOCKS5, fed byte by byte
 * (reach.c). The proxy is asked for an address and never for a name, so that it connects to what
 * was checked.
 *
 * Bytes behind the proxy's answer come from the target, and the relay must get them. An HTTP
 * answer ends with an empty line and has no length, so it is read byte by byte, and proxy_take
 * reports how many bytes it has used. Passwords are erased from the buffers as soon as they are
 * sent. */
#include "config.h"

#include <openssl/evp.h> /* first: it declares a member called rand, which base.h bans */

#include "browser/egress/proto.h"

#include <arpa/inet.h>

enum { SOCKS_VERSION = 5, AUTH_VERSION = 1, METHOD_NONE = 0, METHOD_PASSWORD = 2 };

enum stage { STAGE_METHOD, STAGE_PASSWORD, STAGE_REPLY, STAGE_STATUS, STAGE_HEADERS };

static bool
copy_credential_part(struct str s, char out[PROXY_WORD_MAX + 1])
{
	if (s.n == 0 || s.n > PROXY_WORD_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return false;
	memcpy(out, s.p, s.n);
	out[s.n] = '\0';
	return true;
}

bool
credential_parse(struct str text, struct credential *out)
{
	struct str password = str_until(&text, '\n'), user;

	if (str_ends(password, STR("\r")))
		password.n--;
	user = str_until(&password, ':');
	if (password.p == NULL)
		return false;
	out->given =
	    copy_credential_part(user, out->user) && copy_credential_part(password, out->password);
	return out->given;
}

static void
put_bytes(struct proxy *p, const void *bytes, size_t n)
{
	if (n > sizeof(p->out) - p->out_n)
		panic("a message of %zu bytes to a proxy does not fit", n);
	memcpy(p->out + p->out_n, bytes, n);
	p->out_n += n;
}

static void
put_z(struct proxy *p, const char *z)
{
	put_bytes(p, z, strlen(z));
}

static void
put_byte(struct proxy *p, size_t byte)
{
	unsigned char b = (unsigned char)byte;

	put_bytes(p, &b, 1);
}

static enum proxy_step
send_then_expect(struct proxy *p, enum stage stage)
{
	p->stage = (int)stage;
	p->n = 0;
	return PROXY_SEND;
}

/* ---- HTTP CONNECT ---- */

static void
put_basic_auth(struct proxy *p)
{
	char plain[2 * PROXY_WORD_MAX + 2];
	unsigned char coded[sizeof(plain) / 3 * 4 + 8];
	int n =
	    snprintf(plain, sizeof(plain), "%s:%s", p->credential->user, p->credential->password);

	if (n < 0 || (size_t)n >= sizeof(plain))
		panic("a credential does not fit into its buffer");
	EVP_EncodeBlock(coded, (const unsigned char *)plain, n);
	put_z(p, "Proxy-Authorization: Basic ");
	put_z(p, (const char *)coded);
	put_z(p, "\r\n");
	explicit_bzero(plain, sizeof(plain));
	explicit_bzero(coded, sizeof(coded));
}

static void
begin_connect(struct proxy *p)
{
	char ip[INET6_ADDRSTRLEN], authority[INET6_ADDRSTRLEN + 16];

	if (inet_ntop(p->to.family, p->to.b, ip, sizeof(ip)) == NULL)
		panic("inet_ntop failed for family %d", p->to.family);
	snprintf(authority, sizeof(authority), p->to.family == AF_INET6 ? "[%s]:%u" : "%s:%u", ip,
	    p->port);
	put_z(p, "CONNECT ");
	put_z(p, authority);
	put_z(p, " HTTP/1.1\r\nHost: ");
	put_z(p, authority);
	put_z(p, "\r\n");
	if (p->credential->given)
		put_basic_auth(p);
	put_z(p, "\r\n");
	send_then_expect(p, STAGE_STATUS);
}

/* The status of a first line that begins like "HTTP/1.1 200"; -1 for any other line. */
static int
parse_status(const struct proxy *p)
{
	const char *s = (const char *)p->room;
	int n = 0;

	if (p->n < 12 || memcmp(s, "HTTP/1.", 7) != 0 || s[7] < '0' || s[7] > '9' || s[8] != ' ' ||
	    (p->n > 12 && s[12] != ' '))
		return -1;
	for (int i = 9; i < 12; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		n = n * 10 + (s[i] - '0');
	}
	return n;
}

/* Called at the end of the first line, whose first 13 bytes are in room. */
static enum proxy_step
judge_status_line(struct proxy *p)
{
	int code = parse_status(p);

	if (code < 100)
		return PROXY_BAD;
	if (code == 407)
		return PROXY_ACCESS;
	if (code >= 300)
		return PROXY_REFUSED;
	p->stage = STAGE_HEADERS;
	return PROXY_MORE;
}

/* Called at the end of a header line. The empty line ends the answer, which may be an interim one
   (1xx). */
static enum proxy_step
judge_header(struct proxy *p)
{
	if (p->line > 0)
		return PROXY_MORE;
	if (parse_status(p) >= 200)
		return PROXY_DONE;
	p->stage = STAGE_STATUS;
	p->n = 0;
	return PROXY_MORE;
}

static enum proxy_step
end_line(struct proxy *p)
{
	enum proxy_step step = p->stage == STAGE_STATUS ? judge_status_line(p) : judge_header(p);

	p->line = 0;
	return step;
}

static enum proxy_step
read_connect_byte(struct proxy *p, unsigned char c)
{
	if (++p->head > PROXY_HEAD_MAX)
		return PROXY_BAD;
	if (c == '\n')
		return end_line(p);
	if (c == '\r')
		return PROXY_MORE;
	if (c < 0x20 && c != '\t')
		return PROXY_BAD;
	p->line++;
	if (p->stage == STAGE_STATUS && p->n < 13)
		p->room[p->n++] = c;
	if (p->stage == STAGE_STATUS && p->n <= 7 && memcmp(p->room, "HTTP/1.", p->n) != 0)
		return PROXY_BAD;
	return PROXY_MORE;
}

/* ---- SOCKS5 ---- */

static void
begin_socks(struct proxy *p)
{
	bool given = p->credential->given;

	put_byte(p, SOCKS_VERSION);
	put_byte(p, given ? 2 : 1);
	put_byte(p, METHOD_NONE);
	if (given)
		put_byte(p, METHOD_PASSWORD);
	send_then_expect(p, STAGE_METHOD);
}

static enum proxy_step
put_socks_request(struct proxy *p)
{
	bool six = p->to.family == AF_INET6;

	put_byte(p, SOCKS_VERSION);
	put_byte(p, SOCKS_CONNECT);
	put_byte(p, 0);
	put_byte(p, six ? SOCKS_IPV6 : SOCKS_IPV4);
	put_bytes(p, p->to.b, six ? 16 : 4);
	put_byte(p, p->port >> 8);
	put_byte(p, p->port & 0xff);
	return send_then_expect(p, STAGE_REPLY);
}

static enum proxy_step
put_proxy_password(struct proxy *p)
{
	const struct credential *c = p->credential;

	put_byte(p, AUTH_VERSION);
	put_byte(p, strlen(c->user));
	put_z(p, c->user);
	put_byte(p, strlen(c->password));
	put_z(p, c->password);
	return send_then_expect(p, STAGE_PASSWORD);
}

static enum proxy_step
judge_method(struct proxy *p)
{
	if (p->room[1] == METHOD_NONE)
		return put_socks_request(p);
	if (p->room[1] == METHOD_PASSWORD && p->credential->given)
		return put_proxy_password(p);
	return p->room[1] == 0xff ? PROXY_ACCESS : PROXY_BAD;
}

/* Ignores the version in the answer: servers differ there. */
/* The length of the reply; known once five bytes have arrived. */
static size_t
reply_length(const struct proxy *p)
{
	if (p->room[3] == SOCKS_NAME)
		return 7 + (size_t)p->room[4];
	return p->room[3] == SOCKS_IPV6 ? 22 : 10;
}

static enum proxy_step
judge_reply(struct proxy *p)
{
	if (p->n < 5)
		return PROXY_MORE;
	if (p->room[3] != SOCKS_IPV4 && p->room[3] != SOCKS_NAME && p->room[3] != SOCKS_IPV6)
		return PROXY_BAD;
	return p->n == reply_length(p) ? PROXY_DONE : PROXY_MORE;
}

static enum proxy_step
read_socks_byte(struct proxy *p, unsigned char c)
{
	p->room[p->n++] = c;
	if (p->stage != STAGE_PASSWORD && p->room[0] != SOCKS_VERSION)
		return PROXY_BAD;
	if (p->n < 2)
		return PROXY_MORE;
	if (p->stage == STAGE_METHOD)
		return judge_method(p);
	if (p->stage == STAGE_PASSWORD)
		return p->room[1] == 0 ? put_socks_request(p) : PROXY_ACCESS;
	return p->room[1] != 0 ? PROXY_REFUSED : judge_reply(p);
}

void
proxy_begin(struct proxy *p)
{
	if (p->kind == PROXY_CONNECT)
		begin_connect(p);
	else
		begin_socks(p);
}

void
proxy_sent(struct proxy *p)
{
	explicit_bzero(p->out, sizeof(p->out));
	p->out_n = 0;
}

enum proxy_step
proxy_take(struct proxy *p, const unsigned char *bytes, size_t n, size_t *used)
{
	enum proxy_step step = PROXY_MORE;

	for (*used = 0; *used < n && step == PROXY_MORE;) {
		unsigned char c = bytes[(*used)++];

		step = p->kind == PROXY_CONNECT ? read_connect_byte(p, c) : read_socks_byte(p, c);
	}
	return step;
}
