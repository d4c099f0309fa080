// Package audit writes and checks a log of actions, their actors and outcomes: an append-only file of
// JSON lines, in which each line contains the hash of the previous line. Callers decide what is
// logged.
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
// file to writing the head. When the file has been renamed, as logrotate does, the next line starts a
// new file and continues the chain. No signal is needed, but Reopen creates the new file at once.
//
// A Log removes nothing from the file. A crash or a full disk may leave an incomplete line. In the same line, an
// "audit.torn" follows, with the length and the hash of the incomplete one. If the head is empty, an
// "audit.headless" continues the chain from the last line. If the head names neither the last line nor (after a
// crash) the one before it, an "audit.broken" continues the chain from the head, and Verify returns an error there.
//
// # Following
//
// A Follower reads a node's lines as they are written, across rotations too, so that they can be
// copied elsewhere. If lines are missing, it writes an "audit.unshipped" to the log.
//
// # Limits
//
// Without a key, anyone who can write both files can forge the history. With a key, the key is
// needed too, but lines at the end can still be removed, if the head is replaced by an older one.
// Write passes a line to the kernel, but does not wait until it is on the disk: no line is lost if
// the server is killed, but lines may be lost if the machine loses power.
package audit
