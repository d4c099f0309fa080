package main

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An op is one kind of thing that a program does while it answers.
type op byte

// The ops, by the letter that the helpers of all languages read.
const (
	opLine  op = 'l' // lWORD: print <WORD> and a newline
	opRaw   op = 'h' // hHEX: print these bytes, no newline
	opPause op = 's' // sMS: sleep
	opSpin  op = 'x' // xMS: compute without a word
	opRows  op = 'n' // nCOUNT: print lines <1> to <COUNT>
	opBurst op = 'b' // bCOUNTxMS: print lines <1> to <COUNT>, sleeping after each
	opAsk   op = 'q' // qWORD: print "WORD? [Y/n] ", read a line, print <=LINE>
	opPass  op = 'w' // wWORD: print "WORD password: " with echo off, read a line, print <=length>
)

// A step is one op with its operands.
type step struct {
	op   op
	word string // opLine, opAsk, opPass; opRaw: the bytes
	n    int    // opRows, opBurst
	d    time.Duration
}

// A script is what one command makes a program do.
type script []step

// String renders the script in the helpers' words, in which no printed line
// appears literally: an echo of the command cannot pass for its output.
func (s script) String() string {
	words := make([]string, len(s))
	for i, st := range s {
		ms := strconv.FormatInt(st.d.Milliseconds(), 10)
		switch st.op {
		case opRaw:
			words[i] = "h" + hex.EncodeToString([]byte(st.word))
		case opPause, opSpin:
			words[i] = string(st.op) + ms
		case opRows:
			words[i] = "n" + strconv.Itoa(st.n)
		case opBurst:
			words[i] = fmt.Sprintf("b%dx%s", st.n, ms)
		default:
			words[i] = string(st.op) + st.word
		}
	}
	return strings.Join(words, " ")
}

// parseScript reads what String writes.
func parseScript(text string) (script, error) {
	var s script
	for _, w := range strings.Fields(text) {
		st, err := parseStep(op(w[0]), w[1:])
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", w, err)
		}
		s = append(s, st)
	}
	return s, nil
}

// parseStep reads one step's operands.
func parseStep(o op, arg string) (step, error) {
	st := step{op: o}
	var err error
	switch o {
	case opLine, opAsk, opPass:
		st.word = arg
	case opRaw:
		var b []byte
		b, err = hex.DecodeString(arg)
		st.word = string(b)
	case opPause, opSpin:
		st.d, err = millis(arg)
	case opRows:
		st.n, err = strconv.Atoi(arg)
	case opBurst:
		n, ms, _ := strings.Cut(arg, "x")
		if st.n, err = strconv.Atoi(n); err == nil {
			st.d, err = millis(ms)
		}
	default:
		err = fmt.Errorf("unknown op %q; one of lhsxnbqw", o)
	}
	return st, err
}

// millis reads a count of milliseconds.
func millis(s string) (time.Duration, error) {
	n, err := strconv.Atoi(s)
	return time.Duration(n) * time.Millisecond, err
}

// lasts is the time that the script takes at least.
func (s script) lasts() time.Duration {
	var d time.Duration
	for _, st := range s {
		d += st.d * time.Duration(max(st.n, 1))
	}
	return d
}

// split cuts the script after its first question, which needs an answer before
// the rest runs. rest is nil when there is none.
func (s script) split() (head, rest script) {
	for i, st := range s {
		if st.op == opAsk || st.op == opPass {
			return s[:i+1], s[i+1:]
		}
	}
	return s, nil
}

// lines are the lines that the script prints; a question ends them.
func (s script) lines() []string {
	var b strings.Builder
	for _, st := range s {
		switch st.op {
		case opLine:
			fmt.Fprintf(&b, "<%s>\n", st.word)
		case opRaw:
			b.WriteString(st.word)
		case opRows, opBurst:
			for i := 1; i <= st.n; i++ {
				fmt.Fprintf(&b, "<%d>\n", i)
			}
		case opAsk:
			b.WriteString(st.word + "? [Y/n] ")
		case opPass:
			b.WriteString(st.word + " password: ")
		}
	}
	return cleanLines(b.String())
}

// answered is the line printed after a question was answered with reply.
func (st step) answered(reply string) string {
	if st.op == opPass {
		return fmt.Sprintf("<=%d>", len(reply))
	}
	return "<=" + reply + ">"
}
