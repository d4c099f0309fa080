package emulator

import (
	"bytes"
	"encoding/base64"
	"fmt"
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
	case 66:
		t.sizedText(arg)
	case 99:
		t.kittyNotification(arg, bell)
	case 133:
		t.mark(arg)
	case 633:
		t.codeMark(arg)
	case 777:
		t.notify(arg)
	case 1337:
		t.iterm(arg)
	case 4, 5:
		t.setColors(n, arg, bell)
	case 104, 105:
		t.resetColors(n, arg)
	case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19:
		t.setDynamicColors(n, arg, bell)
	case 110, 111, 112, 113, 114, 115, 116, 117, 118, 119:
		t.resetDynamicColor(n)
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
	t.pen = p
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

// answerNotification reports the keys that kittyNotification understands. An id that is
// not a plain name is not sent back.
func (t *Terminal) answerNotification(id string, bell bool) {
	if strings.ContainsFunc(id, func(r rune) bool {
		return r != '=' && r != '-' && r != '_' && r != '+' && r != '.' &&
			(r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) || len(id) > maxNotificationID {
		t.unknown()
		return
	}
	if id != "" {
		id += ":"
	}
	end := "\x1b\\"
	if bell {
		end = "\a"
	}
	t.reply("\x1b]99;" + id + "p=?;p=title,body" + end)
}

// maxNotificationID bounds the id of a notification that is sent back, in bytes.
const maxNotificationID = 256

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
// notifications). Only the texts of title and body become events, as the answer to a
// query says.
func (t *Terminal) kittyNotification(arg string, bell bool) {
	meta, text, ok := strings.Cut(arg, ";")
	if !ok {
		t.unknown()
		return
	}
	id := ""
	for _, m := range strings.Split(meta, ":") {
		switch {
		case strings.HasPrefix(m, "i="):
			id = m
		case m == "p=?":
			t.answerNotification(id, bell)
			return
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

// maxSizedText bounds the text of an OSC 66 in bytes, as its protocol does.
const maxSizedText = 4096

// sizedText is OSC 66 ; metadata ; text (kitty's text sizing protocol). The text is
// shown, the size that it asks for is not.
func (t *Terminal) sizedText(arg string) {
	_, text, ok := strings.Cut(arg, ";")
	if !ok || len(text) > maxSizedText {
		t.unknown()
		return
	}
	for _, r := range text {
		if r >= ' ' && r != 0x7F && (r < 0x80 || r >= c1) {
			t.printRune(r)
		}
	}
}

// codeMark is OSC 633 (Visual Studio Code, "shell integration"): the marks of OSC
// 133, and properties of which the working directory is one.
func (t *Terminal) codeMark(arg string) {
	kind, rest, _ := strings.Cut(arg, ";")
	switch kind {
	case "E": // the command line, which the screen has already
	case "P":
		if dir, ok := strings.CutPrefix(rest, "Cwd="); ok {
			t.event(Event{Kind: EventCwd, Text: cut(dir, maxText)})
		}
	default:
		t.mark(arg)
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

// iterm is OSC 1337: CurrentDir is told, inline images are shown (iTerm2,
// "Proprietary Escape Codes").
func (t *Terminal) iterm(arg string) {
	key, value, _ := strings.Cut(arg, "=")
	switch key {
	case "CurrentDir":
		if u, err := url.PathUnescape(value); err == nil {
			value = u
		}
		t.event(Event{Kind: EventCwd, Text: cut(value, maxText)})
	case "File":
		t.inlineImage(value)
	case "MultipartFile":
		t.beginParts(value)
	case "FilePart":
		t.addPart(value)
	case "FileEnd":
		t.endParts()
	case "ReportCellSize":
		t.reply(fmt.Sprintf("\x1b]1337;ReportCellSize=%d.0;%d.0;1.0\x1b\\", CellHeight, CellWidth))
	default:
		t.unknown()
	}
}
