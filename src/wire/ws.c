/* SPDX-License-Identifier: ISC */
/* WebSocket frames; ws.h explains the reader. The head is collected byte by byte, because any cut
   may fall into it, and because each byte can already show an error. */
#include "config.h"

#include "wire/ws.h"

#include <assert.h>

enum {
	RSV = 0x70,
	OPCODE = 0x0f,
	CONTROL = 0x08, /* this bit is set in the opcodes of control frames */
	MASKED = 0x80,
	LENGTH = 0x7f,
	LENGTH16 = 126,
	LENGTH64 = 127,
	CODE_BYTES = 2,
};

static enum ws_event
reject_frame(struct ws_reader *r, enum ws_code code, const char *why)
{
	r->stage = WS_FAILED;
	r->code = code;
	r->why = why;
	return WS_BAD;
}

static bool
is_control_frame(const struct ws_frame *f)
{
	return (f->opcode & CONTROL) != 0;
}

void
ws_start(struct ws_reader *r, const struct ws_rules *rules)
{
	assert(!rules->text || rules->unmask || !rules->masked);
	memset(r, 0, sizeof(*r));
	r->rules = *rules;
	r->close_reason = STR_NULL;
}

/* ---- UTF-8 in portions that may end within a character ---- */

/* The state of a sequence: 0 between characters; otherwise the number of missing bytes << 16 | the
   least << 8 | the greatest value of the next byte. Only a second byte has other bounds than 80 and
   BF (RFC 3629, section 4). */
static uint32_t
utf8_state(unsigned bytes, unsigned least, unsigned greatest)
{
	return bytes << 16 | least << 8 | greatest;
}

static const uint32_t utf8_bad = UINT32_MAX;

static uint32_t
utf8_first(unsigned char c)
{
	if (c < 0x80)
		return 0;
	if (c < 0xc2 || c > 0xf4)
		return utf8_bad;
	if (c < 0xe0)
		return utf8_state(1, 0x80, 0xbf);
	if (c < 0xf0)
		return utf8_state(2, c == 0xe0 ? 0xa0 : 0x80, c == 0xed ? 0x9f : 0xbf);
	return utf8_state(3, c == 0xf0 ? 0x90 : 0x80, c == 0xf4 ? 0x8f : 0xbf);
}

static uint32_t
utf8_next(uint32_t state, unsigned char c)
{
	unsigned bytes = state >> 16;

	if (bytes == 0)
		return utf8_first(c);
	if (c < (state >> 8 & 0xff) || c > (state & 0xff))
		return utf8_bad;
	return bytes == 1 ? 0 : utf8_state(bytes - 1, 0x80, 0xbf);
}

static uint32_t
utf8_run(uint32_t state, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n && state != utf8_bad; i++)
		state = utf8_next(state, p[i]);
	return state;
}

/* ---- heads ---- */

static enum ws_event
check_first_byte(struct ws_reader *r, unsigned char first)
{
	struct ws_frame *f = &r->frame;

	f->opcode = first & OPCODE;
	f->fin = (first & WS_FIN) != 0;
	if (first & RSV)
		return reject_frame(r, WS_PROTOCOL_ERROR, "reserved bit");
	if (f->opcode > WS_PONG || (f->opcode > WS_BINARY && f->opcode < WS_CLOSE))
		return reject_frame(r, WS_PROTOCOL_ERROR, "reserved opcode");
	if (is_control_frame(f)) {
		f->message = f->opcode;
		return f->fin ? WS_MORE
			      : reject_frame(r, WS_PROTOCOL_ERROR, "fragmented control frame");
	}
	if (f->opcode == WS_CONTINUATION && r->unfinished == WS_CONTINUATION)
		return reject_frame(r, WS_PROTOCOL_ERROR, "continuation of nothing");
	if (f->opcode != WS_CONTINUATION && r->unfinished != WS_CONTINUATION)
		return reject_frame(r, WS_PROTOCOL_ERROR, "message within a message");
	f->message = f->opcode == WS_CONTINUATION ? r->unfinished : f->opcode;
	return WS_MORE;
}

static enum ws_event
check_second_byte(struct ws_reader *r, unsigned char second)
{
	struct ws_frame *f = &r->frame;

	f->masked = (second & MASKED) != 0;
	if (f->masked != r->rules.masked)
		return reject_frame(r, WS_PROTOCOL_ERROR,
		    f->masked ? "masked frame of a server" : "unmasked frame of a client");
	if (is_control_frame(f) && (second & LENGTH) > WS_CONTROL_MAX)
		return reject_frame(r, WS_PROTOCOL_ERROR, "control frame above 125 bytes");
	if (f->opcode == WS_CLOSE && (second & LENGTH) == 1)
		return reject_frame(r, WS_PROTOCOL_ERROR, "close frame with half a code");
	return WS_MORE;
}

