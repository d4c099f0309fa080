package main

import (
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// TestTerminalFlags wants the settings in the emulator's options, and bad ones named.
func TestTerminalFlags(t *testing.T) {
	var f terminalFlags
	for text, want := range map[string]bool{"dark": false, "light": true} {
		if err := f.Theme.UnmarshalText([]byte(text)); err != nil || f.options(emulator.Options{}).Light != want {
			t.Errorf("--theme=%s: %v, light %v", text, err, f.options(emulator.Options{}).Light)
		}
	}
	for text, want := range map[string]bool{"characters": false, "clusters": true} {
		if err := f.Width.UnmarshalText([]byte(text)); err != nil || f.options(emulator.Options{}).Clusters != want {
			t.Errorf("--width=%s: %v, clusters %v", text, err, f.options(emulator.Options{}).Clusters)
		}
	}
	if err := f.Theme.UnmarshalText([]byte("blue")); err == nil {
		t.Error("--theme=blue is taken")
	}
	if err := f.Width.UnmarshalText([]byte("2")); err == nil {
		t.Error("--width=2 is taken")
	}
}
