package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// A Line is a line of a log. Seq and Hash identify it within the log.
type Line struct {
	Node string // name in the fleet of the server that wrote the line; "" if it had none
	Seq  int64  // number in the log, from 1
	Hash string // in hexadecimal; "" if Text is not a line of a log
	Time time.Time
	Text []byte // without the line feed

	end int64 // offset in the file at which the next line begins
}

// A Follower reads the lines that servers with the Log's Node have written, and then those they write.
// It continues when the file is rotated. It is not safe for concurrent use.
type Follower struct {
	log  *Log
	file *file // nil while no file is open
	at   int64 // offset of the next line in the file
	last int64 // number of the last line that was read; 0 before the first
}

// chunkSize is the number of bytes after which one read of a file stops, at the end of a line.
const chunkSize = 64 << 10

// Follow returns a Follower at the beginning of the file.
func (l *Log) Follow() *Follower { return &Follower{log: l} }

// Written returns a channel that receives a value when this Log, and not another server, has written lines.
func (l *Log) Written() <-chan struct{} { return l.written }

// Close closes the file.
func (f *Follower) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// open opens the file at the path, unless a file is open already. A missing file is not an error.
func (f *Follower) open() (err error) {
	if f.file == nil {
		f.file, err = openPrivate(f.log.path, os.O_RDONLY)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Skip makes Read continue after the line last, of which only Seq and Hash are used. If the file does
// not have this line, Read begins with the first line of the file; if lines between last and that line
// are missing, Read records their numbers in the log. If there is no file, Skip does nothing.
func (f *Follower) Skip(last Line) error {
	if err := f.open(); err != nil || f.file == nil {
		return err
	}
	for f.at, f.last = 0, last.Seq; ; {
		lines, err := f.readChunk()
		if err != nil || len(lines) == 0 {
			f.at = 0
			return err
		}
		for _, l := range lines {
			if l.Hash != "" && l.Seq == last.Seq && l.Hash == last.Hash {
				f.at = l.end
				return nil
			}
		}
	}
}

// Read returns the next lines of the Log's Node, or none if there are no new ones. If lines are
// missing, because the file was rotated twice or changed, it writes an "audit.unshipped" to the log.
func (f *Follower) Read(ctx context.Context) ([]Line, error) {
	for {
		if err := f.open(); err != nil || f.file == nil {
			return nil, err
		}
		size, same := f.file.stat()
		if same && size < f.at {
			f.at = 0 // the file was truncated
		}
		lines, err := f.readChunk()
		if err != nil {
			return nil, err
		}
		if own := f.ownLines(ctx, lines); len(own) > 0 {
			return own, nil
		}
		switch {
		case len(lines) > 0:
		case same:
			return nil, nil
		default:
			if err := f.file.Close(); err != nil {
				return nil, err
			}
			f.file, f.at = nil, 0
		}
	}
}

// ownLines returns the lines of this Log's Node, and records in the log which lines are missing or invalid.
func (f *Follower) ownLines(ctx context.Context, lines []Line) (own []Line) {
	for _, l := range lines {
		switch {
		case l.Hash == "":
			f.log.RecordUnshipped(ctx, fmt.Sprintf("after line %d there are %d bytes that are not a line of this log", f.last, len(l.Text)))
			continue
		case f.last > 0 && l.Seq > f.last+1:
			f.log.RecordUnshipped(ctx, fmt.Sprintf("lines %d to %d are no longer in the file", f.last+1, l.Seq-1))
		}
		f.last = l.Seq
		if l.Node == f.log.opt.Node {
			own = append(own, l)
		}
	}
	return own
}

// RecordUnshipped records in the log that its copy elsewhere is incomplete.
func (l *Log) RecordUnshipped(ctx context.Context, why string) {
	// Write logs an error if the record cannot be written.
	_, _ = l.Write(ctx, Record{Event: eventUnshipped, Why: why})
}

// readChunk reads whole lines from f.at to the end of the file, or until they have chunkSize bytes. It moves f.at.
func (f *Follower) readChunk() (lines []Line, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(f.file, f.at, maxRead), chunkSize)
	for start := f.at; f.at-start < chunkSize; {
		text, err := in.ReadBytes('\n')
		switch {
		case err == nil, len(text) == maxRead: // too long for a line; returned without a hash
		case errors.Is(err, io.EOF):
			return lines, nil
		default:
			return nil, err
		}
		f.at += int64(len(text))
		lines = append(lines, f.decodeLine(text))
	}
	return lines, nil
}

// decodeLine decodes a line. If text is not a line of a log, Hash is "".
func (f *Follower) decodeLine(text []byte) Line {
	l, hash, _, _ := decode(text, f.log.opt.Key)
	if _, err := hex.DecodeString(hash); err != nil {
		hash = ""
	}
	at, _ := time.Parse(time.RFC3339Nano, l.Time) // a line without a valid time gets the zero time
	return Line{l.Node, l.Seq, hash, at, bytes.TrimSuffix(text, []byte("\n")), f.at}
}
