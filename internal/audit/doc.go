// Package audit keeps a log of what was done, by whom, and what came of it: a file
// of JSON lines that is only ever appended to, each of which has the hash of the
// one before. It has no opinion about what is logged.
//
//	{"seq":8,"time":"…","server":"host/4711","event":"call","via":"http",…,"prev":"<hash of line 7>","hash":"…"}
//
// A line's hash is SHA-256 over the line without it, or HMAC-SHA256 when there is
// a key. So a line that was changed, put in, or taken out shows (Verify). The
// file FILE.head beside it holds number and hash of the last line, so that lines
// missing at the end show too.
//
// # Who may write
//
// Several servers may share one file: the lock on FILE.head is held from looking
// at the end to writing the head. When the file has been renamed, as logrotate
// does, the next line goes to a new one, and the chain goes on over both; nobody
// has to be told, though Reopen begins the new file at once.
//
// Nothing that was written is ever removed. What a crash or a full disk left of a
// line stays, and the next line, an "audit.torn", has its length and hash. Where
// the end of the file is not what the head says, the next line is an
// "audit.broken" that goes on from the head, and Verify stops there.
//
// # Following
//
// A Follower reads a node's lines as they come, through rotations too, for those who keep
// them elsewhere. What it finds missing it writes to the log as an "audit.unshipped".
//
// # What it cannot do
//
// Without a key, whoever can write both files can write another history. With one,
// he must have the key as well, and can still cut the end off and put an older head
// back. Lines are in the kernel's hands when Write returns, not on the disk: a
// server that is killed loses none, a machine that loses power may.
package audit
