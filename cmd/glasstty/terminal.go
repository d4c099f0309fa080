package main

import "github.com/glasstty/glasstty/emulator"

// terminalFlags say what programs are told of their terminal.
type terminalFlags struct {
	Theme string `default:"dark" enum:"dark,light" placeholder:"THEME" env:"GLASSTTY_THEME" help:"Colours that programs which ask are told of: dark or light (default ${default})."`
	Width string `default:"characters" enum:"characters,clusters" placeholder:"UNIT" env:"GLASSTTY_WIDTH" help:"What takes columns: characters, as xterm and most shells count, or clusters, as toolkits that treat an emoji sequence as one do (default ${default}); programs choose for themselves by mode 2027."`
}

// options returns the settings as the emulator takes them.
func (f *terminalFlags) options(o emulator.Options) emulator.Options {
	o.Light = f.Theme == "light"
	o.Clusters = f.Width == "clusters"
	return o
}
