// Package archive stores copies of session logs on other machines, and turns the copies into logs
// again.
//
// A Shipper follows the directory of each log and ships new data in pieces, of whole lines if possible. It ships a
// piece when the previous one of the log has been stored. A file in the log's directory, the manifest, lists the
// pieces that were shipped. The last piece of a segment grows: until it is large enough, it is shipped again with more
// data, at the same place.
//
// An archive may have gaps: the log may have dropped data before it was shipped, and the archive may have discarded
// data. Therefore each piece has a header that sums up the log before the piece, except the first piece of a segment.
// After a gap, a Copy begins a new segment with this header, which shows a reader of the log how much is missing.
//
//	file of a piece         content
//	meta                    the log's metadata
//	8388711                 the segment that begins at this log offset
//	8388711-state           the state at the start of that segment
//	end                     a mark that the log is complete; its offset is the log's end
package archive
