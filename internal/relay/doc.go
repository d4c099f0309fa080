// Package relay connects an MCP client on standard input and output to a server on a socket,
// and keeps it connected when the server is restarted.
//
//	client ◀─ lines ─▶ Relay ◀─ lines ─▶ server (one after another)
//
// Messages are forwarded unchanged, except tools/call, which gets two keys in its _meta: a
// unique name (MetaCall) and the client's working directory (MetaDir). When the connection to
// the server ends, the relay connects again, repeats the client's initialization, renews its
// subscriptions and repeats the unanswered requests. A restarted server recognises a repeated
// call by its name and does nothing twice. A server that does not recognise the call, such as the
// gateway of a fleet, learns from MetaWaited that the call may have been made. All calls of a relay
// have names with the same beginning (Client), by which a server recognises the client. If no
// server can be reached, the relay answers the waiting requests with an error.
package relay
