package httpserve

import "errors"

var (
	// ErrNoToken is returned by Listen if other machines could reach a server without a token.
	ErrNoToken = errors.New("a server that other machines can reach needs a token")
	// ErrInUse is returned by Listen if another process has the port.
	ErrInUse = errors.New("the port is taken")
)

// The reasons why calls are refused or end early. The client's model reads the texts.
var (
	errDropped  = errors.New("the connection was lost during this call; nothing that was typed is undone and no output is lost: carry on with wait_for")
	errDeleted  = errors.New("the client ended its MCP session during this call")
	errTooMany  = errors.New("too many calls of this client are waiting")
	errStopping = errors.New("the server is stopping")
	// errDisplaced ends an MCP session that makes room for another.
	errDisplaced = errors.New("the client has too many MCP sessions open: this one was ended for another")
)

// errNoSession is the answer to a client whose MCP session has ended.
var errNoSession = errors.New("no MCP session has this id: the server was restarted, or the session was ended or idle for too long; " +
	"initialize a new one; terminal sessions that still run have the same ids")

// The reasons why a server that requires no token refuses a request.
var (
	errOtherUser  = errors.New("without a token, only programs of this user are served")
	errSandboxed  = errors.New("without a token, programs that are or may be in a sandbox are not served; start the server with a token")
	errPeerClosed = errors.New("the request's sender has closed its connection")
	// errNotLocal is returned by lookupPeer if this machine's kernel lists no such socket.
	errNotLocal = errors.New("the other end of the connection is not on this machine")
)

// The reasons why a request to a server with tokens is refused. The client reads the texts.
var (
	errTooManyGuesses = errors.New("too many wrong tokens from this address; wait a moment")
	errNoLink         = errors.New("this browser is not let in: run glasstty link on the server's machine, or ask the person who runs the server, and open the link that it prints")
	errLink           = errors.New("the link is used, expired or unknown")
	errNoBearer       = errors.New(`a token is needed: send "Authorization: Bearer TOKEN"`)
	errUnknown        = errors.New("the token is not known here")
	errExpired        = errors.New("the token has expired; make a new one with glasstty token")
	errWithdrawn      = errors.New("the token was withdrawn, or its scope was changed")
)
