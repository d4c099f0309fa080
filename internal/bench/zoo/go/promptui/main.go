// Command promptui asks with promptui: a text, a choice that can be searched, yes or no.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/manifoldco/promptui"
)

func main() {
	name := promptui.Prompt{Label: "Host name", Validate: func(s string) error {
		if strings.Contains(s, "_") {
			return errors.New("no underscore")
		}
		return nil
	}}
	host, err := name.Run()
	if err != nil {
		fail(err)
	}
	choice := promptui.Select{Label: "Region", Items: []string{"north", "east", "south", "west", "center"}}
	_, region, err := choice.Run()
	if err != nil {
		fail(err)
	}
	sure := promptui.Prompt{Label: "Create it", IsConfirm: true}
	if _, err := sure.Run(); err != nil {
		fail(err)
	}
	fmt.Printf("created %s in %s\n", host, region)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "promptui:", err)
	os.Exit(1)
}
