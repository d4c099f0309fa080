// Command pterm asks with pterm: a choice, a text, and shows a spinner and a bar.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/pterm/pterm"
)

func main() {
	choice, err := pterm.DefaultInteractiveSelect.WithOptions([]string{"tea", "coffee", "water", "milk"}).Show("What to drink")
	if err != nil {
		fail(err)
	}
	name, err := pterm.DefaultInteractiveTextInput.Show("For whom")
	if err != nil {
		fail(err)
	}
	spin, err := pterm.DefaultSpinner.Start("Boiling")
	if err != nil {
		fail(err)
	}
	<-time.After(1500 * time.Millisecond)
	spin.Success("Boiled")
	fmt.Printf("%s for %s\n", choice, name)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "pterm:", err)
	os.Exit(1)
}
