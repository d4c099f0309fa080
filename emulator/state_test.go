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

// restored returns a terminal's copy by way of its state.
func restored(t *testing.T, term *Terminal) *Terminal {
	t.Helper()
	state := term.State()
	again, err := Restore(state, term.opt)
	if err != nil {
		t.Fatal(err)
	}
	if second := again.State(); !bytes.Equal(state, second) {
		t.Fatalf("the state of the restored terminal differs: %d bytes, %d", len(state), len(second))
	}
	return again
}

// sameAll fails unless two terminals show and remember the same, revisions
// included.
func sameAll(t *testing.T, got, want *Terminal) {
	t.Helper()
	if a, b := got.Snapshot(-1), want.Snapshot(-1); !reflect.DeepEqual(a, b) {
		t.Fatalf("restored:\n%q %+v revision %d\nwant:\n%q %+v revision %d", a.Text(), a.Cursor, a.Revision, b.Text(), b.Cursor, b.Revision)
	}
	if a, b := transcriptOf(got), transcriptOf(want); !reflect.DeepEqual(a, b) {
		t.Fatalf("restored transcript:\n%+v\nwant:\n%+v", a, b)
	}
	if a, b := got.TakeReplies(), want.TakeReplies(); !bytes.Equal(a, b) {
		t.Fatalf("restored replies %q, want %q", a, b)
	}
	if a, b := got.TakeEvents(), want.TakeEvents(); !reflect.DeepEqual(a, b) {
		t.Fatalf("restored events %+v, want %+v", a, b)
	}
}

// TestStateOfRecordings restores the terminal again and again while recorded
// programs draw on it.
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
					for _, term := range []*Terminal{got, want} { // they are in no state
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

// TestStateOfNoise does the same with random sequences, sizes and cuts, and tiny
// limits.
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

// TestRestoreRefuses gives Restore what is not a state: every cut and a byte
// changed anywhere.
func TestRestoreRefuses(t *testing.T) {
	term := New(Options{Size: Size{3, 10}})
	term.Write([]byte("\x1b[31mone\r\ntwo 日本\x1b]8;;http://x\alink"))
	state := term.State()
	for n := range state {
		if _, err := Restore(state[:n], Options{}); !errors.Is(err, ErrState) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		bad := bytes.Clone(state)
		bad[n] ^= 0x40
		if _, err := Restore(bad, Options{}); !errors.Is(err, ErrState) {
			t.Fatalf("byte %d changed: %v", n, err)
		}
	}
}

// layout is the hash of all fields that a Terminal is made of, for the version
// of the state that knows them.
const layout = "13 877b8e80"

// TestStateFields notices fields that Terminal.transfer may not know yet. When it fails,
// see to it that transfer has the new field (or that nothing to come depends on it), add
// one to stateVersion, and put the new value here.
func TestStateFields(t *testing.T) {
	var b strings.Builder
	describeType(&b, reflect.TypeFor[Terminal](), map[reflect.Type]bool{})
	h := fnv.New32a()
	h.Write([]byte(b.String()))
	if got := fmt.Sprintf("%d %x", stateVersion, h.Sum32()); got != layout {
		t.Errorf("version and layout are %q, not %q", got, layout)
	}
}

// describeType writes the fields of our own types, and of those in them.
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
