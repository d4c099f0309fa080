package main

import "github.com/glasstty/glasstty/emulator"

// terminalFlags are the properties of the terminal that programs can query.
type terminalFlags struct {
	Theme string `default:"dark" enum:"dark,light" placeholder:"THEME" env:"GLASSTTY_THEME" help:"Colours reported to programs that ask for them: dark or light (default ${default})."`
	Width string `default:"characters" enum:"characters,clusters" placeholder:"UNIT" env:"GLASSTTY_WIDTH" help:"How to count columns: characters (like xterm and most shells) or clusters (an emoji sequence is one wide character) (default ${default}); programs choose for themselves by mode 2027."`
}

// options returns o with the settings.
func (f *terminalFlags) options(o emulator.Options) emulator.Options {
	o.Light = f.Theme == "light"
	o.Clusters = f.Width == "clusters"
	return o
}
