// SPDX-License-Identifier: ISC
// Tickets for whoever is signed in to the console: the cookie proves the right, and nobody pastes anything.

import { api, readSession, signedIn } from "../common/api.js";

const MEMBER = { stream: ["stream_ticket", "subprotocol"], evidence: ["evidence_ticket", "token"] };

// A ticket of the kind "stream" or "evidence"; throws an error whose message is for the reader.
export async function ownTicket(kind, project, session) {
	const [wrapper, member] = MEMBER[kind];
	if (!signedIn.session) {
		const { signed_in: known } = await api.get("/auth/methods", { alone: true });
		if (!known)
			throw new Error("Nobody is signed in to the console in this browser. Sign in there, or paste a ticket.");
		await readSession();
		signedIn.organisation = null; // the project of the path names it
	}
	const answer = await api.post(`/projects/${project}/sessions/${session}/${kind}-ticket`);
	return answer[wrapper][member];
}
