package replay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// MomentKind says how a Moment is specified.
type MomentKind uint8

// The kinds of moment.
const (
	AtTime MomentKind = iota
	AtRevision
	AtMarker
)

// A Moment is a point in the course of a session.
type Moment struct {
	Kind     MomentKind
	Time     time.Time
	Revision uint64
	Marker   string
}

// minUnix is the smallest number that means Unix seconds; smaller ones are revisions.
const minUnix = 1e9

// Moments describes the forms of moments that ParseMoment accepts.
const Moments = `a revision (42), Unix seconds (1767225600.5), seconds ago (-5), a time (2026-01-02T15:04:05Z), a time since the start (+12.5s), or the id of a message or marker (m3)`

// ParseMoment parses a moment (see Moments) of a session that began at start. The error
// wraps ErrMoment, or ErrFuture for a moment after now.
func ParseMoment(text string, start, now time.Time) (Moment, error) {
	m, err := parseMoment(strings.TrimSpace(text), start, now)
	if err == nil && m.Kind == AtTime && m.Time.After(now) {
		err = fmt.Errorf("%q is %w: it is %s, Unix seconds %.3f", text, ErrFuture, stamp(now), float64(now.UnixMilli())/1000)
	}
	return m, err
}

// parseMoment is ParseMoment without the check for moments in the future.
func parseMoment(text string, start, now time.Time) (Moment, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && text[0] != '+' {
		return numberMoment(n, text, now)
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return Moment{Time: t}, nil
	}
	if since, ok := strings.CutPrefix(text, "+"); ok {
		d, err := time.ParseDuration(since)
		if s, serr := strconv.ParseFloat(since, 64); serr == nil && math.Abs(s) < 1e9 {
			d, err = time.Duration(s*float64(time.Second)), nil
		}
		if err != nil || d < 0 {
			return Moment{}, fmt.Errorf("%w: %q is not a time since the start, such as +12.5s", ErrMoment, text)
		}
		return Moment{Time: start.Add(d)}, nil
	}
	if text == "" {
		return Moment{}, fmt.Errorf("%w: give %s", ErrMoment, Moments)
	}
	return Moment{Kind: AtMarker, Marker: text}, nil
}

// numberMoment returns the moment that a number means.
func numberMoment(n float64, text string, now time.Time) (Moment, error) {
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0) || math.Abs(n) > 1e11:
		return Moment{}, fmt.Errorf("%w: %q is out of range; give %s", ErrMoment, text, Moments)
	case n >= minUnix:
		return Moment{Time: time.UnixMicro(int64(n * 1e6))}, nil
	case n < 0:
		return Moment{Time: now.Add(time.Duration(n * float64(time.Second)))}, nil
	case n != math.Trunc(n):
		return Moment{}, fmt.Errorf("%w: %q is not a whole revision; give %s", ErrMoment, text, Moments)
	}
	return Moment{Kind: AtRevision, Revision: uint64(n)}, nil
}
