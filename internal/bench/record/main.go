// Command record records real programs for the differential test. Each directory of
// emulator/testdata/replay has a script, record.txtar; record runs it and writes
// session.cast.gz into the same directory.
//
//	go run ./internal/bench/record [-again] [-dir DIRECTORY] [name ...]
//
// With -dir, record uses another directory that contains such directories. Without names, it records
// every directory that has no recording yet; with -again, also those that have one. It needs Linux,
// root and unshare, because programs run in their own namespaces, from which they see nothing of the
// machine. The emulator answers the programs' queries.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/glasstty/glasstty/emulator"
)

// replayDir is where the emulator's own recordings are.
const replayDir = "emulator/testdata/replay"

func main() {
	again := flag.Bool("again", false, "record what has a recording too")
	dir := flag.String("dir", replayDir, "where the scripts are")
	flag.Parse()
	if err := recordAll(*dir, flag.Args(), *again); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// recordAll records the named directories below a directory, or all of them.
func recordAll(place string, names []string, again bool) error {
	scripts, err := filepath.Glob(filepath.Join(place, "*", "record.txtar"))
	if err != nil {
		return err
	}
	if len(scripts) == 0 {
		return fmt.Errorf("no %s/*/record.txtar here; run it in the repository's root", place)
	}
	for _, path := range scripts {
		dir := filepath.Dir(path)
		name := filepath.Base(dir)
		out := filepath.Join(dir, "session.cast.gz")
		_, err := os.Stat(out)
		named := slices.Contains(names, name)
		if named || len(names) == 0 && (again || err != nil) {
			if err := recordOne(name, path, out); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// recordOne records one script.
func recordOne(name, path, out string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s, err := ParseScript(text)
	if err != nil {
		return err
	}
	rec, err := Record(s, name, screen{emulator.New(emulator.Options{})})
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := write(&buf, rec); err != nil {
		return err
	}
	fmt.Printf("%-20s %6d bytes, %d events\n", name, buf.Len(), len(rec.Events))
	return os.WriteFile(out, buf.Bytes(), 0o644)
}

// A screen makes an emulator a Responder.
type screen struct{ *emulator.Terminal }

func (s screen) Resize(rows, cols int) {
	s.Terminal.Resize(emulator.Size{Rows: rows, Cols: cols})
}
