package xcolor

import (
	"fmt"
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
		"nocolour", "rgbi:1/0/0", "CIELab:50/0/0", "HSV:1/1/1", "rgb:1/2/3/4", "rgb:+1/2/3",
	} {
		if rgb, ok := Parse(spec); ok {
			t.Errorf("Parse(%q) = %06x, want none", spec, rgb)
		}
	}
}

// FuzzParse looks for panics and for colours out of range.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"rgb:1/2/3", "#abc", "gray7"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		if rgb, _ := Parse(spec); rgb > 0xFFFFFF {
			t.Errorf("Parse(%q) = %x", spec, rgb)
		}
	})
}