/* The number of bytes of the extended length after the second byte. */
static size_t
length_bytes(unsigned char second)
{
	switch (second & LENGTH) {
	case LENGTH16:
		return 2;
	case LENGTH64:
		return 8;
	default:
		return 0;
	}
}

static enum ws_event
check_length(struct ws_reader *r)
{
	struct ws_frame *f = &r->frame;
	size_t bytes = length_bytes(r->head[1]);

	f->length = bytes == 0 ? r->head[1] & LENGTH : 0;
	for (size_t i = 0; i < bytes; i++)
		f->length = f->length << 8 | r->head[2 + i];
	if (f->length >> 63)
		return reject_frame(r, WS_PROTOCOL_ERROR, "length above 63 bits");
	if ((bytes == 2 && f->length < LENGTH16) || (bytes == 8 && f->length <= UINT16_MAX))
		return reject_frame(r, WS_PROTOCOL_ERROR, "length not in its shortest form");
	if (is_control_frame(f))
		return WS_MORE;
	if (f->length > r->rules.frame_max)
		return reject_frame(r, WS_TOO_BIG, "frame too big");
	if (r->rules.message_max > 0 && (r->message_bytes > r->rules.message_max ||
					    f->length > r->rules.message_max - r->message_bytes))
		return reject_frame(r, WS_TOO_BIG, "message too big");
	return WS_MORE;
}

static size_t
head_length(const struct ws_reader *r)
{
	if (r->have < 2)
		return 2;
	return 2 + length_bytes(r->head[1]) + (r->head[1] & MASKED ? sizeof(r->frame.mask) : 0);
}

/* Adds a byte to the head and checks it: WS_BAD when it shows an error, otherwise WS_MORE. */
static enum ws_event
add_head_byte(struct ws_reader *r, unsigned char c)
{
	r->head[r->have++] = c;
	if (r->have == 1)
		return check_first_byte(r, c);
	if (r->have == 2 && check_second_byte(r, c) == WS_BAD)
		return WS_BAD;
	return r->have == 2 + length_bytes(r->head[1]) ? check_length(r) : WS_MORE;
}

static void
start_payload(struct ws_reader *r)
{
	struct ws_frame *f = &r->frame;

	if (f->masked)
		memcpy(f->mask, r->head + r->have - sizeof(f->mask), sizeof(f->mask));
	r->have = 0;
	r->done = 0;
	r->stage = WS_IN_PAYLOAD;
}

static enum ws_event
read_head(struct ws_reader *r, const unsigned char *bytes, size_t n, size_t *used)
{
	while (*used < n) {
		if (add_head_byte(r, bytes[(*used)++]) == WS_BAD)
			return WS_BAD;
		if (r->have >= 2 && r->have == head_length(r)) {
			start_payload(r);
			return WS_HEAD;
		}
	}
	return WS_MORE;
}

/* ---- payload ---- */

static enum ws_event
end_close(struct ws_reader *r)
{
	size_t n = (size_t)r->frame.length;

	r->close_code = WS_NO_CODE;
	r->close_reason = STR_NULL;
	if (n >= CODE_BYTES) {
		r->close_code = (unsigned)r->control[0] << 8 | r->control[1];
		r->close_reason =
		    (struct str){ (const char *)r->control + CODE_BYTES, n - CODE_BYTES };
		if (!ws_code_valid(r->close_code))
			return reject_frame(r, WS_PROTOCOL_ERROR, "close code not allowed");
		if (str_utf8_bad(r->close_reason) != r->close_reason.n)
			return reject_frame(r, WS_INVALID_DATA, "close reason is not UTF-8");
	}
	r->stage = WS_CLOSED;
	return WS_END;
}

static enum ws_event
end_ws_frame(struct ws_reader *r)
{
	struct ws_frame *f = &r->frame;

	r->stage = WS_IN_HEAD;
	if (f->opcode == WS_CLOSE)
		return end_close(r);
	if (is_control_frame(f))
		return WS_END;
	r->unfinished = f->fin ? WS_CONTINUATION : f->message;
	r->message_bytes = f->fin ? 0 : r->message_bytes + f->length;
	if (f->fin && r->utf8 != 0)
		return reject_frame(r, WS_INVALID_DATA, "text ends within a character");
	return WS_END;
}

