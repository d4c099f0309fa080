// Package archive keeps copies of sessions' logs where they outlive their machine, and
// makes logs of them again.
//
// A Shipper follows the directory of each log and ships what is new, in pieces of whole
// lines. The log on disk is the queue: a piece is shipped when the one before it in the log
// has been kept, and the archive itself says how far it is. The last piece of a segment
// grows: it is shipped again with more, in the same place, until it is large enough.
// What the log drops before it is shipped is missing in the archive, and so is what the
// archive discards. Each piece therefore has with it what must be known of the log before
// it, and a Copy makes a log that begins anew behind a gap, so that whoever reads it is
// told how much is missing.
//
//	file of a piece         what it is
//	meta                    the log's metadata
//	000000000000            the segment that begins there
//	000008388711-state      its state
//	end                     says that all of the log is there; its offset is the log's end
package archive
