package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// A Report contains the findings of Verify.
type Report struct {
	Lines       int64
	First, Last int64    // numbers of the first and last line in the log; 0 if there are no lines
	Hash        string   // of the last line
	Notes       []string // findings that are not errors, for people
}

// A ChainError describes the first line that was changed, inserted, moved or removed. It wraps
// ErrChain.
type ChainError struct {
	File string
	Line int64 // number in the file, from 1; 0 if the error is about the end
	Why  string
}

// Error implements error.
func (w *ChainError) Error() string {
	if w.Line == 0 {
		return fmt.Sprintf("%s: %s", w.File, w.Why)
	}
	return fmt.Sprintf("%s line %d: %s", w.File, w.Line, w.Why)
}

// Unwrap returns ErrChain.
func (w *ChainError) Unwrap() error { return ErrChain }

// Verify reads the files of one log. paths, which must not be empty, includes rotated files, in any
// order, compressed with gzip or not. Verify checks that each line is chained to the previous one,
// and that the chain ends with the line in the newest file's head. Servers may write to the log meanwhile.
// The error is a *ChainError for the first wrong line, or says that a file cannot be read.
func Verify(paths []string, key []byte) (*Report, error) {
	parts, err := openParts(paths)
	defer func() {
		for _, p := range parts {
			_ = p.file.Close() // it was only read
		}
	}()
	if err != nil {
		return nil, err
	}
	v := &verifier{key: key, report: &Report{}, ends: map[int64]string{}}
	for _, p := range parts {
		if err := v.part(p); err != nil {
			return v.report, err
		}
	}
	if v.report.Lines == 0 {
		v.note("there are no lines")
	} else if v.report.First > 1 {
		v.note(fmt.Sprintf("it begins with line %d: the lines before it are in older files", v.report.First))
	}
	return v.report, v.end(parts[len(parts)-1])
}

// A part is one file of a log.
type part struct {
	path  string
	file  *os.File
	in    *bufio.Reader // the decompressed content
	first int64         // number of the first line in the log; 0 if the file is empty or does not begin with a line
	head  *link         // content of the file's head; nil if there is no head
}

// openParts opens files and sorts them by the numbers of their first lines. On an error, it also
// returns the files that are open.
func openParts(paths []string) (parts []*part, err error) {
	for _, path := range paths {
		p, err := openPart(path)
		if err != nil {
			return parts, err
		}
		parts = append(parts, p)
	}
	// An empty file is the newest, just created by a server. Its first-1 wraps around, so it is sorted last.
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(uint64(a.first-1), uint64(b.first-1)) })
	return parts, nil
}

// openPart opens a file and reads its head. Lines that are written later are not read. openPart
// locks the head, so that no server writes between the reading of the head and of the file's size.
func openPart(path string) (*part, error) {
	p := &part{path: path}
	unlock := func() {}
	defer func() { unlock() }()
	if head, err := os.OpenFile(HeadName(path), os.O_RDONLY|unix.O_NONBLOCK, 0); err == nil { // it may be a FIFO
		if err := unix.Flock(int(head.Fd()), unix.LOCK_SH); err != nil {
			return nil, errors.Join(err, head.Close())
		}
		unlock = func() { _ = head.Close() }
		end, err := readHead(head)
		switch {
		case errors.As(err, new(*fs.PathError)): // it cannot be read, which does not mean that it was changed
			return nil, err
		case err != nil:
			return nil, &ChainError{File: HeadName(path), Why: err.Error()}
		}
		p.head = &end
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p.file = f
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p.in = bufio.NewReaderSize(io.NewSectionReader(f, 0, info.Size()), 64<<10)
	if magic, _ := p.in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(p.in)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
		p.in = bufio.NewReaderSize(z, 64<<10)
	}
	start, _ := p.in.Peek(64) // less if the file is shorter
	_, _ = fmt.Sscanf(string(start), `{"seq":%d,`, &p.first)
	return p, nil
}

// A verifier follows a chain.
type verifier struct {
	key    []byte
	report *Report
	last   link             // the last line that was checked
	ends   map[int64]string // hashes of the last two lines; the head may be one line behind
	torn   int64            // if the file read last ends with an incomplete line, its number in this file; else 0
}