static enum ws_event
read_payload(struct ws_reader *r, unsigned char *bytes, size_t n, size_t *used)
{
	struct ws_frame *f = &r->frame;
	uint64_t left = f->length - r->done;

	if (left == 0)
		return end_ws_frame(r);
	if (n == 0)
		return WS_MORE;
	r->piece = bytes;
	r->piece_n = left < n ? (size_t)left : n;
	*used = r->piece_n;
	if (is_control_frame(f)) {
		unsigned char *copy = r->control + r->done;

		memcpy(copy, r->piece, r->piece_n);
		if (f->masked)
			ws_mask(copy, r->piece_n, f->mask, r->done);
	}
	if (f->masked && r->rules.unmask)
		ws_mask(r->piece, r->piece_n, f->mask, r->done);
	r->done += r->piece_n;
	if (r->rules.text && f->message == WS_TEXT) {
		r->utf8 = utf8_run(r->utf8, r->piece, r->piece_n);
		if (r->utf8 == utf8_bad)
			return reject_frame(r, WS_INVALID_DATA, "text is not UTF-8");
	}
	return WS_PIECE;
}

enum ws_event
ws_next(struct ws_reader *r, unsigned char *bytes, size_t n, size_t *used)
{
	*used = 0;
	switch (r->stage) {
	case WS_IN_HEAD:
		return read_head(r, bytes, n, used);
	case WS_IN_PAYLOAD:
		return read_payload(r, bytes, n, used);
	case WS_CLOSED:
		*used = n;
		return WS_MORE;
	case WS_FAILED:
		return WS_BAD;
	}
	panic("ws stage %d", (int)r->stage);
}

uint64_t
ws_left(const struct ws_reader *r)
{
	return r->stage == WS_IN_PAYLOAD && !is_control_frame(&r->frame) ? r->frame.length - r->done
									 : 0;
}

/* WS_TOO_BIG is reported at the last byte of the length, so the mask is still to come and the
   reader is in the head. The head of an unmasked frame would be complete there, and the reader
   would wait for another byte. */
void
ws_unbound(struct ws_reader *r)
{
	assert(r->stage == WS_FAILED && r->code == WS_TOO_BIG && r->rules.masked);
	r->rules.frame_max = INT64_MAX;
	r->rules.message_max = 0;
	r->stage = WS_IN_HEAD;
}

/* ---- writing ---- */

size_t
ws_head(
    unsigned char out[WS_HEAD_MAX], unsigned first, uint64_t length, const unsigned char mask[4])
{
	unsigned char marker = (unsigned char)length;
	size_t bytes = 0, n = 2;

	if (length > UINT16_MAX) {
		marker = LENGTH64;
		bytes = 8;
	} else if (length > WS_CONTROL_MAX) {
		marker = LENGTH16;
		bytes = 2;
	}
	out[0] = (unsigned char)first;
	out[1] = (unsigned char)(marker | (mask != NULL ? MASKED : 0));
	for (size_t i = bytes; i > 0; i--)
		out[n++] = (unsigned char)(length >> 8 * (i - 1));
	if (mask != NULL) {
		memcpy(out + n, mask, 4);
		n += 4;
	}
	return n;
}

size_t
ws_control(unsigned char out[WS_CONTROL_FRAME], unsigned first, struct str payload,
    const unsigned char mask[4])
{
	size_t n = ws_head(out, first, payload.n, mask);

	assert(payload.n <= WS_CONTROL_MAX);
	if (payload.n > 0)
		memcpy(out + n, payload.p, payload.n);
	if (mask != NULL)
		ws_mask(out + n, payload.n, mask, 0);
	return n + payload.n;
}

size_t
ws_close(unsigned char out[WS_CONTROL_FRAME], unsigned code, struct str reason,
    const unsigned char mask[4])
{
	char payload[WS_CONTROL_MAX];
	size_t n = reason.n;

	if (code == WS_NO_CODE)
		return ws_control(out, WS_FIN | WS_CLOSE, STR_NULL, mask);
	payload[0] = (char)(code >> 8);
	payload[1] = (char)code;
	if (n > sizeof(payload) - CODE_BYTES)
		n = sizeof(payload) - CODE_BYTES;
	while (n < reason.n && n > 0 && ((unsigned char)reason.p[n] & 0xc0) == 0x80)
		n--; /* do not cut within a character */
	if (n > 0)
		memcpy(payload + CODE_BYTES, reason.p, n);
	return ws_control(out, WS_FIN | WS_CLOSE, (struct str){ payload, n + CODE_BYTES }, mask);
}

void
ws_mask(unsigned char *bytes, size_t n, const unsigned char mask[4], uint64_t offset)
{
	unsigned char turned[8];
	uint64_t wide, word;
	size_t i = 0;

	for (size_t k = 0; k < sizeof(turned); k++)
		turned[k] = mask[(offset + k) & 3];
	memcpy(&wide, turned, sizeof(wide));
	for (; n - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		word ^= wide;
		memcpy(bytes + i, &word, sizeof(word));
	}
	for (; i < n; i++)
		bytes[i] ^= turned[i & 7];
}

bool
ws_code_valid(unsigned code)
{
	if (code >= 3000 && code <= 4999)
		return true;
	return code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
}
