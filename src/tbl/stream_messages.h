/* The messages of the live stream, JSON objects in text frames whose member "type" is the name:
   CLIENT(id, name, struct, help) from the viewer to the browser, SERVER(id, name, struct, help)
   from the browser to the viewer; "struct" is the name of the C struct without stream_. Pictures
   are binary frames. An includer defines the macros that it needs. wire/stream_messages.c has the
   members. */
#ifndef CLIENT
#define CLIENT(id, name, what, help)
#endif
#ifndef SERVER
#define SERVER(id, name, what, help)
#endif

CLIENT(MOUSE,	mouse,	mouse,	"The pointer moved, a button went down or up, or the wheel turned.")
CLIENT(KEY,	key,	key,	"A key went down or up.")
CLIENT(TEXT,	text,	text,	"Text to insert at the caret, as a paste or an input method does.")
CLIENT(NAV,	nav,	nav,	"Open an address in the active tab; it obeys the rule for start_url.")
CLIENT(BACK,	back,	plain,	"Go one page back in the active tab.")
CLIENT(FORWARD,	forward, plain,	"Go one page forward in the active tab.")
CLIENT(RELOAD,	reload,	plain,	"Load the page of the active tab again.")
CLIENT(STOP,	stop,	plain,	"Stop loading.")
CLIENT(TAB,	tab,	tab,	"Make a tab the active one, whose picture is sent and which takes input.")
CLIENT(CLOSE_TAB, close_tab, tab,	"Close a tab.")
CLIENT(DIALOG,	dialog,	dialog,	"Answer the dialog that the page has opened.")
CLIENT(ACK,	ack,	ack,	"A frame has been shown; the next one may be sent.")
CLIENT(QUALITY,	quality, quality, "Change how many frames are sent and how well they are compressed.")
CLIENT(SHOT,	shot,	plain,	"Take a screenshot, which is kept with the evidence of the session.")
CLIENT(PING,	ping,	plain,	"Ask for a pong. It does not count as activity of the session.")

SERVER(HELLO,	hello,	hello,	"The first message of a connection: the session and its limits.")
SERVER(STATE,	state,	state,	"The session's state.")
SERVER(TABS,	tabs,	tabs,	"All open tabs; sent again after every change of them.")
SERVER(URL,	url,	url,	"The address of a tab changed, or it began or ended to load.")
SERVER(TITLE,	title,	title,	"The title of a tab changed.")
SERVER(DIALOG_OPEN, dialog,	dialog_open, "The page opened a dialog and waits for its answer, or the dialog is gone.")
SERVER(DOWNLOAD_BLOCKED, download_blocked, download_blocked, "A download was denied.")
SERVER(CERT,	cert,	cert,	"The certificate of a site is not to be trusted; the page was not loaded.")
SERVER(EGRESS_DENIED, egress_denied, egress_denied, "A connection to an address that is not public was denied.")
SERVER(NET,	net,	net,	"Network events, as the session's evidence has them.")
SERVER(SHOT_TAKEN, shot,	shot_taken, "A screenshot was taken.")
SERVER(CRASHED,	crashed, crashed, "The page of a tab crashed.")
SERVER(EXPIRING, expiring, expiring, "The session ends soon.")
SERVER(ERROR,	error,	error,	"A message of the client was not carried out. The stream continues.")
SERVER(PONG,	pong,	pong,	"The answer to a ping: the browser's side of the stream works.")
SERVER(BYE,	bye,	bye,	"The last message: why the stream ends. A close frame follows.")

#undef CLIENT
#undef SERVER
