package conform

import (
	"flag"
	"fmt"
	"regexp"
	"testing"

	"github.com/glasstty/glasstty/internal/recording"
)

var (
	streamCases = flag.Int("streams", 0, "random streams to compare with xterm")
	streamFrom  = flag.String("from", "grammar", "who makes them: grammar or ctlseqs")
	streamFirst = flag.Uint64("first", 0, "number of the first of them")
)

// A streamer makes one random stream.
type streamer interface {
	size() (rows, cols int)
	stream() []string // in pieces
}

// streamers create the streamer for a seed and a stream number.
var streamers = map[string]func(seed, n uint64) streamer{"grammar": newGrammar, "ctlseqs": newDrawer}

// jobOfPieces returns a Job that replays each piece as its own write. Output that
// xterm delays until it has read everything (jump scroll) depends on how the output
// is cut.
func jobOfPieces(s streamer, pieces []string) Job {
	var j Job
	j.Rows, j.Cols = s.size()
	for _, p := range pieces {
		j.Events = append(j.Events, recording.Event{Kind: recording.Output, Data: []byte(p)})
	}
	j.Events = append(j.Events, recording.Event{Kind: recording.Checkpoint, Label: "end"})
	return j
}

// maxUnexplained is the number of streams in a thousand that may differ from xterm
// for a reason that is not in reasons.
const maxUnexplained = 10

// reasons are the known reasons why reduced streams differ from xterm 379, with
// patterns for the pieces that cause them.
var reasons = []struct{ pieces, why string }{
	{`(1000|65535|99999|2147483648|\d\d)b`, "REP repeats a screenful at most"},
	{`\[2?1m.*\[[47;]+m`, "4 after 21 is a single underline, as in kitty, VTE, tmux and xterm.js"},
	{`\[([\d:]+;)*(2|9|21)(;[\d:]+)*m.*(\[!p|\[6[34].*"p)`, "DECSTR resets all of the rendition (VT510); xterm leaves faint, crossed out and double underline"},
	{`[\x{300}-\x{36f}\x{20d0}-\x{20ff}\x{1160}]`, "a combining character joins the cell before the cursor; in xterm the one written last, and two a cell"},
	{`(\x1b8|\[u|\[\?104[89]l).*\[(\d+;)*\d+m`, "after DECRC of nothing a later SGR brings the colour back in xterm"},
	{`\[8m.*[\x{1100}-\x{ffff}\x{1f000}-\x{1faff}]`, "a hidden wide character takes one column in xterm"},
	{`\$v`, "DECCRA that is cut at the right edge spoils colours in xterm"},
	{`(\[ A|\[ @|'\}|'~|\x1b6|\x1b9|\[\d* [@A]|\[\d*'[}~]).*|[\x{1100}-\x{ffff}\x{1f000}-\x{1faff}].*(\[\d* [@A]|'\}|'~|\x1b6|\x1b9)`, "SL, SR, DECIC and DECDC at a wide character"},
	{`\x1b[NO].*[\x{1100}-\x{ffff}\x{1f000}-\x{1faff}]|[\x{1100}-\x{ffff}\x{1f000}-\x{1faff}].*\x1b[NO]`, "a single shift beside wide characters ends xterm, or shows them again"},
	{`\[21m.*(\$[rt]|#\})|#\{.*\[21m.*#\}`, "DECCARA, DECRARA and XTPOPSGR do not know double underline in xterm"},
	{`(\[\d*[JKXPT^]|\n|\x1b[#{]).*\$[rtx]`, "an erased cell keeps its foreground in xterm, and DECCARA or DECFRA shows it"},
	{`(\x1bV|\[1"q).*\[\??[012]?J`, "an ED that met nothing protected ends protection in xterm"},
	{`\[4h.*\[\d*;\d*s`, "text that enters the margins in insert mode depends in xterm on how it was cut"},
	{`\[\?7l.*[\x{1100}-\x{ffff}\x{1f000}-\x{1faff}]`, "so do wide characters that do not fit without autowrap"},
	{`\[(4|9|4;7)m.*[\x{1100}-\x{ffff}\x{1f000}-\x{1faff}]`, "a wide character that is cut at the last column keeps its lines in xterm"},
	{`[\x{1100}-\x{ffff}\x{1f000}-\x{1faff}].*\[\d*P`, "DCH of all but one column deletes that too where a wide character begins in xterm"},
	{`[\x{1100}-\x{ffff}\x{1f000}-\x{1faff}].*\[\d*;\d*s`, "margins that cut a wide character leave half of it in xterm"},
	{`58;5;1`, "xterm takes the colour of an underline for the attributes 5 and 1"},
	{`\[\?(45|1045)h.*(\x08|D)`, "reverse wraparound is that of xterm 383 and later"},
	{`\[\?69r`, "XTRESTORE of DECLRMM sets it in xterm, whatever was saved"},
	{`\[4\dm.*\$[xz].*[\x{1100}-\x{ffff}]`, "the colour of the cell that a wide character leaves free is not kept above the screen"},
	{`\x{10ffff}`, "U+10FFFF in the last column takes no column in xterm"},
	{`\x1b [LM].*\x1b\)`, "a set that ECMA-43 puts into GR ends UTF-8 in xterm"},
	{`\[1:2m`, "xterm takes 1:2, which nothing defines, for the colour black"},
	{`\x{fffe}`, "the noncharacter U+FFFE takes no column, as in glibc's wcwidth; xterm shows U+FFFD"},
	{`\x1b[*+][0ABK<].*[^\x00-\x7f]`, "a set that is designated to G2, which is in GR, ends UTF-8 in xterm"},
	{`(\x1bV|\[1"q).*[\x{1100}-\x{ffff}\x{1f000}-\x{1faff}]`, "a narrow character on the left half of a protected wide one leaves the right half in xterm"},
}

