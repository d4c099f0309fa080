package emulator

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Limits on operating system commands.
const (
	maxText       = 4096    // bytes of a notification, a working directory, or a parameter of a mark or image
	maxClipboard  = 1 << 20 // bytes of an OSC 52 payload before decoding
	maxMarkParams = 16      // parameters of an OSC 133 mark
)

// runOSC runs an operating system command (xterm ctlseqs, "Operating System Commands"). bell
// reports whether the command ended with BEL; if so, the reply ends with BEL too.
func (t *Terminal) runOSC(b []byte, bell bool) {
	code, rest, _ := bytes.Cut(b, []byte{';'})
	n, err := strconv.Atoi(string(code))
	if err != nil {
		return
	}
	arg := string(rest)
	switch n {
	case 0, 2:
		t.setTitle(arg)
	case 1: // the icon's title is not shown anywhere
	case 7:
		t.queueEvent(Event{Kind: EventCwd, Text: truncate(arg, maxText)})
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
		t.vscodeMark(arg)
	case 777:
		t.notify(arg)
	case 1337:
		t.iterm(arg)
	case 4, 5:
		t.setColors(n, arg, bell)
	case 104, 105:
		t.palette.reset(n, arg)
	case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19:
		t.setDynamicColors(n, arg, bell)
	case 110, 111, 112, 113, 114, 115, 116, 117, 118, 119:
		delete(t.palette, dynamicColor+n-100-oscForeground)
	}
}

// hyperlink is OSC 8 ; params ; URI (egmontkob's specification). A URI that is empty or longer
// than maxLinkURI ends the link.
func (t *Terminal) hyperlink(arg string) {
	opts, uri, ok := strings.Cut(arg, ";")
	t.pen.Link = Link{}
	if ok && uri != "" && len(uri) <= maxLinkURI {
		id := ""
		for _, o := range strings.Split(opts, ":") {
			if name, ok := strings.CutPrefix(o, "id="); ok {
				id = truncate(name, maxLinkIDLen)
			}
		}
		t.pen.Link = t.registerLink(NewLink(id, uri))
	}
}

// registerLink registers l, collecting garbage if there are too many links. If there are still
// too many, it returns the zero Link.
func (t *Terminal) registerLink(l Link) Link {
	if t.styles.addLink(l) {
		return l
	}
	t.collectGarbage()
	if t.styles.addLink(l) {
		return l
	}
	return Link{}
}

// osc9 runs OSC 9. If arg begins with a number of one or two digits and a semicolon, it is an
// extension of ConEmu; 4 (progress) and 9 (working directory) are supported. Otherwise arg is a
// notification.
func (t *Terminal) osc9(arg string) {
	kind, rest, ok := strings.Cut(arg, ";")
	_, err := strconv.Atoi(kind)
	switch {
	case ok && kind == "4":
		t.progress(rest)
	case ok && kind == "9":
		t.queueEvent(Event{Kind: EventCwd, Text: truncate(strings.Trim(rest, `"`), maxText)})
	case ok && len(kind) <= 2 && err == nil: // another extension
	case arg != "":
		t.queueEvent(Event{Kind: EventNotification, Text: truncate(arg, maxText)})
	}
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
		return
	}
	t.queueEvent(Event{Kind: EventProgress, Text: text})
}

// clipboard is OSC 52 ; selections ; base64 (xterm ctlseqs, "Manipulate Selection Data").
// Programs cannot read the clipboard.
func (t *Terminal) clipboard(arg string) {
	_, data, ok := strings.Cut(arg, ";")
	if !ok || data == "?" || len(data) > maxClipboard {
		return
	}
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(data, "="))
	if err != nil {
		text = nil // as in xterm, data that is not base64 clears the selection
	}
	t.queueEvent(Event{Kind: EventClipboard, Text: strings.ToValidUTF8(string(text), string(replacement))})
}

