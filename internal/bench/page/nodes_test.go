package page

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// neighbours is a fleet whose only other answering node is a rig.
type neighbours struct {
	far   *rig
	nodes atomic.Pointer[[]live.Node]
}

// Nodes implements live.Fleet.
func (n *neighbours) Nodes(context.Context) ([]live.Node, error) { return *n.nodes.Load(), nil }

// Forward implements live.Fleet.
func (n *neighbours) Forward(w http.ResponseWriter, r *http.Request, v live.Visitor, node string) {
	to, err := url.Parse(n.far.url + "/" + v.Person.Name)
	if err != nil || node != "build7" {
		http.Error(w, "no such node", http.StatusBadGateway)
		return
	}
	proxy := httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(to)
		p.Out.Host = p.In.Host
		q := p.Out.URL.Query()
		q.Del("node")
		p.Out.URL.RawQuery = q.Encode()
	}}
	proxy.ServeHTTP(w, r)
}

// set sets the nodes of the fleet.
func (n *neighbours) set(nodes ...live.Node) { n.nodes.Store(&nodes) }

// holds waits until a condition on the page is true.
func holds(condition string) chromedp.Action {
	return chromedp.Poll(condition, nil, chromedp.WithPollingTimeout(patience))
}

// farCard is a JavaScript expression for the card of the session on the other node.
const farCard = `[...document.querySelectorAll('.card')].find((c) => c.innerText.includes('build7/bash'))`

// TestNodes checks a session of another node: typing, a held command and the history, and the
// node being frozen, continuing, being cut off, and leaving.
func TestNodes(t *testing.T) {
	r, far := newRig(t), newRig(t)
	fleet := &neighbours{far: far}
	self, there, gone := live.Node{Name: "desk", State: "here", Self: true}, live.Node{Name: "build7", State: "here"}, live.Node{Name: "old", State: "lost"}
	fleet.set(self, there, gone)
	r.fleet = fleet
	r.restart()
	r.start(t, "bash", "--norc")
	s := far.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), holds("!!"+farCard), holds(`[...document.querySelectorAll('.group')].some((g) => g.textContent.startsWith('build7'))`),
		holds(`document.getElementById('nodes-count').textContent === '3 nodes, old lost'`),
		chromedp.Evaluate(farCard+`.click()`, nil), holds(`document.getElementById('name').textContent === 'build7/bash'`),
		chromedp.Click("#take"), chromedp.WaitVisible("#typing"), chromedp.SendKeys("#typing", "echo $((6*7))\r"), shows("\n42"),
		chromedp.Click("#look"), chromedp.SendKeys("#query", "42\r"), holds(`document.getElementById('found').innerText.includes('1 line found')`),
		chromedp.Click("#close-history"), chromedp.Click("#give"), chromedp.WaitVisible("#note"), chromedp.Click("#ask-note button[type=submit]"),
		holds(`document.getElementById('holder').textContent === 'The agent has the keyboard.'`))

	if _, err := agentTypes(t, s, "echo forbidden"); err == nil {
		t.Fatal("the forbidden command was not held")
	}
	do(t, tab, holds(`document.getElementById('needs').innerText.includes('build7/bash wants to run a command')`),
		steady(), chromedp.Click("#ask-held button.main"), holds(`document.getElementById('ask-held').hidden`))

	do(t, tab, chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	far.conns.frozen.Lock()
	do(t, tab, holds(farCard+`.innerText.includes('no answer since')`), holds(`document.querySelectorAll('.away .card').length === 1`),
		holds(`document.getElementById('holder').textContent.startsWith('build7 does not answer.')`),
		holds(`document.getElementById('state').className === 'up'`))
	far.conns.frozen.Unlock()
	do(t, tab, holds(`!document.querySelector('.away .card')`), chromedp.SendKeys("#typing", "echo on-$((7*7))\r"), shows("\non-49"))
	far.conns.cut()
	do(t, tab, chromedp.SendKeys("#typing", "x"), holds(`!document.querySelector('.away .card')`), shows("\non-49"))

	fleet.set(self)
	do(t, tab, holds(farCard+`.disabled && `+farCard+`.innerText.includes('gone')`), holds(`document.getElementById('name').textContent === 'bash'`),
		chromedp.Click("#all"), holds("!"+farCard))
}

// TestManyNodes checks that the page shows the sessions of at most 100 nodes and says which
// are left out.
func TestManyNodes(t *testing.T) {
	r := newRig(t)
	fleet := &neighbours{far: r}
	nodes := make([]live.Node, 101)
	for i := range nodes {
		nodes[i] = live.Node{Name: fmt.Sprintf("n%d", i), State: "here"}
	}
	fleet.set(nodes...)
	r.fleet = fleet
	r.restart()
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), holds(`document.getElementById('nodes-count').textContent === '101 nodes'`),
		holds(`[...document.querySelectorAll('#node-list li')].filter((n) => n.textContent.includes('not shown')).length === 1`))
}
