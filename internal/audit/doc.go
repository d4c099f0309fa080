// Package audit keeps a log of actions, their actors and outcomes: an append-only file of JSON
// lines, each of which contains the hash of the one before. The callers decide what is logged.
//
//	{"seq":8,"time":"…","server":"host/4711","event":"call","via":"http",…,"prev":"<hash of line 7>","hash":"…"}
//
// A line's hash is the SHA-256 of the line without its hash, or the HMAC-SHA256 if there is a
// key. Verify detects lines that were changed, inserted or removed. FILE.head contains the
// number and the hash of the last line, so that Verify also detects lines missing at the end.
//
// # Writing
//
// Several servers may share one file: each holds the lock on FILE.head from reading the end of the
// file to writing the head. When the file has been renamed, as logrotate does, the next line goes to a
// new file and continues the chain. No signal is needed, but Reopen creates the new file at
// once.
//
// Nothing that was written is ever removed. If a crash or a full disk left an incomplete line,
// it stays, and the record that follows in the same line, an "audit.torn", contains its length and
// hash. If the end of the
// file does not match the head, the next line is an "audit.broken" that continues from the
// head, and Verify stops there.
//
// # Following
//
// A Follower reads a node's lines as they are written, also across rotations, so that they can
// be copied elsewhere. If lines are missing, it writes an "audit.unshipped" to the log.
//
// # Limits
//
// Without a key, anyone who can write both files can forge the history. With a key, the key is
// needed too, but the end can still be cut off if the head is replaced by an older one. When Write returns,
// the kernel has the line, but it may not be on the disk: no line is lost if the server is
// killed, but lines may be lost if the machine loses power.
package audit
