package conform

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/recording"
)

// The files of a directory of recordings.
const (
	castFile   = "session.cast.gz"
	expectFile = "expect.json.gz"
)

// Expect holds the oracles' screens at each checkpoint, by oracle.
type Expect []map[string]Screen

// loadCast reads the recording in dir.
func loadCast(dir string) (*recording.Recording, error) {
	f, err := os.Open(filepath.Join(dir, castFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return recording.Read(f)
}

// loadExpect reads the screens that are stored in dir, if any.
func loadExpect(dir string) (Expect, error) {
	b, err := os.ReadFile(filepath.Join(dir, expectFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var e Expect
	return e, json.NewDecoder(z).Decode(&e)
}

// saveExpect stores e in dir.
func saveExpect(dir string, e Expect) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(b); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, expectFile), buf.Bytes(), 0o644)
}

// resizedBefore reports for each checkpoint whether the main screen had another width before it.
func resizedBefore(r *recording.Recording, screens []Screen) []bool {
	var out []bool
	resized := false
	for _, e := range r.Events {
		switch e.Kind {
		case recording.Resize:
			resized = true
		case recording.Checkpoint:
			out = append(out, resized)
		}
	}
	return out[:min(len(out), len(screens))]
}

// recordings returns the directories that hold a recording.
func recordings(root string) ([]string, error) {
	casts, err := filepath.Glob(filepath.Join(root, "*", castFile))
	for i, c := range casts {
		casts[i] = strings.TrimSuffix(c, string(filepath.Separator)+castFile)
	}
	return casts, err
}
