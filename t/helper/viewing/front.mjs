// SPDX-License-Identifier: ISC
// front.mjs STREAM-SOCKET RUNNER-SOCKET: stands where surfaced-stream does. Does the handshake for any ticket
// but one that ends in "refused" or in "close4004", which it refuses as surfaced-stream does without and with
// ?refusal=close, then passes bytes to the runner's side.
import { createHash } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";

const [, , listen, runner] = process.argv;
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const server = createServer((request, answer) => {
	answer.statusCode = 426;
	answer.end();
});

server.on("upgrade", (request, client, head) => {
	const ticket = request.headers["sec-websocket-protocol"] ?? "";
	const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + MAGIC).digest("base64");
	if (ticket.endsWith("refused")) {
		client.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
		return;
	}
	const upgraded = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		`Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${ticket}\r\n\r\n`;
	const code = /close(4\d{3})$/.exec(ticket)?.[1];
	if (code) {
		if (!request.url.endsWith("/stream?refusal=close"))
			throw new Error(`the viewer did not ask for a close code: ${request.url}`);
		client.end(Buffer.concat([Buffer.from(upgraded), Buffer.from([0x88, 2, code >> 8, code & 255])]));
		return;
	}
	const behind = connect(runner, () => {
		client.write(upgraded);
		behind.write(head);
		client.pipe(behind).pipe(client);
	});
	for (const [one, other] of [[behind, client], [client, behind]]) {
		one.on("error", () => other.destroy());
		one.on("close", () => other.destroy());
	}
});

rmSync(listen, { force: true });
server.listen(listen, () => {
	chmodSync(listen, 0o666);
	console.log("ready");
});
