// Package relay joins an MCP client on standard input and output to a server on
// a socket, and keeps it joined while the server is restarted.
//
//	client ◀─ lines ─▶ Relay ◀─ lines ─▶ server (again and again)
//
// Messages are passed on as they are, but for tools/call, which gets two keys
// into its _meta: a name that no other call has (MetaCall), and the client's
// working directory (MetaDir). When the connection to the server ends, the relay
// connects again, introduces the client as the client has introduced itself, asks
// again for what it has subscribed to, and sends again the requests that were not
// answered. A server that was restarted knows a call that it is sent again by its
// name, and does nothing twice. MetaAgain tells a server that cannot know it, as the
// gateway of a fleet, that the call may have been made.
package relay
