package audit

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/runes"
)

// The bounds of a line, in bytes before they are written as JSON.
const (
	maxText = 8 << 10   // of what was typed
	maxWord = 512       // of any other text
	maxList = 64        // elements of a list
	maxLine = 512 << 10 // of the whole line, as JSON

	usualLine = 1 << 10 // few are longer
)

// An Actor is who does something. The zero value is the server itself.
type Actor struct {
	Via    string `json:"via,omitempty"`    // stdio, socket, http, page, attach, fleet
	Who    string `json:"who,omitempty"`    // a token's or a person's name, a user's id
	From   string `json:"from,omitempty"`   // address or process
	Client string `json:"client,omitempty"` // name and version that the client gave itself
	Conn   string `json:"conn,omitempty"`   // tells its connections apart
	Call   int64  `json:"call,omitempty"`   // seq of the line with which the call began
}

// A Record is one line. Only Event is in each of them.
type Record struct {
	Node  string `json:"node,omitempty"` // the Log sets it
	Event string `json:"event"`
	Actor
	Tool    string         `json:"tool,omitempty"`
	Session string         `json:"session,omitempty"`
	Args    map[string]any `json:"args,omitempty"`
	Program string         `json:"program,omitempty"`
	Argv    []string       `json:"argv,omitempty"`
	Dir     string         `json:"dir,omitempty"`
	// Input is what was typed, as the program gets it. Typed sets it.
	Input  string `json:"input,omitempty"`
	Sum    string `json:"sha256,omitempty"`
	Bytes  int    `json:"bytes,omitempty"`
	Secret bool   `json:"secret,omitempty"`

	Verdict string `json:"verdict,omitempty"` // allowed, held, confirmed, refused, limited, failed, …
	Why     string `json:"why,omitempty"`
	Exit    *int   `json:"exit,omitempty"`
	Millis  int64  `json:"ms,omitempty"`
}

// Typed says what was typed. Whether its text is written, or only its hash, the
// Log decides; of a secret neither is.
func (r *Record) Typed(text string, secret bool) {
	r.Bytes, r.Secret = len(text), secret
	if !secret {
		r.Input = text
	}
}

// settle turns what was typed into what is to be written of it: its text only with
// texts, and no text with what hide takes out.
func (r *Record) settle(texts bool, hide func(string) string) {
	// The hash of one character tells the character.
	if utf8.RuneCountInString(r.Input) > 1 && r.Sum == "" {
		r.Sum = sumOf([]byte(r.Input))
	}
	if !texts {
		r.Input = ""
	}
	if hide != nil {
		r.hide(hide)
	}
	r.Input = runes.Clip(r.Input, maxText)
	for _, s := range []*string{&r.Event, &r.Via, &r.Who, &r.From, &r.Client, &r.Conn, &r.Tool, &r.Session, &r.Program, &r.Dir, &r.Why} {
		*s = runes.Clip(*s, maxWord)
	}
	r.Why = strings.ToValidUTF8(r.Why, "\uFFFD")
	r.Argv = clipAll(r.Argv)
	if r.Args != nil {
		r.Args, _ = clipAny(r.Args, 0).(map[string]any)
	}
}

// hide takes out of the texts of a Record what is not to be shown.
func (r *Record) hide(hide func(string) string) {
	for _, s := range []*string{&r.Input, &r.Why, &r.Session, &r.Tool, &r.Program, &r.Dir, &r.Client} {
		*s = hide(*s)
	}
	argv := make([]string, len(r.Argv))
	for i, a := range r.Argv {
		argv[i] = hide(a)
	}
	r.Argv = argv
	if r.Args != nil {
		r.Args, _ = hideAny(r.Args, hide).(map[string]any)
	}
}

// hideAny is hide for a value that was read from JSON.
func hideAny(v any, hide func(string) string) any {
	switch v := v.(type) {
	case string:
		return hide(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = hideAny(e, hide)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = hideAny(e, hide)
		}
		return out
	}
	return v
}

// clipAll shortens a list and its elements.
func clipAll(list []string) []string {
	out := make([]string, 0, min(len(list), maxList))
	for i, s := range list {
		if i == maxList {
			return append(out, "…")
		}
		out = append(out, runes.Clip(s, maxWord))
	}
	return out
}

