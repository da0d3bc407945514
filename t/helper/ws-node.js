// SPDX-License-Identifier: ISC
// The npm package ws as a client of t/stream/clients.t: ws-node.js FOLDER-OF-WS. A line of JSON {url, protocol,
// send} opens a stream; what happens is printed as lines: open PROTOCOL, text LENGTH, binary LENGTH, close CODE.
const WebSocket = require(process.argv[2]);

function run(o) {
	const ws = new WebSocket(o.url, o.protocol, { perMessageDeflate: true, maxPayload: 1 << 25, origin: o.origin });
	ws.on('open', () => {
		console.log(`open ${ws.protocol}`);
		for (const s of o.send)
			ws.send(typeof s === 'number' ? Buffer.alloc(s) : s);
	});
	ws.on('message', (data, binary) => console.log(`${binary ? 'binary' : 'text'} ${data.length}`));
	ws.on('unexpected-response', (request, response) => {
		console.log(`close ${response.statusCode}`);
		ws.terminate();
	});
	ws.on('error', () => {});
	ws.on('close', (code) => {
		if (ws.protocol)
			console.log(`close ${code}`);
	});
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => run(JSON.parse(line)));
