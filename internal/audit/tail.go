package audit

import (
	"bytes"
	"io"
	"os"
)

// A tail describes the end of a file.
type tail struct {
	last    line   // last complete line
	end     link   // its link; zero if there is no complete line
	bad     bool   // the last complete line is not one that was written
	torn    int64  // length of an incomplete line after it
	tornSum string // hash of the incomplete line
}

// maxTorn is the most bytes that are searched for the last complete line.
const maxTorn = 16 << 20

// readTail reads the end of a file of this size.
func readTail(f *os.File, size int64, key []byte) (tail, error) {
	n := min(size, int64(2*maxLine))
	for {
		buf := make([]byte, n)
		if _, err := f.ReadAt(buf, size-n); err != nil && err != io.EOF {
			return tail{}, err
		}
		end := bytes.LastIndexByte(buf, '\n') + 1
		begin := bytes.LastIndexByte(buf[:max(end-1, 0)], '\n') + 1
		if (end == 0 || begin == 0) && n < min(size, maxTorn) {
			n = min(2*n, size, maxTorn)
			continue
		}
		var t tail
		if rest := buf[end:]; len(rest) > 0 {
			t.torn, t.tornSum = int64(len(rest)), sumOf(rest)
		}
		if end > 0 {
			var hash string
			var ok bool
			t.last, hash, _, ok = decode(buf[begin:end], key)
			t.end, t.bad = link{t.last.Seq, hash}, !ok
		}
		return t, nil
	}
}
