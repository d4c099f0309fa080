// Package fleet carries calls and streams between glasstty servers over NATS.
//
//	gateway ── glasstty.to.NODE.INSTANCE.call.GATEWAY ──▶ node
//	gateway ── glasstty.to.NODE.INSTANCE.stream.GATEWAY ▶ node
//	gateway ◀─ glasstty.from.NODE.re.GATEWAY.… ────────── node
//
// A Member is one connection to NATS. It may serve calls (then it is a node), make calls (a
// gateway), or do both. A call consists of an identity and bytes, which this package does not
// interpret. The page docs/fleet.md describes the subjects, the rights to use them, and what
// happens when messages are lost.
//
// NATS checks the subject that a client publishes to, but not the reply subject in the message. So
// a node can make JetStream send an acknowledgement to any subject. The node does not choose the
// text of the acknowledgement, but NATS could deliver it as a message of another node, store it in
// place of another node's data, or take it for a request to the JetStream API. Therefore nodes have
// no right to use that API; the subjects of answers, records and recordings have a token that other
// nodes cannot guess; readers do not accept an acknowledgement as a node's record, a piece of a
// recording or an audit line; and nothing can be removed from the streams of JetStream.
//
// A call is sent again if its node is silent for quietLimit, for example because a message was
// lost. The node recognises a repeated call by its identity and does not run it twice. A stream
// between a gateway and a node carries bytes in order, and ends when a message is lost.
package fleet
