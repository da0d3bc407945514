// SPDX-License-Identifier: ISC
// Every way a page has to make a browser connect: attack("http://host:port") tries them all and settles when each has
// ended somehow, or has had its time. The path says which it was.
function attack(base) {
	const at = (what) => base + "/v/" + what;
	const patience = 1500;
	const settle = (fn) => Promise.race([new Promise(fn).catch(() => 0), new Promise((r) => setTimeout(r, patience))]);
	const element = (tag, attributes) => settle((done) => {
		const e = document.createElement(tag);
		e.onload = e.onerror = e.onloadeddata = done;
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		document.body.append(e);
		if (["icon", "prefetch", "preconnect"].includes(attributes.rel) || tag === "embed") done(); // says nothing
	});
	const request = (what, options) => fetch(at(what), options).catch(() => 0);
	const worker = (kind, what) => settle((done) => {
		const text = `fetch(${JSON.stringify(at(what))}, {mode: "no-cors"}).catch(() => 0).then(() => (self.p || self).postMessage(1))`;
		const shared = `onconnect = (e) => { self.p = e.ports[0]; ${text} }`;
		const url = URL.createObjectURL(new Blob([kind === "shared" ? shared : text], {type: "text/javascript"}));
		const port = kind === "shared" ? new SharedWorker(url).port : new Worker(url);
		port.onmessage = port.onerror = done;
	});
	const webrtc = (server) => settle((done) => {
		const c = new RTCPeerConnection({iceServers: [{urls: server, username: "u", credential: "c"}], iceCandidatePoolSize: 1});
		c.createDataChannel("x");
		c.onicegatheringstatechange = () => c.iceGatheringState === "complete" && done();
		c.createOffer().then((o) => c.setLocalDescription(o));
	});
	const host = new URL(base).hostname, style = document.createElement("style");
	style.textContent = `@font-face { font-family: "f"; src: url(${at("font")}); }
		#styled { background-image: url(${at("background")}); font-family: "f"; }`;
	document.head.append(style);
	const styled = document.createElement("div");
	styled.id = "styled";
	styled.textContent = "text";
	document.body.append(styled);
	const events = settle((done) => {
		const e = new EventSource(at("events"));
		e.onerror = e.onopen = () => { e.close(); done(); };
	});
	const socket = settle((done) => {
		const s = new WebSocket(at("websocket").replace(/^http/, "ws"));
		s.onopen = s.onerror = s.onclose = done;
	});
	const transport = settle((done) => new WebTransport(at("transport").replace(/^http:/, "https:")).ready.then(done, done));
	const xhr = settle((done) => {
		const x = new XMLHttpRequest();
		x.onloadend = done;
		x.open("POST", at("xhr"));
		x.send("x");
	});
	navigator.sendBeacon(at("beacon"), "x");
	return Promise.all([
		element("img", {src: at("img")}), element("script", {src: at("script")}),
		element("link", {rel: "stylesheet", href: at("style")}), element("link", {rel: "prefetch", href: at("prefetch")}),
		element("link", {rel: "preload", as: "image", href: at("preload")}), element("link", {rel: "icon", href: at("icon")}),
		element("link", {rel: "preconnect", href: base}),
		element("iframe", {src: at("iframe")}), element("object", {data: at("object")}), element("embed", {src: at("embed")}),
		element("video", {src: at("video")}), element("audio", {src: at("audio")}),
		request("fetch"), request("nocors", {mode: "no-cors"}), request("keepalive", {keepalive: true, mode: "no-cors"}),
		request("put", {method: "PUT", body: "x", headers: {"X-Preflight": "1"}}), xhr, events, socket, transport,
		worker("dedicated", "worker"), worker("shared", "sharedworker"),
		webrtc("stun:" + host + ":3478"), webrtc("turn:" + host + ":3478"), webrtc("turn:" + host + ":8080?transport=tcp"),
	]).then(() => 1);
}
