package main

import "github.com/glasstty/glasstty/emulator"

// terminalFlags say what programs are told of their terminal.
type terminalFlags struct {
	Theme theme `default:"dark" placeholder:"THEME" env:"GLASSTTY_THEME" help:"Colours that programs which ask are told of: dark or light (default ${default})."`
	Width width `default:"characters" placeholder:"UNIT" env:"GLASSTTY_WIDTH" help:"What takes columns: characters, as xterm and most shells count, or clusters, as toolkits that treat an emoji sequence as one do (default ${default}); programs choose for themselves by mode 2027."`
}

// options returns the settings as the emulator takes them.
func (f *terminalFlags) options(o emulator.Options) emulator.Options {
	o.Light = f.Theme == themeLight
	o.Clusters = f.Width == widthClusters
	return o
}

// theme is the ground that programs draw on.
type theme string

const themeLight theme = "light"

// UnmarshalText reads one of the names.
func (t *theme) UnmarshalText(text []byte) (err error) {
	*t, err = choose[theme](text, t.Words()...)
	return err
}

// words returns the names.
func (theme) Words() []string { return []string{"dark", string(themeLight)} }

// width is what takes one or two columns.
type width string

const widthClusters width = "clusters"

// UnmarshalText reads one of the names.
func (w *width) UnmarshalText(text []byte) (err error) {
	*w, err = choose[width](text, w.Words()...)
	return err
}

// words returns the names.
func (width) Words() []string { return []string{"characters", string(widthClusters)} }
