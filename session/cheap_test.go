package session

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/need"
)

// rewrites counts how often a program has gone back to the start of a line without ending the line.
func rewrites(s *Session) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw := s.state.Raw.Since(0)
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	return strings.Count(text, "\r") + strings.Count(text, "\x1b[G") + strings.Count(text, "\x1b[1G")
}

// TestProgressBar checks that a line that was drawn 200 times is output once, although pauses let
// some of its states be seen.
func TestProgressBar(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := say(t, s, `for i in $(seq 200); do printf '\rgot %3d/200' $i; [ $((i % 50)) = 0 ] && sleep 0.02; done; echo; echo all`)
	if r.Output != "got 200/200\nall" {
		t.Errorf("output %q", r.Output)
	}
	if n := rewrites(s); n < 200 {
		t.Errorf("the line was rewritten only %d times, want at least 200", n)
	}
}

// TestGitClone checks that the output of git clone has each progress line once, in its final state.
func TestGitClone(t *testing.T) {
	t.Parallel()
	git := need.Program(t, "git")
	dir := t.TempDir()
	for i := range 400 {
		name := filepath.Join(dir, fmt.Sprintf("file%d", i))
		if err := os.WriteFile(name, []byte(strings.Repeat(fmt.Sprintln(i), 50)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."},
		{"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "all"},
	} {
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	s, r := launch(t, newManager(t), "git", "clone", "file://"+dir, "copy")
	lines := strings.Split(r.Output, "\n")
	for _, want := range []string{"Cloning into 'copy'...", "remote: Counting objects: 100% (402/402), done.", "Receiving objects: 100% (402/402)"} {
		if strings.Count(r.Output, want) != 1 {
			t.Errorf("%q occurs %d times in %q, want once", want, strings.Count(r.Output, want), r.Output)
		}
	}
	for _, half := range []string{" 99%", " 50%"} {
		if strings.Contains(r.Output, half) {
			t.Errorf("an intermediate state, %q, is in %q", half, r.Output)
		}
	}
	if n := rewrites(s); len(lines) > 9 || n < 50 {
		t.Errorf("%d lines after %d rewrites: %q", len(lines), n, r.Output)
	}
}

// TestNpmInstall checks that npm's spinner is not in the output when a local package is installed.
func TestNpmInstall(t *testing.T) {
	t.Parallel()
	need.Long(t)
	need.Program(t, "npm")
	dir, pkg := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		filepath.Join(pkg, "package.json"): `{"name": "dep", "version": "1.0.0"}`,
		filepath.Join(dir, "package.json"): `{"name": "app", "version": "1.0.0"}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := StartOptions{Command: "npm", Args: []string{"install", "--offline", "--no-fund", "--no-audit", "--no-update-notifier", pkg}, Dir: dir}
	s, r := launchWith(t, newManager(t), o)
	for r.Alive() {
		r = exchange(t, s, Input{}, Wait{Until: UntilExit, Timeout: patience})
	}
	if n := strings.Count(r.Output, "\n") + 1; !strings.Contains(r.Output, "added 1 package") || n > 3 {
		t.Errorf("%d lines: %q", n, r.Output)
	}
	for _, frame := range "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" {
		if strings.ContainsRune(r.Output, frame) {
			t.Errorf("a frame of the spinner is in %q", r.Output)
		}
	}
}

// A log of a build that fails at its end.
const (
	logLines   = 10_000
	failedPart = "part_9999.c:12: error: expected ';'"
)

// buildLog returns the command that prints the log.
func buildLog() string {
	return fmt.Sprintf(`for ((i = 0; i < %d; i++)); do echo "cc -O2 -c part_$i.c -o part_$i.o"; done; echo "%s"`, logLines-1, failedPart)
}

// TestBuildLog checks that a log that is too long is returned as its head, its end, and a line that
// says how to read the rest, and that the rest can be read that way.
func TestBuildLog(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := say(t, s, buildLog())
	if n := utf8.RuneCountInString(r.Output); n > DefaultMaxOutputChars+200 || !r.HasMore {
		t.Errorf("%d characters, more %v", n, r.HasMore)
	}
	if !strings.HasPrefix(r.Output, "cc -O2 -c part_0.c") || !strings.HasSuffix(r.Output, failedPart) {
		t.Errorf("head %.40q, end %q", r.Output, r.Output[len(r.Output)-80:])
	}
	wholeOf(t, s, r, logLines)
}

// TestBuildLogCompact checks that Compact folds the lines of the same log.
func TestBuildLogCompact(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: buildLog(), Enter: true}, Wait{Timeout: patience, Compact: true})
	want := fmt.Sprintf("cc -O2 -c part_0.c -o part_0.o\n… %d lines like these …\ncc -O2 -c part_%d.c -o part_%d.o\n%s", logLines-3, logLines-2, logLines-2, failedPart)
	if r.Output != want {
		t.Errorf("output %.500q, want %q", r.Output, want)
	}
}

// TestCompactElided checks a text that is too long even when it is folded: the lines left out are
// counted as lines of the text, not of its folded form.
func TestCompactElided(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: `for ((i = 0; i < 300; i++)); do for ((j = 0; j < 9; j++)); do printf "%$((i % 7 + 1))s %d\n" x $j; done; done`, Enter: true},
		Wait{Timeout: patience, Compact: true, MaxOutputChars: 2000})
	if !strings.Contains(r.Output, "… 7 lines like these …") {
		t.Errorf("nothing is folded in %.200q", r.Output)
	}
	missing := leftOut(t, s, r)
	first, last, _ := strings.Cut(r.Output, "… "+fmt.Sprint(missing.count)+" lines left out")
	if n := unfolded(first) + unfolded(last[strings.IndexByte(last, '\n')+1:]) + missing.count; n != 300*9 {
		t.Errorf("%d lines together, want %d", n, 300*9)
	}
}

// unfolded counts the lines that a folded text stands for.
func unfolded(text string) int {
	n := 0
	for _, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		if line == "… 7 lines like these …" {
			n += 7
		} else {
			n++
		}
	}
	return n
}

// TestEndlessLine checks that a line of a million characters is returned as its head, its end, and
// the number of characters left out between them.
func TestEndlessLine(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := say(t, s, `printf 'begin '; head -c 1000000 /dev/zero | tr '\0' x; echo ' end'`)
	if n := utf8.RuneCountInString(r.Output); n > DefaultMaxOutputChars+200 || !r.HasMore {
		t.Errorf("%d characters, more %v", n, r.HasMore)
	}
	if !strings.HasPrefix(r.Output, "begin xxx") || !strings.HasSuffix(r.Output, "xxx end") {
		t.Errorf("head %.40q, end %q", r.Output, r.Output[max(0, len(r.Output)-40):])
	}
	m := regexp.MustCompile(`… (\d+) characters left out; read_output from_line=(\d+) max_output_chars=(\d+) gets them …`).FindStringSubmatch(r.Output)
	if m == nil {
		t.Fatalf("no note of missing characters in %.200q", r.Output)
	}
	from := int64(atoi(t, m[2]))
	rest, _ := read(t, s, ReadOptions{FromLine: &from}, Wait{MaxOutputChars: atoi(t, m[3])})
	// The emulator keeps such a long line in parts.
	whole := strings.ReplaceAll(rest.Output, "\n", "")
	if want := "begin " + strings.Repeat("x", 1_000_000) + " end"; whole != want {
		t.Errorf("the whole line has %d bytes, want %d", len(whole), len(want))
	}
}

// A gap is the text that a reply has left out, as it is read afterwards.
type gap struct {
	mark  string // the line that reports the gap
	text  string
	count int
}

// leftOut reads the text that r has left out.
func leftOut(t *testing.T, s *Session, r *Reply) gap {
	t.Helper()
	m := regexp.MustCompile(`… (\d+) lines left out; read_output from_line=(\d+) max_lines=(\d+)(?: max_output_chars=(\d+))? gets them …`).FindStringSubmatch(r.Output)
	if m == nil {
		t.Fatalf("no note of missing lines in %.200q", r.Output)
	}
	from := int64(atoi(t, m[2]))
	missing, _ := read(t, s, ReadOptions{FromLine: &from}, Wait{MaxLines: atoi(t, m[3]), MaxOutputChars: atoi(t, cmp.Or(m[4], "0"))})
	return gap{mark: m[0], text: missing.Output, count: atoi(t, m[1])}
}

// wholeOf checks that r and the text that it has left out have n lines together.
func wholeOf(t *testing.T, s *Session, r *Reply, n int) {
	t.Helper()
	missing := leftOut(t, s, r)
	whole := strings.Replace(r.Output, missing.mark, missing.text, 1)
	if got := strings.Count(whole, "\n") + 1; got != n || strings.Count(missing.text, "\n")+1 != missing.count {
		t.Errorf("%d lines in all, want %d; %d of them left out", got, n, missing.count)
	}
}
