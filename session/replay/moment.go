package replay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A moment is a time, a marker or a revision of a session: the first field that is not zero, or else revision 0.
type moment struct {
	at       time.Time
	marker   string
	revision uint64
}

// minUnix is the smallest number that is a time in Unix seconds. Smaller ones are revisions.
const minUnix = 1e9

// Moments describes the forms of moments that At accepts.
const Moments = `a revision (42), Unix seconds (1767225600.5), seconds ago (-5), a time (2026-01-02T15:04:05Z), a time since the start (+12.5s), or the id of a message or marker (m3)`

// At returns the terminal at a moment, which has one of the forms of Moments. The error may wrap
// ErrPast, ErrFuture, ErrMarker or ErrMoment.
func (r *Replay) At(text string, now time.Time) (*Frame, error) {
	m, err := parseMoment(strings.TrimSpace(text), r.Start(), now)
	if err != nil {
		return nil, err
	}
	switch {
	case m.at.After(now):
		return nil, fmt.Errorf("%q is %w: it is %s, Unix seconds %.3f", text, ErrFuture, formatTime(now), float64(now.UnixMilli())/1000)
	case !m.at.IsZero():
		return r.atTime(m.at)
	case m.marker != "":
		return r.atMarker(m.marker)
	}
	return r.atRevision(m.revision)
}

// parseMoment parses a moment of a session that began at start.
func parseMoment(text string, start, now time.Time) (moment, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && text[0] != '+' {
		return numberMoment(n, text, now)
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return moment{at: t}, nil
	}
	if since, ok := strings.CutPrefix(text, "+"); ok {
		d, err := time.ParseDuration(since)
		if s, serr := strconv.ParseFloat(since, 64); serr == nil && math.Abs(s) < 1e9 {
			d, err = time.Duration(s*float64(time.Second)), nil
		}
		if err != nil || d < 0 {
			return moment{}, fmt.Errorf("%w: %q is not a time since the start, such as +12.5s; give %s", ErrMoment, text, Moments)
		}
		return moment{at: start.Add(d)}, nil
	}
	if _, err := time.ParseDuration(text); err == nil && text[0] == '-' {
		return moment{}, fmt.Errorf("%w: %q is not a number of seconds ago, such as -60; give %s", ErrMoment, text, Moments)
	}
	if text == "" {
		return moment{}, fmt.Errorf("%w: give %s", ErrMoment, Moments)
	}
	return moment{marker: text}, nil
}

// numberMoment returns the moment for n: a revision, Unix seconds or, if n is negative, seconds before now.
func numberMoment(n float64, text string, now time.Time) (moment, error) {
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0) || math.Abs(n) > 1e11:
		return moment{}, fmt.Errorf("%w: %q is out of range; give %s", ErrMoment, text, Moments)
	case n >= minUnix:
		return moment{at: time.UnixMicro(int64(n * 1e6))}, nil
	case math.Signbit(n): // "-0" is now
		return moment{at: now.Add(time.Duration(n * float64(time.Second)))}, nil
	case n != math.Trunc(n):
		return moment{}, fmt.Errorf("%w: %q is not a whole revision; give %s", ErrMoment, text, Moments)
	}
	return moment{revision: uint64(n)}, nil
}
