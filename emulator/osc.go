package emulator

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
)

// The limits of what operating system commands carry.
const (
	maxText       = 4096    // bytes of a notification or working directory
	maxClipboard  = 1 << 20 // bytes of an OSC 52 payload before decoding
	maxMarkParams = 16      // parameters of an OSC 133 mark
)

// osc runs an operating system command (xterm ctlseqs, "Operating System
// Commands"). bell says that BEL ended it; replies end alike.
func (t *Terminal) osc(b []byte, bell bool) {
	code, rest, _ := bytes.Cut(b, []byte{';'})
	n, err := strconv.Atoi(string(code))
	if err != nil {
		t.unknown()
		return
	}
	arg := string(rest)
	switch n {
	case 0, 2:
		t.setTitle(arg)
	case 1: // the icon's title, shown nowhere
	case 7:
		t.event(Event{Kind: EventCwd, Text: cut(arg, maxText)})
	case 8:
		t.hyperlink(arg)
	case 9:
		t.osc9(arg)
	case 52:
		t.clipboard(arg)
	case 99:
		t.kittyNotification(arg)
	case 133:
		t.mark(arg)
	case 777:
		t.notify(arg)
	case 1337:
		t.iterm(arg)
	case 4, 10, 11, 12, 104, 110, 111, 112:
		t.color(n, arg, bell)
	default:
		t.unknown()
	}
}

// hyperlink is OSC 8 ; params ; URI (the specification by egmontkob). An empty
// URI ends the link.
func (t *Terminal) hyperlink(arg string) {
	opts, uri, ok := strings.Cut(arg, ";")
	p := t.pen
	p.Link = Link{}
	if ok && uri != "" && len(uri) <= maxLinkURI {
		id := ""
		for _, o := range strings.Split(opts, ":") {
			if name, found := strings.CutPrefix(o, "id="); found {
				id = cut(name, maxLinkIDLen)
			}
		}
		p.Link = t.link(NewLink(id, uri))
	}
	t.setPen(p)
}

// link counts l, making room when there are too many. When even that fails, the
// text shows without its link.
func (t *Terminal) link(l Link) Link {
	if t.styles.link(l) {
		return l
	}
	t.collectGarbage()
	if t.styles.link(l) {
		return l
	}
	return Link{}
}

// osc9 is a notification, or with a first parameter what ConEmu has under this
// number: 4 is progress, 9 the working directory.
func (t *Terminal) osc9(arg string) {
	kind, rest, ok := strings.Cut(arg, ";")
	switch {
	case ok && kind == "4":
		t.progress(rest)
	case ok && kind == "9":
		t.event(Event{Kind: EventCwd, Text: cut(strings.Trim(rest, `"`), maxText)})
	case ok && len(kind) <= 2 && isNumber(kind):
		t.unknown()
	case arg != "":
		t.event(Event{Kind: EventNotification, Text: cut(arg, maxText)})
	}
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// progress is OSC 9 ; 4 ; state ; percent (ConEmu, Windows Terminal).
func (t *Terminal) progress(arg string) {
	state, percent, _ := strings.Cut(arg, ";")
	n, _ := strconv.Atoi(percent)
	value := " " + strconv.Itoa(min(max(n, 0), 100))
	text, ok := map[string]string{
		"0": "", "1": "normal" + value, "2": "error" + value, "3": "indeterminate", "4": "paused" + value,
	}[state]
	if !ok {
		t.unknown()
		return
	}
	t.event(Event{Kind: EventProgress, Text: text})
}

// clipboard is OSC 52 ; selections ; base64 (xterm ctlseqs, "Manipulate
// Selection Data"). Reading the clipboard is not allowed.
func (t *Terminal) clipboard(arg string) {
	_, data, ok := strings.Cut(arg, ";")
	if !ok || data == "?" || len(data) > maxClipboard {
		t.unknown()
		return
	}
	text, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		text, err = base64.RawStdEncoding.DecodeString(data)
	}
	if err != nil {
		text = nil // xterm: data that is not base64 clears the selection
	}
	t.event(Event{Kind: EventClipboard, Text: strings.ToValidUTF8(string(text), string(replacement))})
}

// notify is OSC 777 ; notify ; title ; body (rxvt-unicode).
func (t *Terminal) notify(arg string) {
	kind, rest, _ := strings.Cut(arg, ";")
	if kind != "notify" {
		t.unknown()
		return
	}
	title, body, _ := strings.Cut(rest, ";")
	text := strings.Trim(title+": "+body, ": ")
	t.event(Event{Kind: EventNotification, Text: cut(text, maxText)})
}

// kittyNotification is OSC 99 ; metadata ; payload (kitty's desktop
// notifications). Only the texts of title and body are told.
func (t *Terminal) kittyNotification(arg string) {
	meta, text, ok := strings.Cut(arg, ";")
	if !ok {
		t.unknown()
		return
	}
	for _, m := range strings.Split(meta, ":") {
		switch {
		case m == "e=1":
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return
			}
			text = strings.ToValidUTF8(string(b), string(replacement))
		case strings.HasPrefix(m, "p=") && m != "p=title" && m != "p=body":
			return // icons, buttons, queries
		}
	}
	if text != "" {
		t.event(Event{Kind: EventNotification, Text: cut(text, maxText)})
	}
}

// mark is OSC 133 (FinalTerm, "semantic prompts").
func (t *Terminal) mark(arg string) {
	parts := strings.Split(arg, ";")
	kind := MarkKind(0)
	if len(parts[0]) == 1 {
		kind = MarkKind(parts[0][0])
	}
	switch kind {
	case MarkPromptStart, MarkCommandStart, MarkOutputStart, MarkCommandDone:
	default:
		t.unknown()
		return
	}
	t.prompted()
	if kind == MarkOutputStart {
		t.lineTaken()
	}
	m := Mark{Kind: kind, Offset: t.consumed}
	m.At, _ = t.CursorPosition()
	for _, p := range parts[1:min(len(parts), maxMarkParams+1)] {
		m.Params = append(m.Params, cut(p, maxText))
	}
	t.event(Event{Kind: EventMark, Mark: m})
}

// iterm is OSC 1337: CurrentDir is told, images are consumed and counted.
func (t *Terminal) iterm(arg string) {
	key, value, _ := strings.Cut(arg, "=")
	switch key {
	case "CurrentDir":
		if u, err := url.PathUnescape(value); err == nil {
			value = u
		}
		t.event(Event{Kind: EventCwd, Text: cut(value, maxText)})
	case "File", "MultipartFile", "FilePart", "FileEnd":
		t.tally.images++
	default:
		t.unknown()
	}
}
