// SPDX-License-Identifier: ISC
// Passkeys: converts between the API and the browser's credentials. Binary members are base64url
// without padding.

import { api } from "../common/api.js";

export function encode(buffer) {
	return btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function decode(text) {
	return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

export function passkeysWork() {
	return typeof PublicKeyCredential === "function" && typeof navigator.credentials?.get === "function";
}

// Whether the browser can offer passkeys in the field of the e-mail address.
export async function offeredInField() {
	return passkeysWork() && Boolean(await PublicKeyCredential.isConditionalMediationAvailable?.().catch(() => false));
}

async function challenge(purpose, signal) {
	const answer = await api.post("/auth/challenge", { purpose }, { signal, alone: purpose === "sign_in" });
	return answer.challenge;
}

// Returns a message for a failure of the browser, or nothing when the person only closed the
// window.
export function passkeyFault(fault) {
	if (fault.name === "NotAllowedError" || fault.name === "AbortError")
		return Object.assign(new Error("No passkey was used."), { quiet: true });
	if (fault.name === "InvalidStateError")
		return new Error("This device has a passkey of yours already.");
	return fault;
}

// Signs in with a passkey and returns the session. mediation "conditional": the browser offers
// passkeys in the field of the e-mail address.
export async function signInByPasskey({ mediation, signal } = {}) {
	const asked = await challenge("sign_in", signal);
	const credential = await navigator.credentials.get({ mediation, signal,
		publicKey: { challenge: decode(asked.challenge), rpId: asked.rp_id, userVerification: "required", allowCredentials: [], timeout: 300000 } });
	const { authenticatorData, clientDataJSON, signature, userHandle } = credential.response;
	return api.post("/auth/sign-in/passkey", {
		id: encode(credential.rawId), authenticator_data: encode(authenticatorData), client_data: encode(clientDataJSON),
		signature: encode(signature), ...(userHandle?.byteLength ? { user_handle: encode(userHandle) } : {}),
	}, { signal, alone: true });
}

// Registers a passkey of this device for the person who is signed in. The browser gets the existing
// passkeys, because a device keeps only one for each person and would replace it silently.
export async function addPasskey(person, name) {
	const asked = await challenge("register"), { passkeys } = await api.get("/auth/passkeys");
	const handle = Uint8Array.from(person.uuid.replaceAll("-", "").match(/../g), (byte) => parseInt(byte, 16));
	const credential = await navigator.credentials.create({ publicKey: {
		challenge: decode(asked.challenge), rp: { id: asked.rp_id, name: "surfaced" },
		user: { id: handle, name: person.email, displayName: person.name }, timeout: 300000, attestation: "none",
		excludeCredentials: passkeys.map((p) => ({ type: "public-key", id: decode(p.id) })),
		pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
		authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
	} });
	const { response } = credential;
	return api.post("/auth/passkeys", {
		name, id: encode(credential.rawId), public_key: encode(response.getPublicKey()), algorithm: response.getPublicKeyAlgorithm(),
		authenticator_data: encode(response.getAuthenticatorData()), client_data: encode(response.clientDataJSON),
	});
}

// Deletes a passkey and signals this to the browser, so that the browser does not offer it any
// more.
export async function removePasskey(passkey) {
	await api.del(`/auth/passkeys/${passkey.uuid}`);
	await globalThis.PublicKeyCredential?.signalUnknownCredential?.({ rpId: passkey.rp_id, credentialId: passkey.id }).catch(() => {});
}
