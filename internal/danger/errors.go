package danger

import "errors"

// ErrRules is returned when a file of rules cannot be used.
var ErrRules = errors.New("rules of the danger check")
