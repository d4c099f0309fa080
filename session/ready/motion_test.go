package ready

import (
	"fmt"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/state"
)

// TestMotion draws frames at intervals, and checks whether the screen counts as spinning after the
// last one.
func TestMotion(t *testing.T) {
	frames := func(n int, frame func(i int) string) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = frame(i)
		}
		return all
	}
	signs := []rune("⠋⠙⠹⠸⠼")
	for _, tt := range []struct {
		name   string
		every  time.Duration
		frames []string
		want   bool
	}{
		{"a spinner", 80 * time.Millisecond, frames(8, func(i int) string { return fmt.Sprintf("\r%c Installing", signs[i%5]) }), true},
		{"two spinners", 80 * time.Millisecond, frames(8, func(i int) string { return fmt.Sprintf("\x1b[H%[1]c one\r\n%[1]c two", signs[i%5]) }), true},
		{"seconds beside it", 80 * time.Millisecond, frames(30, func(i int) string { return fmt.Sprintf("\r%c %d s", signs[i%5], i/3) }), true},
		{"all drawn anew", 80 * time.Millisecond, frames(8, func(i int) string { return fmt.Sprintf("\x1b[2J\x1b[Htitle\r\n%c\r\nfoot", signs[i%5]) }), true},
		{"three frames", 80 * time.Millisecond, frames(4, func(i int) string { return fmt.Sprintf("\r%c", signs[i%5]) }), false},
		{"a clock", time.Second, frames(8, func(i int) string { return fmt.Sprintf("\r12:00:0%d", i) }), false},
		{"a cursor of its own that blinks", 500 * time.Millisecond, frames(12, func(i int) string { return "\r> " + []string{"█", " "}[i%2] }), false},
		{"a cursor that changes colour", 80 * time.Millisecond, frames(12, func(i int) string { return fmt.Sprintf("\r> \x1b[%dmN\x1b[m", 7*(i%2)) }), false},
		{"lines", 80 * time.Millisecond, frames(8, func(i int) string { return fmt.Sprintf("line %d\r\n", i) }), false},
		{"a table", 80 * time.Millisecond, frames(8, func(i int) string { return fmt.Sprintf("\x1b[H%[1]d\r\n%[1]d\r\n%[1]d", i) }), false},
		{"a spinner, then text", 80 * time.Millisecond, append(frames(8, func(i int) string { return fmt.Sprintf("\r%c", signs[i%5]) }), "\r\ndone\r\nall\r\n"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &Watch{Unsent: noInput, State: state.New(state.Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 6, Cols: 40}}})}
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			s.RestartMotion()
			for _, f := range tt.frames {
				now = now.Add(tt.every)
				_, _ = s.State.Term.Write([]byte(f))
				s.lookAtMotion(now)
			}
			until := s.motion.spinner.stopsAt()
			if got := now.Before(until); got != tt.want {
				t.Errorf("spins %v, want %v: %+v", got, tt.want, s.motion)
			}
			if !until.IsZero() && until.Sub(now) > maxSpin {
				t.Errorf("spins for another %s", until.Sub(now))
			}
		})
	}
}

// TestMotionSays checks that only new text on the screen says that a program works.
func TestMotionSays(t *testing.T) {
	s := &Watch{Unsent: noInput, State: state.New(state.Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 6, Cols: 40}}})}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	show := func(text string) detect.Busy {
		now = now.Add(time.Second)
		_, _ = s.State.Term.Write([]byte(text))
		s.lookAtMotion(now)
		return s.motion.busy
	}
	show("Loading...\r\n> ")
	s.RestartMotion()
	for _, tt := range []struct {
		text string
		want detect.Busy
	}{
		{"abc", detect.BusyNot}, {"\r\n⠙ x", detect.BusySpins}, {"\r\n(thinking)", detect.BusySays}, {"\x1b[2K\x1b[A\x1b[2K\rdone", detect.BusyNot},
	} {
		if got := show(tt.text); got != tt.want {
			t.Errorf("after %q: %v, want %v", tt.text, got, tt.want)
		}
	}
}
