/* SPDX-License-Identifier: ISC */
/* surface mcp: lines of the assistant's program, in two parts, and the messages on them. What is answered is one line of
 * JSON whatever the line was, and no byte is lost: how the stream is cut makes no difference. */
#include "config.h"

#include "base/log.h"
#include "client/mcp_line.h"
#include "client/mcp_message.h"
#include "json/json.h"
#include "t/fuzz/fuzz.h"

static void
answer_line(struct arena *a, struct str line)
{
	struct buf b = { .a = a };
	struct rpc m;

	rpc_read(a, line, &m);
	if (m.kind == RPC_BAD)
		rpc_error(&b, m.id, m.code, m.why, STR_NULL);
	else
		rpc_result(&b, m.id, STR("{}"));
	if (memchr(b.p, '\n', b.n) != b.p + b.n - 1)
		panic("an answer is no line");
	if (json_parse(a, (struct str){ b.p, b.n - 1 }) == NULL)
		panic("an answer is no JSON");
}

/* Copies the lines of the stream that is fed in parts of n bytes. */
static void
gather_lines(struct buf *out, struct str stream, size_t n)
{
	struct lines l = { .used = 0 };
	struct str line;

	for (size_t at = 0; at < stream.n; at += n) {
		lines_feed(&l, stream.p + at, stream.n - at < n ? stream.n - at : n);
		while (lines_next(&l, &line) == LINE_WHOLE) {
			buf_str(out, line);
			buf_char(out, '\n');
		}
	}
	buf_str(out, lines_rest(&l));
	buf_free(&l.held);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str stream = { (const char *)data, size }, line;
	struct buf whole = { .p = NULL }, parts = { .p = NULL };
	struct arena *a = arena_new((size_t)1 << 30);
	struct lines l = { .used = 0 };

	if (size > 0) {
		lines_feed(&l, stream.p, stream.n);
		while (lines_next(&l, &line) == LINE_WHOLE)
			answer_line(a, line);
		if (lines_rest(&l).n > 0)
			answer_line(a, lines_rest(&l));
		gather_lines(&whole, stream, size);
		gather_lines(&parts, stream, 7);
		if (size <= MCP_LINE_MAX && !str_eq(buf_done(&whole), stream))
			panic("bytes of a line are lost");
		if (size <= MCP_LINE_MAX && !str_eq(buf_done(&whole), buf_done(&parts)))
			panic("the cut of the stream changes its lines");
	}
	buf_free(&l.held);
	buf_free(&whole);
	buf_free(&parts);
	arena_free(a);
	return 0;
}
