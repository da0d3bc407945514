/* The close codes of streams that are refused after the handshake: STREAM_REFUSAL(error, close
   code, help). A client asks for them with ?refusal=close, because browsers hide the status and
   body of a refused handshake. The reason of the close frame is the code of the error
   (errors.h). */
STREAM_REFUSAL(STREAM_TICKET_INVALID,	4001,	"the ticket is not valid, has expired or was used")
STREAM_REFUSAL(UNAUTHORIZED,		4002,	"the API key is not valid, or did not create the session")
STREAM_REFUSAL(PERMISSION_DENIED,	4003,	"the key may not use the session any more")
STREAM_REFUSAL(STREAM_ALREADY_ACTIVE,	4004,	"another stream controls the session")
STREAM_REFUSAL(SESSION_NOT_READY,	4005,	"the session is not running yet")
STREAM_REFUSAL(SESSION_TERMINAL,	4006,	"the session has ended")
STREAM_REFUSAL(SERVICE_UNAVAILABLE,	4007,	"the service or the browser of the session cannot be reached")
