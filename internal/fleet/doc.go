// Package fleet carries calls and streams between glasstty servers over NATS.
//
//	gateway ── glasstty.to.NODE.INSTANCE.call.GATEWAY ──▶ node
//	gateway ── glasstty.to.NODE.INSTANCE.stream.GATEWAY ▶ node
//	gateway ◀─ glasstty.from.NODE.re.GATEWAY.… ────────── node
//
// A Member is one connection. It may serve calls (a node), make them (a gateway), or do
// both. What a call says is the business of those who use the package: here it is an
// identity and bytes. The page docs/fleet.md describes the subjects, who may use which,
// and what happens when something is lost.
//
// Everything that a member does for a call may happen twice, because a message was lost:
// the node knows a call by its identity, and answers a repeated one from memory. A stream
// carries bytes in order and repeats nothing: it ends when a message was lost.
package fleet
