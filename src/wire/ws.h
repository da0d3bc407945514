/* SPDX-License-Identifier: ISC */
/* WebSocket framing (RFC 6455 section 5) that never touches a socket: a reader fed any number of bytes,
   for a proxy that passes them on and for an end that wants messages; a writer of heads. */
#ifndef WIRE_WS_H
#define WIRE_WS_H

#include "base/base.h"

enum ws_opcode {
	WS_CONTINUATION = 0,
	WS_TEXT = 1,
	WS_BINARY = 2,
	WS_CLOSE = 8,
	WS_PING = 9,
	WS_PONG = 10,
	WS_FIN = 0x80, /* for ws_head: the last frame of its message */
};

enum ws_code {
	WS_NORMAL = 1000, /* the session is terminal */
	WS_GOING_AWAY = 1001,
	WS_PROTOCOL_ERROR = 1002,
	WS_NO_CODE = 1005, /* a close frame without a code; never sent */
	WS_INVALID_DATA = 1007,
	WS_POLICY = 1008, /* authorisation lost */
	WS_TOO_BIG = 1009,
	WS_TRY_LATER = 1013,
};

enum {
	WS_HEAD_MAX = 14,
	WS_CONTROL_MAX = 125,                            /* payload of a control frame */
	WS_CONTROL_FRAME = WS_HEAD_MAX + WS_CONTROL_MAX, /* room for a whole one */
};

/* What an end demands of the frames that arrive. */
struct ws_rules {
	bool masked; /* the peer is a client: masked frames alone; else unmasked alone */
	bool unmask; /* pieces are unmasked in place */
	bool text;   /* text is checked as UTF-8; needs unmask where frames are masked */
	uint64_t frame_max; /* bytes of one frame's payload; more is WS_TOO_BIG */
	uint64_t
	    message_max; /* of all fragments of a message; 0: frame_max alone binds */
};

struct ws_frame {
	enum ws_opcode opcode;
	enum ws_opcode
	    message; /* a continuation's WS_TEXT or WS_BINARY; else the opcode itself */
	bool fin, masked;
	unsigned char mask[4];
	uint64_t length;
};

enum ws_event {
	WS_MORE,  /* all bytes are used; feed more */
	WS_HEAD,  /* .frame is set: the bytes up to *used end its head */
	WS_PIECE, /* .piece, .piece_n: some of the payload, inside the caller's bytes */
	WS_END, /* the payload is complete; a control frame's is in .control, unmasked */
	WS_BAD, /* .code and .why; nothing more comes */
};

/* A plain value, set by ws_start. Everything from .head on is the reader's own. */
struct ws_reader {
	struct ws_rules rules;
	struct ws_frame frame;
	unsigned char *piece;
	size_t piece_n;
	unsigned char control[WS_CONTROL_MAX];
	unsigned
	    close_code; /* after the WS_END of a close frame; WS_NO_CODE: it had none */
	struct str close_reason;
	enum ws_code code;
	const char *why;

	unsigned char head[WS_HEAD_MAX];
	unsigned char have; /* bytes of the head */
	enum ws_stage {
		WS_IN_HEAD,
		WS_IN_PAYLOAD,
		WS_CLOSED, /* after a close frame: what follows is dropped (RFC 6455 1.4) */
		WS_FAILED,
	} stage;
	uint64_t done;          /* bytes of the payload */
	uint64_t message_bytes; /* of the fragments before this frame */
	enum ws_opcode
	    unfinished; /* WS_TEXT or WS_BINARY within a message; else WS_CONTINUATION */
	uint32_t utf8;  /* state of the text's last sequence */
};

void ws_start(struct ws_reader *r, const struct ws_rules *rules);
/* Reads from bytes until the next event; *used: how many it took (also 0, at a WS_END or WS_BAD). Call it
   until WS_MORE or WS_BAD. Errors are reported at the first byte that shows them. */
enum ws_event ws_next(struct ws_reader *r, unsigned char *bytes, size_t n, size_t *used);
/* Bytes of payload still to come of a data frame whose head was read; else 0. */
uint64_t ws_left(const struct ws_reader *r);

/* After WS_BAD with WS_TOO_BIG, of a masked reader: reads on without bounds, for one who only wants to see the
   peer's close frame. */
void ws_unbound(struct ws_reader *r);

/* The head of a frame; first is an opcode, with WS_FIN or not; mask NULL: unmasked. Returns its length. */
size_t ws_head(unsigned char out[WS_HEAD_MAX], unsigned first, uint64_t length,
    const unsigned char mask[4]);
/* A whole control frame, first like ws_head's; at most WS_CONTROL_MAX bytes of payload. */
size_t ws_control(unsigned char out[WS_CONTROL_FRAME], unsigned first, struct str payload,
    const unsigned char mask[4]);
/* A whole close frame; WS_NO_CODE: without a payload; a reason that is too long is cut. */
size_t ws_close(unsigned char out[WS_CONTROL_FRAME], unsigned code, struct str reason,
    const unsigned char mask[4]);
/* Masks or unmasks bytes that stand at offset of their payload. */
void ws_mask(
    unsigned char *bytes, size_t n, const unsigned char mask[4], uint64_t offset);
/* Whether a peer may send it in a close frame (RFC 6455 7.4). */
bool ws_code_valid(unsigned code);

#endif
