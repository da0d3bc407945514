/* SPDX-License-Identifier: ISC */
/* WebSocket framing: the first byte chooses the rules and the cut; the rest is read whole and cut, as an
   end reads it and as a proxy does, with one result. */
#include "config.h"

#include "t/fuzz/fuzz.h"
#include "wire/ws.h"

#include <assert.h>

struct sum {
	uint64_t heads, ends, bytes, hash;
	int code;
};

static void
add(struct sum *s, struct ws_reader *r, enum ws_event e, bool plain)
{
	switch (e) {
	case WS_MORE:
		break;
	case WS_HEAD:
		assert(r->frame.length <= 125 && ws_left(r) <= r->frame.length);
		s->heads++;
		break;
	case WS_PIECE:
		assert(r->piece_n > 0);
		s->bytes += r->piece_n;
		for (size_t i = 0; plain && i < r->piece_n; i++)
			s->hash = s->hash * 31 + r->piece[i];
		break;
	case WS_END:
		assert(r->frame.opcode != WS_CLOSE || r->close_code == WS_NO_CODE ||
		       ws_code_valid(r->close_code));
		s->ends++;
		break;
	case WS_BAD:
		assert(r->why != NULL);
		s->code = (int)r->code;
		break;
	}
}

static struct sum
read_in(const struct ws_rules *rules, const uint8_t *data, size_t size, size_t step)
{
	struct sum s = { 0 };
	struct ws_reader r;
	size_t used;

	ws_start(&r, rules);
	for (size_t at = 0; at < size && s.code == 0; at += step) {
		size_t n = size - at < step ? size - at : step, i = 0;
		unsigned char *piece = malloc(n);
		enum ws_event e;

		memcpy(piece, data + at, n);
		do {
			e = ws_next(&r, piece + i, n - i, &used);
			i += used;
			assert(i <= n);
			add(&s, &r, e, rules->unmask);
		} while (e != WS_MORE && e != WS_BAD);
		free(piece);
	}
	return s;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ws_rules rules = { .unmask = true, .frame_max = 100 };
	struct sum whole, cut;

	if (size < 1)
		return 0;
	rules.masked = (data[0] & 1) != 0;
	rules.text = (data[0] & 2) != 0;
	rules.message_max = data[0] & 4 ? 150 : 0;
	whole = read_in(&rules, data + 1, size - 1, size);
	cut = read_in(&rules, data + 1, size - 1, 1 + (data[0] >> 3));
	assert(whole.heads == cut.heads && whole.ends == cut.ends && whole.code == cut.code);
	assert(whole.code != 0 || (whole.bytes == cut.bytes && whole.hash == cut.hash));
	if (rules.text)
		return 0;
	rules.unmask = false;
	cut = read_in(&rules, data + 1, size - 1, size);
	assert(whole.heads == cut.heads && whole.bytes == cut.bytes && whole.code == cut.code);
	return 0;
}
