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
	// Recordings returns the recordings of a node, or of all nodes if node is "*", that have, or
	// had, the first piece of file.
	Recordings(node, file string) ([]fleet.Recording, error)
	// Last returns the piece of a recording's file, or of any file if file is "*", that was shipped
	// last. If that piece was deleted or discarded, or cannot be read, it has no data.
	Last(r fleet.Recording, file string) (fleet.Piece, error)
	// ReadRecording calls each for each piece of a recording.
	ReadRecording(ctx context.Context, r fleet.Recording, each func(fleet.Piece) error) error
}

// An Entry describes a recording in a Store.
type Entry struct {
	fleet.Recording
	ID    string        // session ID; a letter is appended if a newer recording of the node has the same ID
	Meta  eventlog.Meta // the metadata as last shipped
	Until time.Time     // when its last piece was stored, at most the present time
	Last  uint64        // number of the last piece
}

// began returns when the session of a recording began, in Unix microseconds, or 0 if name does not say.
func began(name string) int64 {
	_, micros, _ := strings.Cut(name, "-")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// List returns the recordings of a node, or of all nodes if node is "*", for which want returns true, the
// latest first. Recordings that were deleted are left out. If there are more than limit, List returns the
// first limit, and more is the number of the others, some of which may have been deleted.
func List(r Reader, node string, limit int, want func(fleet.Recording) bool) (out []Entry, more int, err error) {
	recordings, err := r.Recordings(node, metaFile)
	if err != nil {
		return nil, 0, err
	}
	recordings = slices.DeleteFunc(recordings, func(r fleet.Recording) bool { return !want(r) })
	sort.SliceStable(recordings, func(i, j int) bool { return began(recordings[i].Name) > began(recordings[j].Name) })
	used := map[string]bool{} // by node and id
	for i, recording := range recordings {
		if len(out) == limit {
			return out, len(recordings) - i, nil
		}
		meta, err := r.Last(recording, metaFile)
		if err != nil {
			return out, 0, err
		}
		last, err := r.Last(recording, "*")
		if err != nil {
			return out, 0, err
		}
		if len(meta.Data) == 0 || len(last.Data) == 0 {
			continue
		}
		e := Entry{Recording: recording, Meta: readMeta(meta.Data), Until: last.At, Last: last.Number}
		if now := time.Now(); e.Until.After(now) {
			e.Until = now // the clocks differ
		}
		id, _, _ := strings.Cut(recording.Name, "-")
		e.ID = id
		for letter := 'b'; used[e.Node+" "+e.ID] && letter <= 'z'; letter++ {
			e.ID = id + string(letter)
		}
		if !used[e.Node+" "+e.ID] {
			used[e.Node+" "+e.ID] = true
			out = append(out, e)
		}
	}
	return out, 0, nil
}

// All makes List return all recordings.
func All(fleet.Recording) bool { return true }

// Find returns the recording of a node to which List gives the ID session. If there is none, it
// returns the latest recording of a session whose name is session.
func Find(r Reader, node, session string) (Entry, error) {
	withoutLetter := strings.TrimRight(session, "bcdefghijklmnopqrstuvwxyz") // List may have appended a letter
	byID := func(r fleet.Recording) bool {
		id, _, _ := strings.Cut(r.Name, "-")
		return id == session || id == withoutLetter
	}
	entries, _, err := List(r, node, math.MaxInt, byID)
	i := slices.IndexFunc(entries, func(e Entry) bool { return e.ID == session })
	if err == nil && i < 0 {
		entries, _, err = List(r, node, math.MaxInt, All)
		i = slices.IndexFunc(entries, func(e Entry) bool { return e.Meta.Name == session })
	}
	switch {
	case err != nil:
		return Entry{}, err
	case i < 0:
		return Entry{}, fmt.Errorf("%w of a session %q of node %s among the fleet's recordings (list_sessions lists them)", eventlog.ErrNoLog, session, node)
	}
	return entries[i], nil
}

// statusLost is the session's status in the metadata that Fetch writes.
const statusLost = "lost"

// Fetch writes the log of a recording to st, which must be empty. The session in that log is a lost
// one. gaps describes what is missing in the log, or is "" if nothing is known to be missing.
func Fetch(ctx context.Context, r Reader, e Entry, st eventlog.Store) (gaps string, err error) {
	var c Copy
	if err := r.ReadRecording(ctx, e.Recording, c.Add); err != nil {
		return "", err
	}
	m := c.Meta()
	m.Session, m.Status = e.ID, statusLost
	m.PID, m.Tag = 0, "" // meaningless on this machine
	if m.CreatedAt.IsZero() {
		m.CreatedAt = time.UnixMicro(began(e.Name))
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
