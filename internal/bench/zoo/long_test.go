package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/bench/peer"
	"github.com/glasstty/glasstty/internal/need"
)

// leastRight is the percentage of replies that must be right. When this was
// written, 98 % were, with two programs at a time on two processors. The log lists
// the others.
const leastRight = 93

// TestZoo drives each installed program in one of the three places, and checks that
// nearly every reply is right.
func TestZoo(t *testing.T) {
	need.Long(t)
	scratch := t.TempDir()
	o := options{glasstty: filepath.Join(scratch, "glasstty-under-test"), server: peer.Glasstty, lanes: 2}
	if err := peer.Build(t.Context(), o.glasstty); err != nil {
		t.Fatal(err)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := buildPrograms(t.Context(), root, scratch)
	if err != nil {
		t.Fatal(err)
	}
	programs, err := readScripts("scripts")
	if err != nil {
		t.Fatal(err)
	}
	for i := range programs {
		at := programs[i].places
		programs[i].places = at[i%len(at) : i%len(at)+1]
	}
	all, absent := visit(t.Context(), o, root, bin, programs)
	fine := 0
	for _, o := range all {
		if o.Verdict == right {
			fine++
		}
	}
	t.Logf("%s\n%s\n%s", table(all, nil), strings.Join(absent, "\n"), findings(all))
	if 100*fine < leastRight*len(all) {
		t.Errorf("%d of %d replies are right, want at least %d %%", fine, len(all), leastRight)
	}
}
