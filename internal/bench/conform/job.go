package conform

import (
	"encoding/base64"

	"github.com/glasstty/glasstty/internal/recording"
)

// aboveRows is how many rows of the scrollback are compared.
const aboveRows = 100

// A Job is a stream to replay.
type Job struct {
	Rows, Cols int
	Events     []recording.Event
}

// jobOf returns the stream of a recording.
func jobOf(r *recording.Recording) Job {
	return Job{r.Rows, r.Cols, r.Events}
}

// A Terminal replays a stream and returns its screen at each checkpoint.
type Terminal interface {
	Replay(Job) ([]Screen, error)
}

// wire is a Job in the form that headless.js reads.
type wire struct {
	Rows   int     `json:"rows"`
	Cols   int     `json:"cols"`
	Above  int     `json:"above"`
	Events [][]any `json:"events"`
}

func (j Job) wire() wire {
	w := wire{Rows: j.Rows, Cols: j.Cols, Above: aboveRows}
	for _, e := range j.Events {
		switch e.Kind {
		case recording.Output:
			w.Events = append(w.Events, []any{"o", base64.StdEncoding.EncodeToString(e.Data)})
		case recording.Resize:
			w.Events = append(w.Events, []any{"r", e.Rows, e.Cols})
		case recording.Checkpoint:
			w.Events = append(w.Events, []any{"m", e.Label})
		}
	}
	return w
}
