package fleet

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/share"
)

// TestLyingReplies checks that a node with a node's rights cannot disturb another node's stream
// or call. It guesses the other node's reply subjects from its own, and makes NATS send
// acknowledgements to them.
func TestLyingReplies(t *testing.T) {
	t.Parallel()
	oneFile, one := user(t, rights("one", true, false))
	twoFile, two := user(t, rights("two", true, false))
	gateFile, gateUser := user(t, rights("gate", false, true))
	adminFile, admin := user(t, nil)
	o := withRecords(t)
	o.Nkeys = []*server.NkeyUser{one, two, gateUser, admin}
	url := startNATS(t, o).ClientURL()
	connect := func(file, inbox string) *nats.Conn {
		t.Helper()
		key, err := nats.NkeyOptionFromSeed(file)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := nats.Connect(url, key, nats.CustomInboxPrefix(inbox), nats.Timeout(patience))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn
	}
	called, release := make(chan struct{}, 1), make(chan struct{})
	join(t, fleet.Options{URL: url, Creds: oneFile, Name: "one",
		Handle: func(_ context.Context, body []byte, _ int, _ func([]byte)) []byte {
			called <- struct{}{}
			<-release
			return body
		},
		HandleStream: func(conn net.Conn, _ string, _ []byte) { io.Copy(conn, conn) },
	})
	gate := join(t, fleet.Options{URL: url, Creds: gateFile, Name: "gate", Server: true, Audit: true})
	if err := gate.AwaitRecords(t.Context()); err != nil {
		t.Fatal(err)
	}

	liar := connect(twoFile, "_INBOX.two")
	heard := make(chan string, 100) // reply subjects of requests to the liar
	if _, err := liar.Subscribe("glasstty.to.two.>", func(msg *nats.Msg) {
		heard <- msg.Reply
		switch answer := nats.NewMsg(msg.Reply); {
		case strings.Contains(msg.Subject, ".who."):
			answer.Data = []byte(`{"name":"two","instance":"i1","protocol":1}`)
			liar.PublishMsg(answer)
		case strings.Contains(msg.Subject, ".call."):
			answer.Header.Set("Glasstty-Kind", "refused")
			liar.PublishMsg(answer)
		case strings.Contains(msg.Subject, ".stream."):
			answer.Data = append([]byte("e\x00\x00\x00\x00\x00\x00\x00\x00"), "no"...)
			liar.PublishMsg(answer)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := liar.Flush(); err != nil {
		t.Fatal(err)
	}
	real := make(chan string, 100) // reply subjects of the other node's streams, which the liar does not receive
	watcher := connect(adminFile, "_INBOX.admin")
	if _, err := watcher.Subscribe("glasstty.to.one.*.stream.>", func(msg *nats.Msg) { real <- msg.Reply }); err != nil {
		t.Fatal(err)
	}
	if err := watcher.Flush(); err != nil {
		t.Fatal(err)
	}
	ask := func() {
		t.Helper()
		if _, err := gate.Call(t.Context(), "two", "id", nil, nil); err == nil {
			t.Error("the liar's call succeeds, want an error")
		}
		if _, err := gate.Dial(t.Context(), "two", share.Owner{}, nil); err == nil {
			t.Error("the liar's stream opens, want an error")
		}
	}
	stream := func() net.Conn {
		t.Helper()
		conn, err := gate.Dial(t.Context(), "one", share.Owner{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	ask()
	conn := stream()
	answer := make(chan string, 1)
	go func() {
		got, err := gate.Call(t.Context(), "one", "id", []byte("hello"), nil)
		if err != nil {
			got = []byte(err.Error())
		}
		answer <- string(got)
	}()
	<-called
	ask()

	number := 0
	// misdirect makes NATS send the acknowledgement of the liar's message to reply.
	misdirect := func(reply string) {
		t.Helper()
		number++
		if err := liar.PublishRequest("glasstty.from.two.audit."+strconv.Itoa(number)+".0", reply, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for len(heard) > 0 {
		for _, guess := range likeReply(<-heard) {
			misdirect(guess)
		}
	}
	js, err := liar.JetStream(nats.MaxWait(patience))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish("glasstty.from.two.audit.0.0", nil); err != nil { // NATS acknowledges in order, so all earlier messages are done
		t.Fatal(err)
	}
	echo := func(conn net.Conn) error {
		if _, err := conn.Write([]byte("hello")); err != nil {
			return err
		}
		_, err := io.ReadFull(conn, make([]byte, len("hello")))
		return err
	}
	if err := echo(conn); err != nil {
		t.Errorf("the other node's stream ended: %v", err)
	}
	close(release)
	if got := <-answer; got != "hello" {
		t.Errorf("the call to the other node answers %q", got)
	}

	// With the right subject, the attack works: the stream ends.
	for len(real) > 0 {
		<-real
	}
	known := stream()
	misdirect(<-real)
	want := "the connection to node one broke: "
	if _, err := io.Copy(io.Discard, known); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("an acknowledgement on the stream's own subject: got error %v, want %q", err, want)
	}
}

// likeReply returns the subjects on which the node one may answer if two answers on reply.
func likeReply(reply string) (out []string) {
	last := strings.LastIndex(reply, ".") + 1
	stem, key := strings.Replace(reply[:last], ".from.two.", ".from.one.", 1), reply[last:]
	out = append(out, stem+key, stem+"who")
	for i := int64(-20); i <= 20; i++ {
		for _, base := range []int{10, 36} {
			n, err := strconv.ParseInt(key, base, 64)
			if err != nil {
				n = 0
			}
			text := strconv.FormatInt(n+i, base)
			out = append(out, stem+text, stem+strings.ToUpper(text))
		}
	}
	return out
}
