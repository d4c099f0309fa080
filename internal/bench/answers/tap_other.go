//go:build !linux

package main

import (
	"errors"
	"time"
)

// A tap needs Linux. On other systems nothing reports a program's writes, and the
// trials use the pauses in their scripts instead.
type tap struct{}

func newTap(string) (*tap, error)          { return nil, errors.New("needs Linux") }
func (t *tap) now() time.Time              { return time.Now() }
func (t *tap) since(time.Time) []time.Time { return nil }
func (t *tap) reset()                      {}
func (t *tap) lastWrite() time.Time        { return time.Time{} }
func (t *tap) close()                      {}
func ttyOf(int, map[string]bool) string    { return "" }
func terminalsInUse() map[string]bool      { return nil }
