// Command huh is a form of huh: a text field, a choice, several choices, yes or no.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/huh"
)

func main() {
	var name, size string
	var extras []string
	var sure bool
	err := huh.NewForm(
		huh.NewGroup(
			huh.NewInput().Title("Your name?").Value(&name).Validate(func(s string) error {
				if len(s) < 2 {
					return errors.New("too short a name")
				}
				return nil
			}),
			huh.NewSelect[string]().Title("Size?").Options(huh.NewOptions("small", "medium", "large")...).Value(&size),
		),
		huh.NewGroup(
			huh.NewMultiSelect[string]().Title("With what?").Options(huh.NewOptions("onions", "olives", "cheese")...).Value(&extras),
			huh.NewConfirm().Title("Order it?").Value(&sure),
		),
	).Run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "huh:", err)
		os.Exit(1)
	}
	fmt.Printf("%s orders %s with %s: %v\n", name, size, strings.Join(extras, "+"), sure)
}
