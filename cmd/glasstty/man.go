package main

import (
	"context"
	"fmt"

	"github.com/glasstty/glasstty/internal/cliref"
)

// manCmd prints the manual page.
type manCmd struct{}

// Help returns the command's longer description.
func (manCmd) Help() string {
	return "Read it with: glasstty man | man -l -. Or keep it where man looks: " +
		"glasstty man > ~/.local/share/man/man1/glasstty.1."
}

func (manCmd) run(_ context.Context, std stdio) error {
	root, err := describe(std)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(std.out, cliref.Man(root, version(),
		[2]string{"EXIT STATUS", "0: all went well.\n\n1: the command could not do its work, or the tool failed.\n\n" +
			"2: it was called wrongly.\n\n3: call found no server.\n\n4: the wait of call ended by its timeout.\n\n" +
			"128 and a signal's number: a signal ended snap or call."},
		[2]string{"ENVIRONMENT", "Each flag that has a variable names it above. A variable that is set to nothing counts as not set."},
	))
	return err
}
