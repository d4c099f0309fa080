package repo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A rule checks the whole tree and returns its complaints.
type rule struct {
	name  string
	check func(*tree) []string
}

// rules lists all rules. testdata/bad has an example that breaks each one.
var rules = []rule{
	{"gofmt", gofmt},
	{"arrows", arrows},
	{"outside", outside},
	{"modules", modules},
	{"packagedoc", packageDoc},
	{"exporteddoc", exportedDoc},
	{"packagename", packageName},
	{"noinit", noInit},
	{"lazy", lazy},
	{"nosleep", noSleep},
	{"globals", globals},
	{"errorfile", errorFile},
	{"errortext", errorText},
	{"stdout", stdout},
	{"stub", stub},
	{"length", length},
	{"places", places},
	{"links", links},
}

func TestRepository(t *testing.T) {
	tr, err := readTree(os.DirFS(moduleRoot(t)))
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.src) == 0 {
		t.Fatal("no Go files in the tree")
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, complaint := range r.check(tr) {
				t.Error(complaint)
			}
		})
	}
}

// TestRulesDetect checks that rule NAME makes exactly the complaints in the comment of
// testdata/bad/NAME.txtar about the files of that archive. Lines that begin with # are
// remarks.
func TestRulesDetect(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			ar, err := txtar.ParseFile(filepath.Join("testdata", "bad", r.name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			files, err := txtar.FS(ar)
			if err != nil {
				t.Fatal(err)
			}
			tr, err := readTree(files)
			if err != nil {
				t.Fatal(err)
			}
			want := complaints(string(ar.Comment))
			if len(want) == 0 {
				t.Fatal("the example expects no complaint")
			}
			got := r.check(tr)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// complaints returns the lines of a txtar comment that are not remarks.
func complaints(comment string) []string {
	var out []string
	for line := range strings.Lines(comment) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}