// clipAny shortens a value that was read from JSON.
func clipAny(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return runes.Clip(v, maxWord)
	case []any:
		out := []any{}
		for i, e := range v {
			if i == maxList || depth == 4 {
				return append(out, "…")
			}
			out = append(out, clipAny(e, depth+1))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if len(out) == maxList || depth == 4 {
				out["…"] = len(v)
				return out
			}
			out[runes.Clip(k, maxWord)] = clipAny(e, depth+1)
		}
		return out
	}
	return v
}

// The events of the log itself.
const (
	eventTorn     = "audit.torn"     // what stands before it in the line was not ended
	eventBroken   = "audit.broken"   // the end of the file is not what was written
	eventHeadless = "audit.headless" // the head was not there
	eventLost     = "audit.lost"     // lines could not be written
	eventReopened = "audit.reopened"

	eventUnshipped = "audit.unshipped" // what of it is not in the fleet's stream
)

// A line is a Record with its place in the chain.
type line struct {
	Seq    int64  `json:"seq"`
	Time   string `json:"time"`
	Server string `json:"server"`
	Record
	Prev string `json:"prev"`
}

// A link is the end of a chain: number and hash of its last line.
type link struct {
	seq  int64
	hash string
}

// noHash is the hash before the first line.
var noHash = strings.Repeat("0", 2*sha256.Size)

// The end of a line: its hash.
const (
	hashMember = `,"hash":"`
	lineEnd    = "\"}\n"
	tailLen    = len(hashMember) + 2*sha256.Size + len(lineEnd)
)

// encode returns the line after prev, and its link.
func encode(r Record, prev link, server string, now time.Time, key []byte) ([]byte, link, error) {
	l := line{Seq: prev.seq + 1, Time: now.UTC().Format("2006-01-02T15:04:05.000000Z"), Server: server, Record: r, Prev: prev.hash}
	body, err := marshal(l)
	if err == nil && len(body) > maxLine-tailLen {
		l.Args, l.Argv, l.Input = map[string]any{"…": len(body)}, nil, ""
		body, err = marshal(l)
	}
	if err != nil {
		return nil, link{}, err
	}
	hash := hashOf(body, key)
	out := append(body[:len(body)-1], hashMember...)
	out = append(out, hash...)
	return append(out, lineEnd...), link{l.Seq, hash}, nil
}

// marshal is json.Marshal without the escapes for HTML.
func marshal(v any) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, usualLine))
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// hashOf returns the hash of a line without it.
func hashOf(body, key []byte) string {
	if len(key) == 0 {
		return sumOf(body)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// decode returns a whole line, with its line feed, and its hash; ok is false when
// it is none, or not the one that was written. torn is how many bytes before it
// were begun as another line and not ended; the line tells of them.
func decode(text, key []byte) (l line, hash string, torn int, ok bool) {
	if l, hash, ok = decodeWhole(text, key); hash != "" {
		return l, hash, 0, ok
	}
	at := bytes.LastIndex(text, []byte(`{"seq":`))
	if at < 1 {
		return line{}, "", 0, false
	}
	l, hash, ok = decodeWhole(text[at:], key)
	if l.Event != eventTorn || l.Bytes != at || l.Sum != sumOf(text[:at]) {
		return line{}, "", 0, false
	}
	return l, hash, at, ok
}

// decodeWhole is decode for a line with nothing before it.
func decodeWhole(text, key []byte) (l line, hash string, ok bool) {
	n := len(text) - tailLen
	if n < 1 || !bytes.HasSuffix(text, []byte(lineEnd)) || !bytes.HasPrefix(text[n:], []byte(hashMember)) {
		return line{}, "", false
	}
	body := append(bytes.Clone(text[:n]), '}')
	if json.Unmarshal(body, &l) != nil || l.Seq < 1 {
		return line{}, "", false
	}
	hash = string(text[n+len(hashMember) : len(text)-len(lineEnd)])
	return l, hash, hmac.Equal([]byte(hash), []byte(hashOf(body, key)))
}

// sumOf returns the SHA-256 of some bytes, in hexadecimal.
func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// actorKey is the context's key of the Actor.
type actorKey struct{}

// As returns a context in which a does things.
func As(ctx context.Context, a Actor) context.Context { return context.WithValue(ctx, actorKey{}, a) }

// ActorOf returns who does things in ctx.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
