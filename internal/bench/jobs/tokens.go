package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// encoding names the vocabulary that tokens are counted in: that of GPT-4o and
// its successors. Other models' differ by some percent, for all servers alike.
const encoding = "o200k_base"

// A counter counts tokens. It is safe for concurrent use.
type counter struct{ enc *tiktoken.Tiktoken }

// newCounter loads the vocabulary, which the loader has built in.
func newCounter() (counter, error) {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	enc, err := tiktoken.GetEncoding(encoding)
	if err != nil {
		return counter{}, fmt.Errorf("load the tokens of %s: %w", encoding, err)
	}
	return counter{enc}, nil
}

// text returns the number of tokens of s.
func (c counter) text(s string) int { return len(c.enc.EncodeOrdinary(s)) }

// call returns the number of tokens of a call as a model writes it: the tool's
// name and its arguments as JSON.
func (c counter) call(tool string, args map[string]any) (int, error) {
	data, err := compact(args)
	if err != nil {
		return 0, err
	}
	return c.text(tool) + c.text(data), nil
}

// compact returns args as JSON without blanks, as models write it.
func compact(args map[string]any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(args)
	return strings.TrimSuffix(b.String(), "\n"), err
}
