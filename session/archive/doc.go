// Package archive stores copies of session logs where they outlive their machine, and
// turns the copies into logs again.
//
// A Shipper follows the directory of each log and ships new data, in pieces of whole lines.
// The log on disk is the queue: a piece is shipped when the previous one in the log has been
// stored. A file beside the log, the manifest, lists the pieces that were shipped. The last piece
// of a segment grows: it is shipped again with more data, at the same place, until it is large
// enough. The archive lacks data that the log dropped before it was shipped, and data that
// the archive itself discarded. Each piece but the first of a segment therefore has a header that
// sums up the log before the piece. After a gap, a Copy begins a new segment with this header,
// which shows a reader of the log how much is missing.
//
//	file of a piece         content
//	meta                    the log's metadata
//	8388711                 the segment that begins at this log offset
//	8388711-state           the state at the start of that segment
//	end                     a mark that the log is complete; its offset is the log's end
package archive
