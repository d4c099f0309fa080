// Package relay connects an MCP client on standard input and output to a server on a socket,
// and keeps it connected when the server is restarted.
//
//	client ◀─ lines ─▶ Relay ◀─ lines ─▶ server (one after another)
//
// Messages are forwarded unchanged, except tools/call, which gets two keys in its _meta: a
// unique name (MetaCall) and the client's working directory (MetaDir). When the connection to
// the server ends, the relay connects again. It sends the client's initialization, log level,
// subscriptions and unanswered requests to the new server. A restarted server recognises a repeated
// call by its name and does not run the tool twice. MetaWaited tells a server that has not seen the
// name, such as another gateway of a fleet, that the tool may have run. The names of all calls of a
// relay start with one ID (ClientID), which identifies the client to the server. If no server can be
// reached, the relay answers the waiting requests with an error.
package relay
