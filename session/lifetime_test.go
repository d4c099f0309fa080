package session

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/limit"
)

// ended reports whether the session has ended. If so, it checks that the limit is named as the
// reason everywhere that it must be.
func ended(t *testing.T, s *Session, name string) bool {
	t.Helper()
	synctest.Wait()
	if s.Info().Status == StatusRunning {
		return false
	}
	r := exchange(t, s, Input{}, Wait{})
	_, err := s.Type(t.Context(), Input{Text: "x"})
	for what, text := range map[string]string{
		"reply": strings.Join(r.Notes, "|"), "error": errorText(err), "info": s.Info().Ended, "session": s.Facts().Ended,
		"log": strings.Join(s.child.(*fakeChild).marks, "|"),
	} {
		for _, want := range []string{name + "=", "--" + name, limit.Variable(name)} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not name %s: %q", what, want, text)
			}
		}
	}
	return true
}

// errorText returns the text of an error, or "" for nil.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestIdle checks that a session ends when it has not been used for the idle time, and what counts
// as use.
func TestIdle(t *testing.T) {
	const idle = 10 * time.Minute
	ada := Person{ID: "a", Name: "Ada"}
	for name, use := range map[string]func(t *testing.T, m *Manager, s *Session){
		"nothing": func(*testing.T, *Manager, *Session) {},
		"call": func(t *testing.T, m *Manager, s *Session) {
			time.Sleep(idle - time.Second)
			if _, err := m.Session(s.ID()); err != nil {
				t.Error(err)
			}
		},
		"wait": func(t *testing.T, _ *Manager, s *Session) {
			for range 2 {
				time.Sleep(idle - time.Second)
				r, err := s.Exchange(t.Context(), Input{}, Wait{Until: UntilExit, Timeout: MaxTimeout}, nil)
				if err != nil || r.Status != StatusRunning {
					t.Errorf("the session ended while a call waited: %+v, %v", r, err)
				}
			}
		},
		"watcher": func(t *testing.T, _ *Manager, s *Session) {
			leave := s.As(ada).Attend()
			time.Sleep(5 * idle)
			leave()
		},
	} {
		t.Run(name, func(t *testing.T) {
			underFakeClock(t, Options{Limits: Limits{Idle: idle}}, func(t *testing.T, m *Manager, _ *fakeOwner) {
				s := fakeSession(t, m)
				use(t, m, s)
				time.Sleep(idle - 2*time.Second)
				synctest.Wait()
				if s.Info().Status != StatusRunning {
					t.Fatal("the session ended too early:", s.Facts().Ended)
				}
				time.Sleep(idle/4 + 5*time.Second)
				if !ended(t, s, limit.Idle) {
					t.Error("the session goes on")
				}
			})
		})
	}
}

// TestLifetime checks that a session ends when its lifetime is over, even if it is used, and that
// each reader is warned once before.
func TestLifetime(t *testing.T) {
	underFakeClock(t, Options{Limits: Limits{Lifetime: time.Hour}}, func(t *testing.T, m *Manager, _ *fakeOwner) {
		s := fakeSession(t, m)
		exchange(t, s, Input{}, Wait{}) // takes the note that says how it was started
		other, err := s.AddReader(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		warned := func(reader int) bool {
			notes := strings.Join(exchange(t, s, Input{}, Wait{Until: UntilNone, Reader: reader}).Notes, "|")
			if notes != "" && (!strings.Contains(notes, "ended at") || !strings.Contains(notes, "--lifetime")) {
				t.Errorf("warned with %q", notes)
			}
			return notes != ""
		}
		time.Sleep(53 * time.Minute)
		if warned(0) {
			t.Error("warned too early")
		}
		time.Sleep(2 * time.Minute)
		if !warned(0) || !warned(other) || warned(0) {
			t.Error("want each reader to be warned exactly once")
		}
		time.Sleep(5*time.Minute - time.Second)
		if ended(t, s, limit.Lifetime) {
			t.Error("the session ended too early")
		}
		time.Sleep(2 * time.Second)
		if !ended(t, s, limit.Lifetime) {
			t.Error("the session goes on")
		}
	})
}

// TestLifeCountsOn checks that a server that takes over sessions counts from their real start and
// their real last use.
func TestLifeCountsOn(t *testing.T) {
	underFakeClock(t, Options{Outlive: true, Limits: Limits{Idle: time.Hour, Lifetime: 24 * time.Hour}}, func(t *testing.T, m *Manager, _ *fakeOwner) {
		ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
		var found []child.Found
		for id, k := range map[string]keptState{
			"s1": {Created: ago(2 * time.Hour), Used: ago(50 * time.Minute)},
			"s2": {Created: ago(24*time.Hour - 20*time.Minute), Used: ago(time.Minute)},
			"s3": {Created: ago(2 * time.Hour), Used: ago(time.Minute)},
			"s4": {Created: ago(2 * time.Hour), Used: ago(time.Minute), Ended: "ended by the server: because"},
		} {
			k.Version, k.Size = keptVersion, emulator.Size{Rows: 24, Cols: 80}
			state, err := json.Marshal(k)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, child.Found{ID: id, Child: newFakeChild(), State: state})
		}
		_ = m.TakeOver(found, nil) // they have no logs
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		for id, want := range map[string]string{"s1": limit.Idle, "s2": limit.Lifetime, "s3": "", "s4": "because"} {
			s, err := m.Session(id)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Facts().Ended; !strings.Contains(got, want) || (want == "") != (got == "") {
				t.Errorf("%s: %q, want %q", id, got, want)
			}
		}
	})
}

