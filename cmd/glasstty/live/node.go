package live

import (
	"context"
	"net/http"
)

// A Fleet reaches the pages of other servers.
type Fleet interface {
	// Nodes returns the servers that the sender of a request may see.
	Nodes(ctx context.Context) ([]Node, error)
	// Forward forwards a request of v to the page of a node.
	Forward(w http.ResponseWriter, r *http.Request, v Visitor, node string)
}

// A Node is a server of a fleet, as the page shows it.
type Node struct {
	Name     string `json:"name"`
	Is       string `json:"is"` // one of the states below
	Self     bool   `json:"self,omitempty"`
	Sessions int    `json:"sessions"`
	Capacity int    `json:"capacity"`
	About    string `json:"about,omitempty"` // its labels and version
}

// The states of a node.
const (
	NodeHere        = "here"
	NodeDraining    = "draining"      // it takes no new sessions
	NodeEmpty       = "empty"         // draining, and without sessions
	NodeUnreachable = "unreachable"   // it does not answer, and may come back
	NodeLost        = "lost"          // it is gone for good
	NodeOther       = "other version" // this server cannot call it
)

// CanConnect reports whether the page of the node can be reached.
func (n Node) CanConnect() bool {
	return n.Is == NodeHere || n.Is == NodeDraining || n.Is == NodeEmpty
}

// nodes serves the list of nodes, or null if the server is in no fleet.
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