func (v *verifier) note(text string) { v.report.Notes = append(v.report.Notes, text) }

// part follows the chain through a file.
func (v *verifier) part(p *part) error {
	if v.torn > 0 {
		v.note(fmt.Sprintf("line %d of the file before %s is incomplete", v.torn, p.path))
		v.torn = 0
	}
	in := bufio.NewReaderSize(p.in, maxRead)
	for n := int64(1); ; n++ {
		text, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return &ChainError{p.path, n, fmt.Sprintf("it is longer than the %d bytes that a line can have", maxLine)}
		case errors.Is(err, io.EOF) && len(text) > 0:
			v.torn = n
			return nil
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", p.path, err)
		}
		if err := v.line(p.path, n, text); err != nil {
			return err
		}
	}
}

// line checks one line.
func (v *verifier) line(path string, n int64, text []byte) error {
	l, hash, torn, ok := decode(text, v.key)
	if torn > 0 {
		v.note(fmt.Sprintf("%s line %d: before it are %d bytes of an incomplete line, as it says", path, n, torn))
	}
	switch {
	case hash == "":
		return &ChainError{path, n, "it is not a line of an audit log"}
	case !ok && len(v.key) > 0:
		return &ChainError{path, n, "its hash is wrong: it was changed, or made with another key"}
	case !ok:
		return &ChainError{path, n, "its hash is wrong: it was changed, or the log has a key"}
	case v.report.Lines == 0 && (l.Seq == 1) != (l.Prev == noHash):
		return &ChainError{path, n, "the first line does not begin a log"}
	case v.report.Lines > 0 && l.Seq != v.last.seq+1:
		return &ChainError{path, n, fmt.Sprintf("it is line %d of the log and follows line %d: %s", l.Seq, v.last.seq, missing(v.last.seq, l.Seq))}
	case v.report.Lines > 0 && l.Prev != v.last.hash:
		return &ChainError{path, n, "it was not written after the line before it"}
	}
	if v.report.Lines == 0 {
		v.report.First = l.Seq
	}
	v.report.Lines++
	v.last = link{l.Seq, hash}
	v.report.Last, v.report.Hash = l.Seq, hash
	v.ends[l.Seq] = hash
	delete(v.ends, l.Seq-2)
	return nil
}

// missing describes the error if line from of the log is followed by line to instead of line from+1.
func missing(from, to int64) string {
	if to > from {
		return fmt.Sprintf("%d are missing", to-from-1)
	}
	return "lines were inserted or moved"
}

// end compares the last line with the head of the newest file.
func (v *verifier) end(p *part) error {
	if v.torn > 0 {
		v.note(fmt.Sprintf("%s line %d is incomplete: after a crash, or because it was cut", p.path, v.torn))
	}
	switch {
	case p.head != nil && v.report.Lines == 0 && p.head.seq > 0:
		return &ChainError{p.path, 0, fmt.Sprintf("it is empty, and %d lines were written; name the older files too", p.head.seq)}
	case p.head == nil:
		v.note(fmt.Sprintf("%s is missing, so it is not known whether lines are missing at the end", HeadName(p.path)))
	case p.head.seq > v.last.seq:
		return &ChainError{p.path, 0, fmt.Sprintf("it ends with line %d, and line %d was written: %d are missing at the end", v.last.seq, p.head.seq, p.head.seq-v.last.seq)}
	case p.head.seq == 0 && v.last.seq > 0, p.head.seq < v.last.seq-1:
		return &ChainError{p.path, 0, fmt.Sprintf("it ends with line %d, and the last one that a server wrote is line %d", v.last.seq, p.head.seq)}
	case v.ends[p.head.seq] != p.head.hash && v.report.Lines > 0:
		return &ChainError{p.path, 0, fmt.Sprintf("line %d is not the one that was written", p.head.seq)}
	case p.head.seq < v.last.seq:
		v.note(fmt.Sprintf("the last line is not in %s: the server was killed at that moment, or the line was inserted", HeadName(p.path)))
	}
	return nil
}
