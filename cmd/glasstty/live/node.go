package live

import (
	"context"
	"net/http"
)

// A Fleet reaches the pages of other servers.
type Fleet interface {
	// Nodes returns the servers that the sender of a request may see.
	Nodes(ctx context.Context) ([]Node, error)
	// Forward has the page of a node serve a request of v.
	Forward(w http.ResponseWriter, r *http.Request, v Visitor, node string)
}

// A Node is a server of a fleet, as the page shows it.
type Node struct {
	Name     string `json:"name"`
	Is       string `json:"is"` // one of the words below
	Self     bool   `json:"self,omitempty"`
	Sessions int    `json:"sessions"`
	Capacity int    `json:"capacity"`
	About    string `json:"about,omitempty"` // its labels and version
}

// The states of a node.
const (
	NodeHere        = "here"
	NodeDraining    = "draining"      // it takes no new sessions
	NodeEmpty       = "empty"         // it has drained
	NodeUnreachable = "unreachable"   // it does not answer, and may come back
	NodeLost        = "lost"          // it does not come back
	NodeOther       = "other version" // this server cannot call it
)

// CanConnect reports whether the page of the node can be reached.
func (n Node) CanConnect() bool {
	return n.Is == NodeHere || n.Is == NodeDraining || n.Is == NodeEmpty
}

// nodes serves the list of nodes, null in a server of no fleet.
func (s *Server) nodes(w http.ResponseWriter, r *http.Request, _ Visitor) {
	var list []Node
	if s.opt.Fleet != nil {
		var err error
		if list, err = s.opt.Fleet.Nodes(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	answer(w, list)
}

// forward has a node serve a request.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, v Visitor, node string) {
	if s.opt.Fleet == nil {
		http.Error(w, "this server is in no fleet, so it reaches no other node", http.StatusNotFound)
		return
	}
	s.opt.Fleet.Forward(w, r, v, node)
}