// TestReasons checks that reasonFor finds a known reason, and none for a stream
// without one.
func TestReasons(t *testing.T) {
	if reasonFor([]string{"\x1b[2m", "\x1b[!p", "x"}) == "" || reasonFor([]string{"abc", "\x1b[3;4H", "\x1b[K"}) != "" {
		t.Error("reasonFor does not find the known reason, or finds one for an ordinary stream")
	}
}

// TestStreamsXTerm compares random streams with xterm. Each stream that differs is
// reduced and must have a known reason, with few exceptions.
func TestStreamsXTerm(t *testing.T) {
	if *streamCases == 0 {
		t.Skip("to compare random streams, use -args -streams 2000")
	}
	oracle := startOracle(t, "xterm", 6, 14)
	explained, unexplained := map[string]int{}, 0
	for i := range uint64(*streamCases) {
		g := streamers[*streamFrom](*randomSeed, *streamFirst+i)
		compare := func(pieces []string) []Difference {
			j := jobOfPieces(g, pieces)
			want, err := oracle(j)
			if err != nil {
				t.Logf("stream %d: %q: %v", i, pieces, err)
				oracle = startOracle(t, "xterm", 6, 14)
				return nil
			}
			got, err := Ours{}.Replay(j)
			if err != nil {
				t.Fatal(err)
			}
			return Compare(got[0], want[0], traits("xterm"))
		}
		pieces := g.stream()
		if len(compare(pieces)) == 0 {
			continue
		}
		pieces = minimise(pieces, func(p []string) bool { return len(compare(p)) > 0 })
		oracle = startOracle(t, "xterm", 6, 14) // RIS leaves traces in xterm
		d := compare(pieces)
		if len(d) == 0 {
			continue
		}
		if why := reasonFor(pieces); why != "" {
			explained[why]++
			continue
		}
		unexplained++
		t.Logf("stream %d, %v: %q\n\t%v", *streamFirst+i, jobOfPieces(g, nil), pieces, d[:min(2, len(d))])
	}
	sum := 0
	for why, n := range explained {
		t.Logf("%4d: %s", n, why)
		sum += n
	}
	t.Logf("of %d streams, %d differ, %d of them unexplained", *streamCases, sum+unexplained, unexplained)
	if unexplained*1000 > maxUnexplained**streamCases {
		t.Errorf("more than %d streams in a thousand are unexplained", maxUnexplained)
	}
}

// reasonFor returns why pieces differ, or "" if there is no known reason.
func reasonFor(pieces []string) string {
	text := fmt.Sprint(pieces)
	for _, r := range reasons {
		if regexp.MustCompile(`(?s)` + r.pieces).MatchString(text) {
			return r.why
		}
	}
	return ""
}
