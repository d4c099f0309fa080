package mcpserver

import (
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestPatternsThatTakeLong checks that a search that would take minutes ends at its
// timeout, and that other calls do not wait for it.
func TestPatternsThatTakeLong(t *testing.T) {
	need.Long(t)
	t.Parallel()
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	slow := strings.Repeat("[^x]*", 900) + "y"
	id := start(t, c, a{"command": need.Program(t, "bash"), "args": []any{"-c", "head -c 4000000 /dev/zero | tr '\\0' a; echo; read"}, "timeout": 20, "max_output_chars": 50})
	said := make(chan string, 1)
	began := time.Now()
	go func() { said <- denied(t, c, "read_output", a{"session_id": id, "search": slow, "timeout": 2}) }()
	for n := 0; ; n++ {
		select {
		case say := <-said:
			if !strings.Contains(say, "the search took longer than timeout=2s") || !strings.Contains(say, "search for something simpler") {
				t.Error(say)
			}
			if n < 2 {
				t.Errorf("%d other calls were answered during the search, want at least 2", n)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("the search took %s, want at most 20s", took)
			}
			call1(t, c, "wait_for", a{"session_id": id, "pattern": slow, "timeout": 0.5})
			if took := time.Since(began); took > 40*time.Second {
				t.Errorf("search and wait_for took %s, want at most 40s", took)
			}
			return
		default:
			call1(t, c, "list_sessions", a{})
			call1(t, c, "snapshot", a{"session_id": id})
		}
	}
}

// TestPatternsTooLarge checks that a pattern that compiles to a huge program is rejected.
func TestPatternsTooLarge(t *testing.T) {
	c := connect(t, "test", manager(t), Options{})
	id := start(t, c, a{"command": need.Program(t, "cat")})
	if say := denied(t, c, "wait_for", a{"session_id": id, "pattern": "(abcdefghijk?){1000}"}); !strings.Contains(say, "instructions; at most 10000: repeat less") {
		t.Error(say)
	}
}
