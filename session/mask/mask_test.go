package mask

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// secret is written in two parts so that no scanner takes it for a real one.
const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

// parts returns all substrings of ten characters of the secret after its prefix.
func parts() []string {
	var out []string
	for i := 4; i+10 <= len(secret); i++ {
		out = append(out, secret[i:i+10])
	}
	return out
}

// leaks returns a part of the secret that is in text, or "".
func leaks(text string) string {
	for _, p := range parts() {
		if strings.Contains(text, p) {
			return p
		}
	}
	return ""
}

// outputs are outputs of programs that show the secret on a terminal of 30 columns.
var outputs = map[string]string{
	"plain":             "the token " + secret[:10] + secret[10:] + " is here",
	"wrapped":           "export GITHUB_TOKEN=" + secret + "; ls",
	"coloured":          "token: \x1b[31m" + strings.Join(strings.Split(secret, ""), "\x1b[32m") + "\x1b[m.",
	"overwritten":       "token: " + strings.Repeat("x", 9) + "\r\x1b[Ktoken: " + secret,
	"taken back":        "token: " + secret[:20] + "zz\b\b" + secret[20:] + " ok",
	"bold by overprint": "t " + strings.Join(strings.Split(secret, ""), "\b\b") + "",
	"at places":         "\x1b[3;1Hkey = " + secret[:24] + "\x1b[4;1H" + secret[24:] + "\x1b[6;1Hdone",
	"readline's wrap":   "$ echo " + secret[:23] + " \r" + secret[23:] + "\r\n",
	"other screen":      "\x1b[?1049h\x1b[2J\x1b[H" + secret,
	"wide before":       "日本語 " + secret + " 日本語",
	"title":             "\x1b]2;" + secret + "\x07text",
	"link":              "\x1b]8;;https://example.com/?t=" + secret + "\x1b\\here\x1b]8;;\x1b\\",
	"clipboard":         "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("take "+secret)) + "\x07",
	"message":           "\x1b]9;" + secret + "\x07",
}

// term returns a terminal that bytes were written to.
func term(bytes string) *emulator.Terminal {
	t := emulator.New(emulator.Options{Size: emulator.Size{Rows: 8, Cols: 30}})
	_, _ = t.Write([]byte(bytes))
	return t
}

// allText returns all text and link targets of a snapshot, with the rows joined, and its title.
func allText(s *emulator.Snapshot) string {
	var b strings.Builder
	for _, rows := range [][]emulator.Row{s.Scrollback, s.Screen} {
		for _, r := range rows {
			for _, c := range r.Cells {
				b.WriteString(c.Text)
				if c.Style.Link.URI() != "" {
					b.WriteString("<" + c.Style.Link.URI() + ">")
				}
			}
		}
	}
	return b.String() + "\n" + s.Title
}

func TestSnapshot(t *testing.T) {
	m := New()
	for name, output := range outputs {
		if name == "bold by overprint" {
			continue // a screen does not overprint
		}
		bare := term(output).Snapshot(-1)
		got := m.Snapshot(bare, 0, true)
		if part := leaks(allText(got)); part != "" {
			t.Errorf("%s: %q is left in %q", name, part, allText(got))
		}
		for r, row := range got.Screen {
			if len(row.Cells) != len(bare.Screen[r].Cells) {
				t.Errorf("%s: row %d has %d cells, had %d", name, r, len(row.Cells), len(bare.Screen[r].Cells))
			}
			for c, cell := range row.Cells {
				was := bare.Screen[r].Cells[c]
				was.Style.Link, cell.Style.Link = emulator.Link{}, emulator.Link{}
				if cell.Style != was.Style || cell.Text != was.Text && cell.Text != "*" {
					t.Errorf("%s: cell %d,%d is %+v, was %+v", name, r, c, cell, was)
				}
			}
		}
		if bare.Size != got.Size || bare.Cursor != got.Cursor {
			t.Errorf("%s: size or cursor have changed", name)
		}
		if strings.Contains(allText(term(output).Snapshot(-1)), "*") {
			t.Errorf("%s: the terminal itself was changed", name)
		}
	}
}

