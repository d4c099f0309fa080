package main

import (
	"context"
	"fmt"

	"github.com/glasstty/glasstty/internal/cmdline"
)

// manCmd prints the manual page.
type manCmd struct{}

// Help returns the command's longer description.
func (manCmd) Help() string {
	return "Read it with: glasstty man | man -l -. Or install it where man finds it: " +
		"glasstty man > ~/.local/share/man/man1/glasstty.1."
}

func (manCmd) run(_ context.Context, std stdio) error {
	_, err := fmt.Fprint(std.out, cmdline.Man(programWithTools(), version(),
		[2]string{"EXIT STATUS", "0: success.\n\n1: the command or the tool failed.\n\n" +
			"2: wrong arguments or settings.\n\n3: call found no server.\n\n4: the wait of call or snap timed out.\n\n" +
			"5: audit verify found a line that is not as it was written.\n\n" +
			"128 plus a signal's number: a signal ended snap or call."},
		[2]string{"ENVIRONMENT", "The flags above name their variables. An empty variable counts as not set."},
		[2]string{"FILES", manFiles},
		[2]string{"EXAMPLES", manExamples},
	))
	return err
}

// manFiles and manExamples are sections of the manual page, paragraphs apart by a blank
// line.
const (
	manFiles = "$XDG_CONFIG_HOME/glasstty/config.toml (~/.config/glasstty/config.toml): settings of servers.\n\n" +
		"$XDG_STATE_HOME/glasstty (~/.local/state/glasstty): logs of sessions, in asciicast v3.\n\n" +
		"$XDG_RUNTIME_DIR/glasstty/socket (glasstty-UID/socket in the temporary directory): the socket of serve, " +
		"which call connects to. socket.log next to it is the log of a server in the background."
	manExamples = "Show what top looks like: glasstty snap -- top\n\n" +
		"Connect an MCP client: glasstty setup claude-code --write\n\n" +
		"Keep Python running from one command to the next: glasstty serve --background, then glasstty start_process " +
		"command=python3 name=py, then glasstty send_and_read session_id=py text='2**100' press_enter=true\n\n" +
		"Watch what an agent does, and type yourself: glasstty ls, then glasstty attach py\n\n" +
		"Make an animation of a session: glasstty export py -o py.gif"
)
