// Command survey asks with survey: a text, a choice, several choices, yes or no.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/AlecAivazis/survey/v2"
)

func main() {
	var a struct {
		Name  string
		Color string
		Days  []string
		Sure  bool
	}
	err := survey.Ask([]*survey.Question{
		{Name: "name", Prompt: &survey.Input{Message: "What is your name?"}, Validate: survey.Required},
		{Name: "color", Prompt: &survey.Select{Message: "Choose a color:", Options: []string{"red", "blue", "green", "yellow"}}},
		{Name: "days", Prompt: &survey.MultiSelect{Message: "Which days:", Options: []string{"Sunday", "Monday", "Tuesday"}}},
		{Name: "sure", Prompt: &survey.Confirm{Message: "Is that right?"}},
	}, &a)
	if err != nil {
		fmt.Fprintln(os.Stderr, "survey:", err)
		os.Exit(1)
	}
	fmt.Printf("%s chose %s on %s: %v\n", a.Name, a.Color, strings.Join(a.Days, "+"), a.Sure)
}