// TestUseIsKept checks that the last use is kept for the next server, with a small delay at most.
func TestUseIsKept(t *testing.T) {
	underFakeClock(t, Options{Outlive: true, Limits: Limits{Idle: time.Hour}}, func(t *testing.T, m *Manager, owner *fakeOwner) {
		s := fakeSession(t, m)
		for range 20 {
			time.Sleep(50 * time.Second)
			locked(s, func() bool { s.usedLocked(time.Now()); return true })
		}
		var k keptState
		if err := json.Unmarshal(owner.all[0].state, &k); err != nil {
			t.Fatal(err)
		}
		if behind := time.Since(k.Used); behind > time.Hour/keepUsed {
			t.Errorf("the kept last use is %s behind", behind)
		}
	})
}

// TestIdleReal checks with real programs that one that works goes on and ends by itself, and that
// one that waits is ended.
func TestIdleReal(t *testing.T) {
	t.Parallel()
	need.Program(t, "bash")
	m := managerOf(t, Options{Limits: Limits{Idle: 200 * time.Millisecond}})
	start := func(o StartOptions) *Session {
		s, err := m.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	waits := start(StartOptions{Command: "bash", Args: []string{"--norc"}})
	works := start(StartOptions{Command: "bash", Args: []string{"--norc", "-c", "sleep 1.5; exit 7"}})
	<-waits.loops.exited
	<-works.loops.exited
	if !strings.Contains(waits.Facts().Ended, limit.Idle) {
		t.Errorf("the shell that waited: %+v", waits.Info())
	}
	if code := works.Info().ExitCode; works.Facts().Ended != "" || code == nil || *code != 7 {
		t.Errorf("the one at work: %+v", works.Info())
	}
}

// TestInputRate checks that input of more than a second's worth arrives whole, but more slowly, and
// that input that would take longer than its call may take is refused whole.
func TestInputRate(t *testing.T) {
	const rate = 64 << 10
	underFakeClock(t, Options{Limits: Limits{InputRate: rate}}, func(t *testing.T, m *Manager, owner *fakeOwner) {
		s := fakeSession(t, m)
		c := owner.all[0]
		paste := strings.Repeat("0123456789abcde\n", 4*rate/16)
		began := time.Now()
		n, err := s.Type(t.Context(), Input{Text: paste})
		if took := time.Since(began); err != nil || n != len(paste) || took < 3*time.Second || took > 3100*time.Millisecond {
			t.Errorf("%d bytes, %v, in %s", n, err, took)
		}
		synctest.Wait()
		if got := c.bytes(); got != len(paste) {
			t.Errorf("%d bytes arrived, want %d", got, len(paste))
		}
		// Nothing is typed of input that cannot be typed in time.
		for _, in := range []Input{{Text: paste}, {Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyRune, Rune: 'x'}, Repeat: len(paste)}}}} {
			_, err = s.Exchange(t.Context(), in, Wait{Timeout: 2 * time.Second}, nil)
			if !errors.Is(err, ErrRate) || !strings.Contains(errorText(err), "input-rate=64; ") {
				t.Errorf("%v", err)
			}
		}
		synctest.Wait()
		if got := c.bytes(); got != len(paste) {
			t.Errorf("%d bytes of refused input arrived", got-len(paste))
		}
		// After a rest, a second's worth is typed at once again.
		time.Sleep(time.Minute)
		began = time.Now()
		if n, err := s.Type(t.Context(), Input{Text: paste[:rate]}); err != nil || n != rate || time.Since(began) > 0 {
			t.Errorf("%d bytes, %v, in %s", n, err, time.Since(began))
		}
	})
}

// TestNoInputRate checks that a lot of input is typed at once if there is no limit.
func TestNoInputRate(t *testing.T) {
	underFakeClock(t, Options{Limits: Limits{InputRate: -1}}, func(t *testing.T, m *Manager, owner *fakeOwner) {
		s := fakeSession(t, m)
		began := time.Now()
		line := strings.Repeat("x", 1023) + "\n"
		n, err := s.Type(t.Context(), Input{Text: strings.Repeat(line, maxInput/len(line))})
		if err != nil || n != maxInput || time.Since(began) > 0 {
			t.Errorf("%d bytes, %v, in %s", n, err, time.Since(began))
		}
	})
}
