package archive

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Reader reads what a Store keeps.
type Reader interface {
	// Recordings returns the recordings that have a file, of a node, or of all where node
	// is *.
	Recordings(node, file string) ([]fleet.Recording, error)
	// Last returns the last piece of a recording, of any file where file is *. It has no
	// data where that was forgotten or discarded, or cannot be read.
	Last(r fleet.Recording, file string) (fleet.Piece, error)
	// ReadRecording calls each for the pieces of a recording.
	ReadRecording(ctx context.Context, r fleet.Recording, each func(fleet.Piece) error) error
}

// A Kept is a recording that a Store has.
type Kept struct {
	fleet.Recording
	ID    string        // of its session: that of an older one of a node has a letter behind it
	Meta  eventlog.Meta // as they were shipped last
	Until time.Time     // when its last piece was kept
	Last  uint64        // the number of that
}

// began returns when the session of a recording began, in Unix microseconds.
func began(name string) int64 {
	_, micros, _ := strings.Cut(name, "-")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// List returns the recordings of a node, or of all where node is *: those that want accepts,
// at most limit, and the latest first.
func List(r Reader, node string, limit int, want func(node string) bool) ([]Kept, error) {
	all, err := r.Recordings(node, metaFile)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r fleet.Recording) bool { return !want(r.Node) })
	slices.SortStableFunc(all, func(a, b fleet.Recording) int { return cmp.Compare(began(b.Name), began(a.Name)) })
	var out []Kept
	used := map[string]bool{} // by node and id
	for _, one := range all {
		if len(out) == limit {
			break
		}
		meta, err := r.Last(one, metaFile)
		if err != nil {
			return out, err
		}
		last, err := r.Last(one, "*")
		if err != nil {
			return out, err
		}
		if len(meta.Data) == 0 || len(last.Data) == 0 {
			continue
		}
		k := Kept{Recording: one, Meta: readMeta(meta.Data), Until: last.At, Last: last.Number}
		id, _, _ := strings.Cut(one.Name, "-")
		k.ID = id
		for letter := 'b'; used[k.Node+" "+k.ID] && letter <= 'z'; letter++ {
			k.ID = id + string(letter)
		}
		if !used[k.Node+" "+k.ID] {
			used[k.Node+" "+k.ID] = true
			out = append(out, k)
		}
	}
	return out, nil
}

// maxListed bounds the recordings of a node among which Find looks.
const maxListed = 200

// Find returns the latest recording of a node whose session has an id or name.
func Find(r Reader, node, session string) (Kept, error) {
	all, err := List(r, node, maxListed, func(string) bool { return true })
	if err != nil {
		return Kept{}, err
	}
	for _, same := range []func(Kept) bool{
		func(k Kept) bool { return k.ID == session },
		func(k Kept) bool { return k.Meta.Name == session },
	} {
		if i := slices.IndexFunc(all, same); i >= 0 {
			return all[i], nil
		}
	}
	return Kept{}, fmt.Errorf("%w of a session %q of node %s among the fleet's recordings", eventlog.ErrNoLog, session, node)
}

// lost is the status of a session whose end the archive does not know.
const lost = "lost"

// Fetch writes the log of a recording to st, which must be empty, as that of a session that
// was lost, and says what is missing in it.
func Fetch(ctx context.Context, r Reader, k Kept, st eventlog.Store) (gaps string, err error) {
	var c Copy
	if err := r.ReadRecording(ctx, k.Recording, c.Add); err != nil {
		return "", err
	}
	m := c.Meta()
	m.Session, m.Status = k.ID, lost
	m.PID, m.Tag = 0, "" // they mean nothing on this machine
	if m.CreatedAt.IsZero() {
		m.CreatedAt = time.UnixMicro(began(k.Name))
	}
	if err := c.Write(st, m); err != nil {
		return "", err
	}
	l, err := eventlog.Open(st)
	if err != nil {
		return "", err
	}
	return c.gaps(l), nil
}
