package archive

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Reader reads the recordings in a Store.
type Reader interface {
	// Recordings returns the recordings of a node that contain a file, or those of all
	// nodes if node is "*".
	Recordings(node, file string) ([]fleet.Recording, error)
	// Last returns the most recently shipped piece of a recording's file, or of any file if
	// file is "*". The piece has no data if it was deleted or discarded, or cannot be read.
	Last(r fleet.Recording, file string) (fleet.Piece, error)
	// ReadRecording calls each for the pieces of a recording.
	ReadRecording(ctx context.Context, r fleet.Recording, each func(fleet.Piece) error) error
}

// A Kept is a recording in a Store.
type Kept struct {
	fleet.Recording
	ID    string        // session ID; a letter is appended if a newer recording of the node has the same ID
	Meta  eventlog.Meta // as last shipped
	Until time.Time     // when its last piece was stored
	Last  uint64        // number of its last piece
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

// List returns at most limit recordings of a node, or of all nodes if node is "*", that want
// accepts, the latest first, and the number of the others that want accepts.
func List(r Reader, node string, limit int, want func(fleet.Recording) bool) (out []Kept, more int, err error) {
	all, err := r.Recordings(node, metaFile)
	if err != nil {
		return nil, 0, err
	}
	all = slices.DeleteFunc(all, func(r fleet.Recording) bool { return !want(r) })
	sort.SliceStable(all, func(i, j int) bool { return began(all[i].Name) > began(all[j].Name) })
	used := map[string]bool{} // by node and id
	for i, one := range all {
		if len(out) == limit {
			return out, len(all) - i, nil
		}
		meta, err := r.Last(one, metaFile)
		if err != nil {
			return out, 0, err
		}
		last, err := r.Last(one, "*")
		if err != nil {
			return out, 0, err
		}
		if len(meta.Data) == 0 || len(last.Data) == 0 {
			continue
		}
		k := Kept{Recording: one, Meta: readMeta(meta.Data), Until: last.At, Last: last.Number}
		if now := time.Now(); k.Until.After(now) {
			k.Until = now // the clocks differ
		}
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
	return out, 0, nil
}

// Every is for List: it accepts every recording.
func Every(fleet.Recording) bool { return true }

// Find returns the latest recording of a node whose session has the given ID or, failing
// that, name.
func Find(r Reader, node, session string) (Kept, error) {
	without := strings.TrimRight(session, "bcdefghijklmnopqrstuvwxyz") // the letter that List appends
	byID := func(r fleet.Recording) bool {
		id, _, _ := strings.Cut(r.Name, "-")
		return id == session || id == without
	}
	all, _, err := List(r, node, math.MaxInt, byID)
	i := slices.IndexFunc(all, func(k Kept) bool { return k.ID == session })
	if err == nil && i < 0 {
		all, _, err = List(r, node, math.MaxInt, Every)
		i = slices.IndexFunc(all, func(k Kept) bool { return k.Meta.Name == session })
	}
	switch {
	case err != nil:
		return Kept{}, err
	case i < 0:
		return Kept{}, fmt.Errorf("%w of a session %q of node %s among the fleet's recordings (list_sessions lists them)", eventlog.ErrNoLog, session, node)
	}
	return all[i], nil
}

// lost is the status of a session in Fetch's metadata.
const lost = "lost"

// Fetch writes the log of a recording to st, which must be empty, with the status of a lost
// session. It returns a description of what is missing in the log, or "" if nothing is.
func Fetch(ctx context.Context, r Reader, k Kept, st eventlog.Store) (gaps string, err error) {
	var c Copy
	if err := r.ReadRecording(ctx, k.Recording, c.Add); err != nil {
		return "", err
	}
	m := c.Meta()
	m.Session, m.Status = k.ID, lost
	m.PID, m.Tag = 0, "" // meaningless on this machine
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
