package fleet

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// A Recording identifies a recording of a node's session, stored by the fleet's NATS server.
type Recording struct {
	Node   string
	Secret string // known to that node and to gateways, see the package comment
	Name   string
}

// A Piece is a part of a file of a recording. Its place is the file and the offset. A piece
// replaces an earlier one at the same place.
type Piece struct {
	Recording
	File   string
	Offset int64     // of its first byte in the file
	About  string    // metadata, see package archive
	Data   []byte    // empty if the piece was deleted
	Number uint64    // NATS's sequence number: pieces shipped later have larger ones
	At     time.Time // when the stream stored it
}

// The stream of recordings and its limits.
const (
	recordingStreamName = "glasstty-recordings"
	recordingBytes      = 1 << 30             // of the whole stream
	recordingAge        = 30 * 24 * time.Hour // after which a piece is removed
	maxPiece            = 512 << 10           // bytes before they are compressed

	// shipLimit is how long it may take to ship a piece, for example on a slow link.
	shipLimit = 30 * time.Second
)

// The indexes of the tokens in glasstty.from.NODE.rec.SECRET.NAME.FILE.OFFSET, the subject of a piece.
const (
	secretIndex    = 4
	recordingIndex = 5
	fileIndex      = 6
	offsetIndex    = 7
)

// headerAbout is the name of the header that carries Piece.About.
const headerAbout = "Glasstty-About"

// subject returns the subject of a recording's pieces; file and offset may be wildcards.
func (r Recording) subject(file, offset string) string {
	return join("from", r.Node, "rec", r.Secret, r.Name, file, offset)
}

// recordingOf returns the recording that a piece's subject names.
func recordingOf(subject string) Recording {
	return Recording{token(subject, nodeIndex), token(subject, secretIndex), token(subject, recordingIndex)}
}

// recordingConfig is the configuration of the stream. A full stream discards its oldest pieces.
func recordingConfig() nats.StreamConfig {
	return nats.StreamConfig{
		Name: recordingStreamName, Subjects: []string{Recording{"*", "*", "*"}.subject("*", "*")},
		MaxMsgsPerSubject: 1, MaxBytes: recordingBytes, MaxAge: recordingAge, Discard: nats.DiscardOld,
	}
}

// A RecordingStream gives access to the stream of recordings.
type RecordingStream struct{ m *Member }

// Recordings returns the stream of recordings.
func (m *Member) Recordings() RecordingStream { return RecordingStream{m} }

// pieceSubject returns the subject of a piece of one of this node's recordings.
func (s RecordingStream) pieceSubject(p Piece) string {
	return Recording{s.m.opt.Name, s.m.secret, p.Name}.subject(p.File, strconv.FormatInt(p.Offset, 10))
}

// Ship stores a piece of one of this node's recordings, and returns the piece's number. If last is
// not the number of the piece that is stored at this place (0 if none is), Ship returns the stored
// piece's number and ErrNumber.
func (s RecordingStream) Ship(ctx context.Context, p Piece, last uint64) (number uint64, err error) {
	msg := nats.NewMsg(s.pieceSubject(p))
	msg.Header.Set(headerKind, kindPiece)
	if p.About != "" {
		msg.Header.Set(headerAbout, p.About)
	}
	if msg.Data, err = compress(p.Data); err != nil {
		return last, err
	}
	if !s.m.conn.IsConnected() { // nats.go would send the piece later
		return last, ErrNoConnection
	}
	within, cancel := context.WithTimeout(ctx, shipLimit)
	defer cancel()
	ack, err := s.m.js.PublishMsg(msg, nats.Context(within), nats.ExpectStream(recordingStreamName), nats.ExpectLastSequencePerSubject(last))
	if err == nil {
		return ack.Sequence, nil
	}
	if n, taken := wrongLastNumber(err); taken {
		return n, ErrNumber
	}
	s.m.checkStreams()
	return last, fmt.Errorf("the stream %s stores nothing: %w", recordingStreamName, s.m.js.fault(recordingStreamName, err))
}

func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}

// MaxPiece returns the maximum size of a piece, in bytes.
func (s RecordingStream) MaxPiece() int { return min(maxPiece, s.m.maxData()-headerRoom) }