// answerNotification replies to a query with the types of payload that kittyNotification
// supports. id is the query's i=ID, or "". A query whose ID is too long or contains special
// characters gets no reply.
func (t *Terminal) answerNotification(id string, bell bool) {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789=-_+."
	if strings.Trim(id, allowed) != "" || len(id) > maxNotificationID {
		return
	}
	if id != "" {
		id += ":"
	}
	t.replyOSC("99;"+id+"p=?;p=title,body", bell)
}

// maxNotificationID is the maximum length in bytes of the i=ID of a query that is answered.
const maxNotificationID = 256

// notify is OSC 777 ; notify ; title ; body (rxvt-unicode).
func (t *Terminal) notify(arg string) {
	kind, rest, _ := strings.Cut(arg, ";")
	if kind != "notify" {
		return
	}
	title, body, _ := strings.Cut(rest, ";")
	text := strings.Trim(title+": "+body, ": ")
	t.queueEvent(Event{Kind: EventNotification, Text: truncate(text, maxText)})
}

// kittyNotification is OSC 99 ; metadata ; payload (kitty's desktop notifications). Only titles
// and bodies become events, so the reply to a query lists only these types of payload.
func (t *Terminal) kittyNotification(arg string, bell bool) {
	meta, text, ok := strings.Cut(arg, ";")
	if !ok {
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
			return // icons, buttons and other types that are not supported
		}
	}
	if text != "" {
		t.queueEvent(Event{Kind: EventNotification, Text: truncate(text, maxText)})
	}
}

// maxSizedText is the maximum length of the text of OSC 66 in bytes, as in the protocol.
const maxSizedText = 4096

// sizedText is OSC 66 ; metadata ; text (kitty's text sizing protocol). The text is shown
// in the normal size.
func (t *Terminal) sizedText(arg string) {
	_, text, ok := strings.Cut(arg, ";")
	if !ok || len(text) > maxSizedText {
		return
	}
	for _, r := range text {
		if r >= ' ' && r != 0x7F && (r < 0x80 || r >= c1End) {
			t.printRune(r)
		}
	}
}

// vscodeMark is OSC 633 (Visual Studio Code, "shell integration"): the marks of OSC 133,
// and properties, of which only the working directory is used.
func (t *Terminal) vscodeMark(arg string) {
	kind, rest, _ := strings.Cut(arg, ";")
	switch kind {
	case "E": // the command line, which is on the screen already
	case "P":
		if dir, ok := strings.CutPrefix(rest, "Cwd="); ok {
			t.queueEvent(Event{Kind: EventCwd, Text: truncate(dir, maxText)})
		}
	default:
		t.mark(arg)
	}
}

// mark is OSC 133 (FinalTerm, "semantic prompts").
func (t *Terminal) mark(arg string) {
	parts := strings.Split(arg, ";")
	if len(parts[0]) != 1 || !strings.Contains("ABCD", parts[0]) {
		return
	}
	kind := MarkKind(parts[0][0])
	t.promptSeen()
	if kind == MarkOutputStart {
		t.lineSubmitted()
	}
	m := Mark{Kind: kind, Offset: t.consumed}
	m.At, _ = t.CursorPosition()
	for _, p := range parts[1:min(len(parts), maxMarkParams+1)] {
		m.Params = append(m.Params, truncate(p, maxText))
	}
	t.queueEvent(Event{Kind: EventMark, Mark: m})
}

// iterm is OSC 1337 (iTerm2, "Proprietary Escape Codes").
func (t *Terminal) iterm(arg string) {
	key, value, _ := strings.Cut(arg, "=")
	switch key {
	case "CurrentDir":
		if u, err := url.PathUnescape(value); err == nil {
			value = u
		}
		t.queueEvent(Event{Kind: EventCwd, Text: truncate(value, maxText)})
	case "File":
		t.inlineImage(value)
	case "MultipartFile":
		t.images.parts = []byte(truncate(value, maxText) + ":")
	case "FilePart":
		t.images.addPart(value)
	case "FileEnd":
		arg := string(t.images.parts)
		t.images.parts = nil
		t.inlineImage(arg)
	case "ReportCellSize":
		t.reply(fmt.Sprintf("\x1b]1337;ReportCellSize=%d.0;%d.0;1.0\x1b\\", CellHeight, CellWidth))
	}
}
