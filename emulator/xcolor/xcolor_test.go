package xcolor

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"rgb:1/23/456", "112345"},
		{"RGB:ffff/0/8000", "ff007f"},
		{"#123", "102030"},
		{"#f00f00f00", "f0f0f0"},
		{"#112233445566", "113355"},
		{"Light Blue", "add8e6"},
		{"darkslategrey", "2f4f4f"},
		{"gray42", "6b6b6b"},
		{"green", "00ff00"},
		{"grey", "bebebe"},
	} {
		if rgb, ok := Parse(c.spec); !ok || fmt.Sprintf("%06x", rgb) != c.want {
			t.Errorf("Parse(%q) = %06x, %v, want %s", c.spec, rgb, ok, c.want)
		}
	}
	for _, spec := range []string{
		"", "?", "#", "#12", "#12345", "#1234567890abcdef", "rgb:1/2", "rgb:1/2/12345", "rgb:x/y/z", "gray101",
		"nocolour", "rgbi:2/0/0", "rgbi:0.5/0.5", "CIELab:NaN/0/0", "CIEXYZ:1e9/1/1", "HSV:1/1/1", "rgb:+1/2/3",
	} {
		if rgb, ok := Parse(spec); ok {
			t.Errorf("Parse(%q) = %06x, true; want false", spec, rgb)
		}
	}
}

// TestXTerm checks that colours differ from xterm 379's by at most one step in
// a channel.
func TestXTerm(t *testing.T) {
	data, err := os.ReadFile("testdata/xterm379.txt")
	if err != nil {
		t.Fatal(err)
	}
	exact, total := 0, 0
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		spec, answer, _ := strings.Cut(line, " ")
		var want uint32
		if _, err := fmt.Sscanf(answer, "%06x", &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got, ok := Parse(spec)
		if !ok {
			t.Errorf("Parse(%q) fails", spec)
			continue
		}
		if total++; got == want {
			exact++
		}
		for shift := 0; shift <= 16; shift += 8 {
			// Xlib's search for the maximum chroma ends slightly outside or
			// inside the monitor's gamut. Then a channel is either 0 or its
			// darkest level.
			a, b := int(got>>shift&0xff), int(want>>shift&0xff)
			dark := min(a, b) == 0 && max(a, b) == int(profile[2-shift/8].dark)
			if d := a - b; (d < -1 || d > 1) && !dark {
				t.Errorf("Parse(%q) = %06x, want %06x as in xterm", spec, got, want)
			}
		}
	}
	t.Logf("%d of %d colours are equal", exact, total)
}

// FuzzParse checks for panics and for colours out of range.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"rgb:1/2/3", "#abc", "TekHVC:1/50/900", "CIEuvY:0/0.75/1", "gray7", "CIELab:-16/0/0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		if rgb, _ := Parse(spec); rgb > 0xFFFFFF {
			t.Errorf("Parse(%q) = %x", spec, rgb)
		}
	})
}
