package fleet

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// A Recording is one that the fleet's NATS server keeps of a node.
type Recording struct{ Node, Name string }

// A Piece is a part of a file of a recording. A later piece in the same place replaces it.
type Piece struct {
	Recording
	File   string
	Offset int64  // of its first byte in the file
	About  string // what its reader must know
	Data   []byte // at least one byte
	Number uint64 // that NATS has given it; pieces that were shipped later have larger ones
	At     time.Time
}

// Bounds of the recordings.
const (
	recordings     = "glasstty-recordings" // the stream
	recordingBytes = 1 << 30
	recordingAge   = 30 * 24 * time.Hour
	maxPiece       = 512 << 10 // bytes before they are compressed

	// shipLimit is how long a piece may take on a slow link.
	shipLimit = 30 * time.Second
)

// The positions in glasstty.from.NODE.rec.NAME.FILE.OFFSET, the subject of a piece.
const (
	recordingPlace = 4
	filePlace      = 5
	offsetPlace    = 6
)

// headerAbout is the header of a piece's About.
const headerAbout = "Glasstty-About"

// subject returns where the pieces of a recording are; file and offset may be wildcards.
func (r Recording) subject(file, offset string) string {
	return join("from", r.Node, "rec", r.Name, file, offset)
}

// OpenRecordings checks that the NATS server can keep recordings. A server makes the stream
// where there is none, which a node alone has no right to.
func (m *Member) OpenRecordings() error {
	info, err := m.openStream("recordings", "--fleet-recordings", nats.StreamConfig{
		Name: recordings, Subjects: []string{Recording{"*", "*"}.subject("*", "*")},
		MaxMsgsPerSubject: 1, MaxBytes: recordingBytes, MaxAge: recordingAge, Discard: nats.DiscardOld,
	})
	if err == nil && info.Config.MaxMsgsPerSubject != 1 {
		return fmt.Errorf("the stream %s keeps %d messages of a subject, and must keep 1: nats stream edit %[1]s --max-msgs-per-subject 1", recordings, info.Config.MaxMsgsPerSubject)
	}
	return err
}

// Ship keeps a piece of one of this node's recordings, and returns its number. The piece in
// its place must have the number last, 0 for none; otherwise the error is ErrNumber and the
// number that it has.
func (m *Member) Ship(ctx context.Context, p Piece, last uint64) (number uint64, err error) {
	p.Node = m.opt.Name
	msg := nats.NewMsg(p.subject(p.File, strconv.FormatInt(p.Offset, 10)))
	if p.About != "" {
		msg.Header.Set(headerAbout, p.About)
	}
	if msg.Data, err = squeeze(p.Data); err != nil {
		return last, err
	}
	if !m.conn.IsConnected() { // it would be sent later
		return last, nats.ErrDisconnected
	}
	within, cancel := context.WithTimeout(ctx, shipLimit)
	defer cancel()
	ack, err := m.js.PublishMsg(msg, nats.Context(within), nats.ExpectStream(recordings), nats.ExpectLastSequencePerSubject(last))
	if err == nil {
		return ack.Sequence, nil
	}
	if said, taken := placeTaken(err); taken {
		if n, has := wrongLast(said); has {
			return n, ErrNumber
		}
	}
	return last, fmt.Errorf("the stream %s takes nothing: %w", recordings, err)
}

// wrongLast returns the number of the other piece from the text of placeTaken.
func wrongLast(said string) (uint64, bool) {
	_, number, _ := strings.Cut(said, ": ")
	n, err := strconv.ParseUint(number, 10, 64)
	return n, err == nil
}

// squeeze compresses a piece.
func squeeze(data []byte) ([]byte, error) {
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

// MaxPiece returns how many bytes a piece may have.
func (m *Member) MaxPiece() int { return min(maxPiece, m.room()-headerRoom) }

// Shipped returns where the last pieces of this node's recordings begin, by the names of
// recordings and files.
func (m *Member) Shipped() (map[string]map[string]int64, error) {
	out := map[string]map[string]int64{}
	err := m.places(Recording{m.opt.Name, "*"}.subject("*", "*"), func(r Recording, file string, offset int64) {
		files := out[r.Name]
		if files == nil {
			files = map[string]int64{}
			out[r.Name] = files
		}
		files[file] = max(files[file], offset)
	})
	return out, err
}

// places calls each for the pieces that there are. Those that were forgotten are among them.
func (m *Member) places(filter string, each func(r Recording, file string, offset int64)) error {
	return m.subjects(recordings, filter, func(subject string) {
		if offset, err := strconv.ParseInt(token(subject, offsetPlace), 10, 64); err == nil && offset >= 0 {
			each(Recording{token(subject, nodePlace), token(subject, recordingPlace)}, token(subject, filePlace), offset)
		}
	})
}

// Unship forgets one of this node's recordings: a piece without data replaces each of its
// pieces, which NATS lets a node do with its own alone.
func (m *Member) Unship(name string) error {
	var subjects []string
	err := m.places(Recording{m.opt.Name, name}.subject("*", "*"), func(r Recording, file string, offset int64) {
		subjects = append(subjects, r.subject(file, strconv.FormatInt(offset, 10)))
	})
	for _, subject := range subjects {
		if err == nil {
			_, err = m.js.Publish(subject, nil, nats.ExpectStream(recordings))
		}
	}
	return err
}

// Recordings returns the recordings that have a file, of a node, or
// of all where node is *.
func (m *Member) Recordings(node, file string) ([]Recording, error) {
	var out []Recording
	err := m.places(Recording{node, "*"}.subject(file, "0"), func(r Recording, _ string, _ int64) { out = append(out, r) })
	slices.SortFunc(out, func(a, b Recording) int { return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Name, b.Name)) })
	return out, err
}

// Last returns the last piece of a recording that was shipped, of any file where file is *.
// It has no data where the piece was forgotten or discarded, or cannot be read.
func (m *Member) Last(r Recording, file string) (Piece, error) {
	raw, err := m.js.GetLastMsg(recordings, r.subject(file, "*"))
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

// readPiece reads a piece.
func readPiece(msg *nats.Msg, number uint64, at time.Time) (Piece, error) {
	p := Piece{Recording: Recording{token(msg.Subject, nodePlace), token(msg.Subject, recordingPlace)},
		File: token(msg.Subject, filePlace), About: msg.Header.Get(headerAbout), Number: number, At: at}
	var err error
	if p.Offset, err = strconv.ParseInt(token(msg.Subject, offsetPlace), 10, 64); err != nil || len(msg.Data) == 0 {
		return p, err
	}
	p.Data, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(msg.Data)), maxPiece+1))
	if err == nil && len(p.Data) > maxPiece {
		err = fmt.Errorf("%w: a piece of a recording has more than %d bytes", ErrTooLarge, maxPiece)
	}
	return p, err
}

// ReadRecording calls each for the pieces of a recording, in the order in which they were
// shipped. Those that cannot be read are left out.
func (m *Member) ReadRecording(ctx context.Context, r Recording, each func(Piece) error) error {
	return m.readStream(ctx, recordings, r.subject("*", "*"), func(msg *nats.Msg, about *nats.MsgMetadata) error {
		if p, err := readPiece(msg, about.Sequence.Stream, about.Timestamp); err == nil && len(p.Data) > 0 {
			return each(p)
		}
		return nil
	})
}

// PurgeRecording removes a recording, as only a gateway may.
func (m *Member) PurgeRecording(r Recording) error {
	return m.js.PurgeStream(recordings, &nats.StreamPurgeRequest{Subject: r.subject("*", "*")})
}
