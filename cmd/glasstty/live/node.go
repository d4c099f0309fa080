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
	State    string `json:"is"`             // one of the states below
	Self     bool   `json:"self,omitempty"` // the server that serves the page
	Sessions int    `json:"sessions"`
	Capacity int    `json:"capacity"`        // the maximum number of sessions
	About    string `json:"about,omitempty"` // version and labels
}

// The states of a node.
const (
	NodeHere        = "here"          // answers, and accepts new sessions
	NodeDraining    = "draining"      // answers, and accepts no new sessions
	NodeEmpty       = "empty"         // draining, and without sessions
	NodeUnreachable = "unreachable"   // does not answer, but may do so again
	NodeLost        = "lost"          // gone for good
	NodeOther       = "other version" // cannot be called, because its protocol differs
)

// CanConnect reports whether other servers can connect to the node's page.
func (n Node) CanConnect() bool {
	return n.State == NodeHere || n.State == NodeDraining || n.State == NodeEmpty
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
