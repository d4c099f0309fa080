package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// emitMain is the helper program that shells run: it does what its arguments, a
// script, say. With -repl it shows a prompt and reads one script per line from its
// input instead; it is then a multi-threaded program that reads its terminal.
func emitMain(args []string) int {
	in := bufio.NewReader(os.Stdin)
	if len(args) > 0 && args[0] == "-repl" {
		return emitLoop(in, os.Stdout)
	}
	if err := emitScript(strings.Join(args, " "), in, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "emit:", err)
		return 2
	}
	return 0
}

// emitLoop prompts for scripts, reads and runs them until its input ends.
func emitLoop(in *bufio.Reader, out io.Writer) int {
	for n := 1; ; n++ {
		fmt.Fprintf(out, "utter[%d]> ", n)
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		if err := emitScript(line, in, out); err != nil {
			fmt.Fprintln(out, "emit:", err)
		}
	}
}

// emitScript does one script. Each print is one write.
func emitScript(text string, in *bufio.Reader, out io.Writer) error {
	s, err := parseScript(text)
	if err != nil {
		return err
	}
	for _, st := range s {
		if err := st.do(in, out); err != nil {
			return err
		}
	}
	return nil
}

// do does one step.
func (st step) do(in *bufio.Reader, out io.Writer) error {
	switch st.op {
	case opLine:
		fmt.Fprintf(out, "<%s>\n", st.word)
	case opRaw:
		io.WriteString(out, st.word)
	case opPause:
		<-time.After(st.d)
	case opSpin:
		for end := time.Now().Add(st.d); time.Now().Before(end); {
		}
	case opRows, opBurst:
		for i := 1; i <= st.n; i++ {
			fmt.Fprintf(out, "<%d>\n", i)
			if st.d > 0 {
				<-time.After(st.d)
			}
		}
	case opAsk:
		fmt.Fprintf(out, "%s? [Y/n] ", st.word)
		line, err := in.ReadString('\n')
		fmt.Fprintln(out, st.answered(strings.TrimSpace(line)))
		return err
	case opPass:
		fmt.Fprintf(out, "%s password: ", st.word)
		secret, err := term.ReadPassword(int(os.Stdin.Fd()))
		fmt.Fprintln(out, "\n"+st.answered(string(secret)))
		return err
	}
	return nil
}
