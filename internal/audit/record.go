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

// Limits on a line, in bytes.
const (
	maxText = 8 << 10   // of typed text, before it is encoded as JSON
	maxWord = 512       // of any other text, before it is encoded as JSON
	maxLine = 512 << 10 // of the whole line as JSON

	usualLine = 1 << 10 // initial size of the buffer for a line; few lines are longer
)

// An Actor describes who caused an action. The zero value is the server itself.
type Actor struct {
	Via    string `json:"via,omitempty"`    // stdio, socket, http, page, attach, fleet
	Who    string `json:"who,omitempty"`    // name of a token, a person or a user
	From   string `json:"from,omitempty"`   // address or process
	Client string `json:"client,omitempty"` // name and version that the client gave itself
	Conn   string `json:"conn,omitempty"`   // distinguishes the connections of a client
	Call   int64  `json:"call,omitempty"`   // seq of the line about the start of the tool call; 0 if there is none
}

// A Record is the content of a line. Only Event is required.
type Record struct {
	Node  string `json:"node,omitempty"` // set by the Log
	Event string `json:"event"`
	Actor
	Tool    string         `json:"tool,omitempty"`
	Session string         `json:"session,omitempty"`
	Args    map[string]any `json:"args,omitempty"` // of the call, without typed text
	Program string         `json:"program,omitempty"`
	Argv    []string       `json:"argv,omitempty"`
	Dir     string         `json:"dir,omitempty"`
	// Input is typed text as the program receives it. SetInput sets Input, Bytes and Secret.
	Input  string `json:"input,omitempty"`
	Sum    string `json:"sha256,omitempty"` // hash of Input; in an eventTorn, of the incomplete line
	Bytes  int    `json:"bytes,omitempty"`  // in an eventTorn, of the incomplete line; in an eventLost, number of lines
	Secret bool   `json:"secret,omitempty"` // the typed text was a secret; Input and Sum are ""

	Verdict string `json:"verdict,omitempty"` // allowed, held, confirmed, refused, limited, failed, …
	Why     string `json:"why,omitempty"`
	Exit    *int   `json:"exit,omitempty"`
	Millis  int64  `json:"ms,omitempty"`
}

// SetInput sets the typed text. Options.Inputs decides whether the Log writes the text or only its
// hash. For a secret, the Log writes only the length.
func (r *Record) SetInput(text string, secret bool) {
	r.Bytes, r.Secret = len(text), secret
	if !secret {
		r.Input = text
	}
}

// prepare prepares the record for writing. It hashes the typed text, and removes it unless texts is
// true. It applies hide, which may be nil, to texts that may contain secrets, and shortens all texts.
func (r *Record) prepare(texts bool, hide func(string) string) {
	// One character is not hashed, because its hash would reveal it.
	if utf8.RuneCountInString(r.Input) > 1 && r.Sum == "" {
		r.Sum = sumOf([]byte(r.Input))
	}
	if !texts {
		r.Input = ""
	}
	if hide == nil {
		hide = func(text string) string { return text }
	}
	r.Input = runes.Clip(hide(r.Input), maxText)
	word := func(text string) string { return runes.Clip(hide(text), maxWord) }
	for _, s := range []*string{&r.Why, &r.Session, &r.Tool, &r.Program, &r.Dir, &r.Client} {
		*s = word(*s)
	}
	for _, s := range []*string{&r.Event, &r.Via, &r.Who, &r.From, &r.Conn} {
		*s = runes.Clip(*s, maxWord)
	}
	r.Why = strings.ToValidUTF8(r.Why, "\uFFFD")
	argv := make([]string, len(r.Argv))
	for i, text := range r.Argv {
		argv[i] = word(text)
	}
	r.Argv = argv
	if r.Args != nil {
		r.Args, _ = mapStrings(r.Args, word).(map[string]any)
	}
}

// mapStrings returns a copy of v, a value decoded from JSON, with word applied to the strings in it.
// It shortens the keys of objects.
func mapStrings(v any, word func(string) string) any {
	switch v := v.(type) {
	case string:
		return word(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = mapStrings(e, word)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[runes.Clip(k, maxWord)] = mapStrings(e, word)
		}
		return out
	}
	return v
}

// The events of the log itself.
const (
	eventTorn     = "audit.torn"     // in the same line, the record follows an incomplete line
	eventBroken   = "audit.broken"   // the end of the file does not match the head
	eventHeadless = "audit.headless" // the head was missing
	eventLost     = "audit.lost"     // lines could not be written
	eventReopened = "audit.reopened"

	eventUnshipped = "audit.unshipped" // lines are missing in the fleet's stream
)

// A line is a Record with its position in the chain.
type line struct {
	Seq    int64  `json:"seq"`
	Time   string `json:"time"`
	Server string `json:"server"`
	Record
	Prev string `json:"prev"`
}

// A link is the number and the hash of a line, to which the next line is chained.
type link struct {
	seq  int64
	hash string
}

// noHash is the Prev of the first line of a log.
var noHash = strings.Repeat("0", 2*sha256.Size)

// A line ends with hashMember, its hash and lineEnd. tailLen is the length of these in bytes.
const (
	hashMember = `,"hash":"`
	lineEnd    = "\"}\n"
	tailLen    = len(hashMember) + 2*sha256.Size + len(lineEnd)
)

// encode returns the line that follows prev, and its link. If the line would be longer than maxLine,
// encode leaves out Argv and Input, and replaces Args by the length of the line without its hash.
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

// marshal is like json.Marshal, but does not escape HTML characters.
func marshal(v any) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, usualLine))
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// hashOf returns the hash of a line whose hash member was removed.
func hashOf(body, key []byte) string {
	if len(key) == 0 {
		return sumOf(body)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// decode decodes a line with its line feed, and returns its hash. If text is not a line of a log,
// hash is "". ok is false if text is not a line of a log or its hash is wrong. If text begins with an
// incomplete line, torn is the length of the incomplete line, and l is the eventTorn that follows it.
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

// decodeWhole is like decode, but accepts no incomplete line at the start of text.
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

// sumOf returns the SHA-256 of b in hexadecimal.
func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// actorKey is the context key for the Actor.
type actorKey struct{}

// WithActor returns a context whose actor is a.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf returns the actor of ctx, or the zero Actor if it has none.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
