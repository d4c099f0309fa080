package audit

import (
	"bytes"
	"io"
	"os"
)

// A tail describes the end of a file.
type tail struct {
	last    line   // last complete line
	end     link   // the link of last; zero if the file has no complete line, or last is not a line of a log
	bad     bool   // last is not a line of a log, or its hash is wrong
	torn    int64  // length of an incomplete line after last
	tornSum string // hash of the incomplete line
}

// maxRead is the maximum number of bytes that are searched for a line feed. It is more than maxLine,
// because incomplete lines have no line feed: several of them may precede a complete line.
const maxRead = 4 * maxLine

// readTail reads the end of a file of this size.
func readTail(f *os.File, size int64, key []byte) (t tail, err error) {
	buf := make([]byte, min(size, maxRead))
	if _, err := f.ReadAt(buf, size-int64(len(buf))); err != nil && err != io.EOF {
		return t, err
	}
	end := bytes.LastIndexByte(buf, '\n') + 1
	if rest := buf[end:]; len(rest) > 0 {
		t.torn, t.tornSum = int64(len(rest)), sumOf(rest)
	}
	if end > 0 {
		begin := bytes.LastIndexByte(buf[:end-1], '\n') + 1
		last, hash, _, ok := decode(buf[begin:end], key)
		t.last, t.end, t.bad = last, link{last.Seq, hash}, !ok
	}
	return t, nil
}
