package emulator

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/recording"
)

// restored returns a copy of a terminal that is restored from its state.
func restored(t *testing.T, term *Terminal) *Terminal {
	t.Helper()
	state := term.State()
	again, err := Restore(state, term.opt)
	if err != nil {
		t.Fatal(err)
	}
	if second := again.State(); !bytes.Equal(state, second) {
		t.Fatalf("the state of the restored terminal differs: %d bytes, then %d", len(state), len(second))
	}
	return again
}

// sameAll fails the test unless two terminals have the same screen, lines,
// replies and events, revisions included.
func sameAll(t *testing.T, got, want *Terminal) {
	t.Helper()
	if a, b := got.Snapshot(-1), want.Snapshot(-1); !reflect.DeepEqual(a, b) {
		t.Fatalf("restored:\n%q %+v revision %d\nwant:\n%q %+v revision %d", a.Text(), a.Cursor, a.Revision, b.Text(), b.Cursor, b.Revision)
	}
	if a, b := allLines(got), allLines(want); !reflect.DeepEqual(a, b) {
		t.Fatalf("restored lines:\n%+v\nwant:\n%+v", a, b)
	}
	if a, b := got.TakeReplies(), want.TakeReplies(); !bytes.Equal(a, b) {
		t.Fatalf("restored replies %q, want %q", a, b)
	}
	if a, b := got.TakeEvents(), want.TakeEvents(); !reflect.DeepEqual(a, b) {
		t.Fatalf("restored events %+v, want %+v", a, b)
	}
}

// TestStateOfRecordings checks that a terminal that is restored from its state
// again and again while recorded programs draw on it equals one that is not.
func TestStateOfRecordings(t *testing.T) {
	files, err := filepath.Glob("testdata/replay/*/session.cast.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(filepath.Dir(name)), func(t *testing.T) {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := recording.Read(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			want := New(Options{Size: Size{rec.Rows, rec.Cols}})
			got := restored(t, want)
			for _, e := range rec.Events {
				if e.Kind == recording.Resize {
					want.Resize(Size{e.Rows, e.Cols})
					got.Resize(Size{e.Rows, e.Cols})
				}
				want.Write(e.Data)
				got.Write(e.Data)
				if r.IntN(20) == 0 {
					for _, term := range []*Terminal{got, want} { // replies and events are not part of the state
						term.TakeReplies()
						term.TakeEvents()
					}
					got = restored(t, got)
				}
			}
			sameAll(t, got, want)
		})
	}
}

// TestStateOfNoise does the same as TestStateOfRecordings with random
// sequences, sizes, cuts and tiny limits.
func TestStateOfNoise(t *testing.T) {
	corpus := recordedOutput(t)
	for seed := range uint64(need.Few(t, 8, 30)) {
		r := rand.New(rand.NewPCG(seed, 3))
		want := New(Options{Size: Size{1 + r.IntN(8), 1 + r.IntN(20)}, ScrollbackLines: 20})
		got := restored(t, want)
		for range 60 {
			b := randomPiece(r, corpus)
			want.Write(b)
			got.Write(b)
			if r.IntN(10) == 0 {
				s := Size{1 + r.IntN(30), 1 + r.IntN(90)}
				want.Resize(s)
				got.Resize(s)
			}
			sameAll(t, got, want)
			checkInvariants(t, got)
			got = restored(t, got)
		}
	}
}

// TestRestoreRefuses checks that Restore refuses a state that is truncated or
// has a changed byte.
func TestRestoreRefuses(t *testing.T) {
	term := New(Options{Size: Size{3, 10}})
	term.Write([]byte("\x1b[31mone\r\ntwo 日本\x1b]8;;http://x\alink"))
	state := term.State()
	for n := range state {
		if _, err := Restore(state[:n], Options{}); !errors.Is(err, ErrState) {
			t.Fatalf("truncated at %d: got error %v, want ErrState", n, err)
		}
		bad := bytes.Clone(state)
		bad[n] ^= 0x40
		if _, err := Restore(bad, Options{}); !errors.Is(err, ErrState) {
			t.Fatalf("with byte %d changed: got error %v, want ErrState", n, err)
		}
	}
}

// layout is the state version and the hash of all fields of a Terminal at this
// version.
const layout = "16 1b2e65a"

// TestStateFields fails when the fields of a Terminal change, because
// Terminal.transfer may not know the new ones. Make sure that transfer includes
// a new field (or that nothing later depends on it), increment stateVersion,
// and update layout.
func TestStateFields(t *testing.T) {
	var b strings.Builder
	describeType(&b, reflect.TypeFor[Terminal](), map[reflect.Type]bool{})
	h := fnv.New32a()
	h.Write([]byte(b.String()))
	if got := fmt.Sprintf("%d %x", stateVersion, h.Sum32()); got != layout {
		t.Errorf("version and layout are %q, want %q", got, layout)
	}
}

// describeType writes the fields of our own types, recursively.
func describeType(b *strings.Builder, typ reflect.Type, seen map[reflect.Type]bool) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		describeType(b, typ.Elem(), seen)
	case reflect.Map:
		describeType(b, typ.Key(), seen)
		describeType(b, typ.Elem(), seen)
	case reflect.Struct:
		if seen[typ] || !strings.Contains(typ.PkgPath(), "/emulator") {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			fmt.Fprintf(b, "%s.%s %s\n", typ, f.Name, f.Type)
			describeType(b, f.Type, seen)
		}
	}
}

func BenchmarkState(b *testing.B) {
	term := New(Options{})
	for i := range 12000 {
		fmt.Fprintf(term, "\x1b[3%dmline %d\x1b[m of ordinary text that a program prints\r\n", i%8, i)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n = len(term.State())
	}
	b.ReportMetric(float64(n), "state-bytes")
}
