// Package fleet carries calls and streams between glasstty servers over NATS.
//
//	gateway ── glasstty.to.NODE.INSTANCE.call.GATEWAY ──▶ node
//	gateway ── glasstty.to.NODE.INSTANCE.stream.GATEWAY ▶ node
//	gateway ◀─ glasstty.from.NODE.re.GATEWAY.… ────────── node
//
// A Member is one connection. It may serve calls (a node), make them (a gateway), or do
// both. The content of a call is up to the users of this package: here a call is an
// identity and bytes. The page docs/fleet.md describes the subjects, who may use which,
// and what happens when messages are lost.
//
// NATS checks what a client publishes, and not the reply subject that it names. So a node can
// have JetStream acknowledge a message on any subject: the acknowledgement, and no text of
// the node's own, then comes in the name of another node, is stored in its place, or is a
// request to the JetStream API. Therefore no node may use that API; the subjects of answers,
// of records and of recordings have a token that other nodes cannot guess; nobody takes an
// acknowledgement for a record, a piece or an audit line; and streams let nobody remove
// anything.
//
// A call may be sent twice, because a message was lost: the node recognises it by its
// identity, and answers a repeated one from memory. A stream carries bytes in order and
// repeats nothing: it ends when a message was lost.
package fleet