// Has reports whether a piece of one of this node's recordings, perhaps a deleted one, is stored at
// the place of p.
func (s RecordingStream) Has(p Piece) (bool, error) {
	return s.m.js.has(recordingStreamName, s.pieceSubject(p))
}

// DeletePiece deletes the piece of one of this node's recordings at the place of p.
func (s RecordingStream) DeletePiece(p Piece) error { return s.blank(s.pieceSubject(p)) }

// blank deletes a piece: it stores an empty message in place of the piece. The stream lets nobody
// remove messages, because nodes could then remove them too (see the package comment).
func (s RecordingStream) blank(subject string) error {
	_, err := s.m.js.Publish(subject, nil, nats.ExpectStream(recordingStreamName))
	return err
}

// Recordings returns the recordings of a node, or of all nodes if node is "*", sorted by node and name.
// It leaves out recordings without a piece at the start of file, and includes deleted recordings.
func (s RecordingStream) Recordings(node, file string) ([]Recording, error) {
	subjects, err := s.subjects(Recording{node, "*", "*"}.subject(file, "0"))
	var out []Recording
	for subject := range subjects {
		out = append(out, recordingOf(subject))
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		return a.Node < b.Node || a.Node == b.Node && a.Name < b.Name
	})
	return out, err
}

// subjects returns the subjects in the stream that match a filter, with the number of messages of
// each.
func (s RecordingStream) subjects(filter string) (map[string]uint64, error) {
	info, err := s.m.js.StreamInfo(recordingStreamName, &nats.StreamInfoRequest{SubjectsFilter: filter})
	if err != nil {
		return nil, s.m.js.fault(recordingStreamName, err)
	}
	return info.State.Subjects, nil
}

// Last returns the most recently shipped piece of a recording's file, or of any file if
// file is "*". If the piece was deleted or cannot be read, it has no data. If none is stored, it is zero.
func (s RecordingStream) Last(r Recording, file string) (Piece, error) {
	raw, err := s.m.js.GetLastMsg(recordingStreamName, r.subject(file, "*"))
	if errors.Is(err, nats.ErrMsgNotFound) {
		return Piece{}, nil
	}
	if err != nil {
		return Piece{}, err
	}
	p, err := readPiece(&nats.Msg{Subject: raw.Subject, Header: raw.Header, Data: raw.Data}, raw.Sequence, raw.Time)
	if err != nil {
		p.Data = nil
	}
	return p, nil
}

func readPiece(msg *nats.Msg, number uint64, at time.Time) (Piece, error) {
	p := Piece{Recording: recordingOf(msg.Subject), File: token(msg.Subject, fileIndex), About: msg.Header.Get(headerAbout), Number: number, At: at}
	if msg.Header.Get(headerKind) != kindPiece {
		return p, nil // deleted, or an acknowledgement of NATS, which has no headers
	}
	var err error
	if p.Offset, err = strconv.ParseInt(token(msg.Subject, offsetIndex), 10, 64); err != nil || len(msg.Data) == 0 {
		return p, err
	}
	p.Data, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(msg.Data)), maxPiece+1))
	if err == nil && len(p.Data) > maxPiece {
		err = fmt.Errorf("%w: a piece of a recording has more than %d bytes", ErrTooLarge, maxPiece)
	}
	return p, err
}

// ReadRecording calls each for the pieces of a recording, in the order in which they were
// shipped. It skips pieces that were deleted or cannot be read.
func (s RecordingStream) ReadRecording(ctx context.Context, r Recording, each func(Piece) error) error {
	return s.m.js.read(ctx, recordingStreamName, r.subject("*", "*"), func(msg *nats.Msg, about *nats.MsgMetadata) error {
		if p, err := readPiece(msg, about.Sequence.Stream, about.Timestamp); err == nil && len(p.Data) > 0 {
			return each(p)
		}
		return nil
	})
}

// DeleteRecording deletes all pieces of a recording. It needs a gateway's rights.
func (s RecordingStream) DeleteRecording(r Recording) error {
	subjects, err := s.subjects(r.subject("*", "*"))
	for subject := range subjects {
		if err := s.blank(subject); err != nil {
			return err
		}
	}
	return err
}