// TestRows checks that Rows hides what Snapshot hides, even if there is more than is read at once.
func TestRows(t *testing.T) {
	m := New()
	t1 := emulator.New(emulator.Options{Size: emulator.Size{Rows: 5, Cols: 30}, ScrollbackLines: 10 * rowsAtOnce})
	for i := range 3 * rowsAtOnce {
		fmt.Fprintf(t1, "%d\r\n", i)
		if i%97 == 0 {
			fmt.Fprintf(t1, "a key %s, which wraps\r\n", secret)
		}
	}
	fmt.Fprint(t1, "the last "+secret)
	shot := m.Snapshot(t1.Snapshot(-1), 0, false)
	want := slices.Concat(shot.Scrollback, shot.Screen)
	n := 0
	for row := range m.Rows(t1.Rows()) {
		if n >= len(want) || row.Text() != want[n].Text() {
			t.Fatalf("row %d is %q", n, row.Text())
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d rows, want %d", n, len(want))
	}
}

// TestSnapshotOpen checks that a secret that is typed, or written in pieces, is hidden before it is
// whole.
func TestSnapshotOpen(t *testing.T) {
	m := New()
	for n := 14; n < len(secret); n++ {
		output := "export GITHUB_TOKEN=" + secret[:n]
		if part := leaks(allText(m.Snapshot(term(output).Snapshot(0), 0, true))); part != "" {
			t.Errorf("%d characters: %q is left", n, part)
		}
	}
	harmless := "it is " + secret[:20] + ", no"
	if got, want := m.Snapshot(term(harmless).Snapshot(0), 0, true).Screen[0].Text(), harmless; got != want {
		t.Errorf("text that is not a token is shown as %q, want %q", got, want)
	}
}

// TestSnapshotAbove checks that a secret that begins above the rows shown is hidden too.
func TestSnapshotAbove(t *testing.T) {
	m := New()
	t1 := term(strings.Repeat("line\r\n", 20) + "TOKEN=" + strings.Repeat("a", 20) + "\r\nX " + secret + "\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7")
	got := m.Snapshot(t1.Snapshot(10), 10, true)
	if len(got.Scrollback) != 0 || leaks(allText(got)) != "" || !strings.HasPrefix(got.Screen[0].Text(), "****") {
		t.Errorf("%d rows above, then %q", len(got.Scrollback), got.Text())
	}
}

func TestWide(t *testing.T) {
	m := New()
	m.Learn("日本語の秘密")
	bare := term("a日本語の秘密b").Snapshot(0)
	got := m.Snapshot(bare, 0, false)
	if text := got.Screen[0].Text(); text != "a************b" {
		t.Errorf("the row is %q", text)
	}
	if text := m.Text("a日本語の秘密b"); text != "a************b" {
		t.Errorf("the text is %q", text)
	}
}

func TestBytes(t *testing.T) {
	m := New()
	for name, output := range outputs {
		before := "some text\r\n"
		got, held := m.Bytes([]byte(before+output+"\r\nafter"), len(before), false)
		if len(got) != len(output+"\r\nafter") || held != 0 {
			t.Errorf("%s: %d bytes of %d, %d held", name, len(got), len(output+"\r\nafter"), held)
		}
		for _, text := range []string{string(got), shown(got), allText(term(string(got)).Snapshot(-1))} {
			if part := leaks(text); part != "" {
				t.Errorf("%s: %q is left in %q", name, part, text)
			}
		}
		if strings.Contains(output, "52;") && strings.Contains(string(got), base64.StdEncoding.EncodeToString([]byte(secret))[:12]) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// shown returns the bytes of output that are not control sequences.
func shown(p []byte) string { return string(readVisible(p, false).text) }

// TestBytesCut checks that no part of the secret gets out and nothing else is lost, wherever the
// bytes are cut into two reads.
func TestBytesCut(t *testing.T) {
	m := New()
	for name, output := range outputs {
		if output[0] == 0x1b && name != "at places" && name != "other screen" {
			continue // a control string is not examined before its end
		}
		whole := []byte("$ cat x\r\n" + output + "\r\nafter")
		want, _ := m.Bytes(whole, 0, false)
		for cut := range whole {
			first, held := m.Bytes(whole[:cut], 0, true)
			if part := leaks(shown(first)); part != "" {
				t.Fatalf("%s, cut at %d: %q is left in %q", name, cut, part, first)
			}
			first = first[:len(first)-held]
			second, _ := m.Bytes(whole, cut-held, false)
			if part := leaks(shown(append(append([]byte(nil), first...), second...))); part != "" {
				t.Fatalf("%s, cut at %d: %q is left in %q and %q", name, cut, part, first, second)
			}
			if len(first)+len(second) != len(want) {
				t.Fatalf("%s, cut at %d: %d and %d bytes of %d", name, cut, len(first), len(second), len(want))
			}
		}
	}
}

func TestLines(t *testing.T) {
	m := New()
	got := m.Lines([]string{"one", "token " + secret, "password=abc12"}, true)
	if want := fmt.Sprint([]string{"one", "token " + strings.Repeat("*", len(secret)), "password=abc12"}); fmt.Sprint(got) != want {
		t.Errorf("got %q", got)
	}
	got = m.Lines([]string{"one", "it is " + secret[:20]}, true)
	if got[1] != "it is ********************" {
		t.Errorf("got %q", got)
	}
	got = m.Lines([]string{"one", "it is " + secret[:20]}, false)
	if got[1] != "it is "+secret[:20] {
		t.Errorf("got %q", got)
	}
}

func TestWords(t *testing.T) {
	got := New().Words([]string{"curl", "-H", "Authorization: Bearer abcDEF123456ghiJKL", "--token", "s3cr3t-value-9"})
	if want := []string{"curl", "-H", "Authorization: Bearer ******************", "--token", "**************"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNilMask(t *testing.T) {
	var m *Mask
	m.Learn("secret")
	shot := term(secret).Snapshot(0)
	if m.Snapshot(shot, 0, true) != shot || m.Text(secret) != secret {
		t.Error("a nil Mask hides something")
	}
	if p, held := m.Bytes([]byte("ab"+secret), 2, true); string(p) != secret || held != 0 {
		t.Errorf("got %q, %d held", p, held)
	}
}

func FuzzBytes(f *testing.F) {
	for _, output := range outputs {
		f.Add([]byte(output), 3)
	}
	m := New()
	f.Fuzz(func(t *testing.T, p []byte, cut int) {
		cut = max(0, min(cut, len(p)))
		out, held := m.Bytes(p, cut, true)
		if len(out) != len(p)-cut || held > len(out) {
			t.Fatalf("%d bytes and %d held of %d", len(out), held, len(p)-cut)
		}
		shot := term(string(p)).Snapshot(-1)
		m.Snapshot(shot, 0, true)
	})
}
