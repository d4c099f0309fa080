package main

import (
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/cmdline"
)

// TestTerminalFlags checks that the flags set the emulator's options, and that invalid
// values are errors.
func TestTerminalFlags(t *testing.T) {
	read := func(arg string) (emulator.Options, error) {
		var f terminalFlags
		nothing := func(*cmdline.Command, *cmdline.Param) (string, string, error) { return "", "", nil }
		_, err := cmdline.New("test", "", &f, nil).Parse([]string{arg}, nothing)
		return f.options(emulator.Options{}), err
	}
	for text, want := range map[string]bool{"dark": false, "light": true} {
		if got, err := read("--theme=" + text); err != nil || got.Light != want {
			t.Errorf("--theme=%s: %v, light %v", text, err, got.Light)
		}
	}
	for text, want := range map[string]bool{"characters": false, "clusters": true} {
		if got, err := read("--width=" + text); err != nil || got.Clusters != want {
			t.Errorf("--width=%s: %v, clusters %v", text, err, got.Clusters)
		}
	}
	for _, arg := range []string{"--theme=blue", "--width=2"} {
		if _, err := read(arg); err == nil {
			t.Errorf("%s: no error", arg)
		}
	}
}
