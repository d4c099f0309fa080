package conform

import (
	"flag"
	"math/rand/v2"
	"testing"
)

var (
	randomCases = flag.Int("random", 0, "random streams")
	randomSeed  = flag.Uint64("seed", 1, "seed of the random streams")
)

// maxReports limits the number of random differences that are minimised.
const maxReports = 5

// TestRandomXTerm compares random streams with xterm. The differences that it still
// finds, in about one stream in a thousand, are errors of xterm 379 that depend on
// much earlier output: SL, SR, DECIC and DECDC that leave one column of a row with
// wide characters blank the row; SD between margins halves wide characters in the
// scrollback; DECSED on a screen without protected characters makes DECSEL and
// DECSED erase everything until DECSCA; DECRC in origin mode with a saved position
// above the margins leaves the screen.
func TestRandomXTerm(t *testing.T) {
	compareRandom(t, "xterm")
}

// compareRandom reports the smallest streams that show a difference.
func compareRandom(t *testing.T, name string) {
	if *randomCases == 0 {
		t.Skip("to compare random streams, use -args -random 1000")
	}
	oracle := startOracle(t, name, 6, 14)
	reports := 0
	for i := range *randomCases {
		g := newGenerator(rand.New(rand.NewPCG(*randomSeed, uint64(i))), 6, 14)
		compare := func(atoms []atom) []Difference {
			j := g.job(atoms)
			want, err := oracle(j)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Ours{}.Replay(j)
			if err != nil {
				t.Fatal(err)
			}
			return Compare(got[0], want[0], traits(name))
		}
		atoms := g.stream(5 + g.rng.IntN(60))
		if len(compare(atoms)) == 0 {
			continue
		}
		atoms = minimise(atoms, func(a []atom) bool { return len(compare(a)) > 0 })
		oracle = startOracle(t, name, 6, 14) // RIS leaves traces in xterm
		if len(compare(atoms)) == 0 {
			continue
		}
		t.Errorf("case %d: %q", i, atoms)
		for _, d := range compare(atoms) {
			t.Errorf("\t%v", d)
		}
		if reports++; reports == maxReports {
			t.Fatalf("stopped after %d of %d cases", i+1, *randomCases)
		}
	}
}
