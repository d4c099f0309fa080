package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// bench runs what the options ask for and prints the table.
func bench(ctx context.Context, o options) error {
	if o.compare != "" {
		text, err := compare(o.compare)
		fmt.Print(text)
		return err
	}
	root, err := zooDir()
	if err != nil {
		return err
	}
	programs, err := readScripts(filepath.Join(root, "scripts"))
	if err != nil {
		return err
	}
	programs = peer.Pick(programs, func(p program) string { return p.name }, o.programs)
	scratch, err := os.MkdirTemp("", "zoo-bin-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	bin, err := buildPrograms(ctx, root, scratch)
	if err != nil {
		return err
	}
	if o.glasstty == "" && o.server == peer.Glasstty {
		o.glasstty = filepath.Join(scratch, "glasstty-under-test")
		if err := peer.Build(ctx, o.glasstty); err != nil {
			return err
		}
	}
	all, absent := visit(ctx, o, root, bin, programs)
	fmt.Print(table(all, absent))
	return save(o, all)
}

// visit runs the programs at their places and returns all outcomes in order, and
// what could not be run for want of something.
func visit(ctx context.Context, o options, root, bin string, programs []program) ([]outcome, []string) {
	var absent []string
	var runs []*run
	for _, p := range programs {
		if need := missing(root, bin, p); need != "" {
			absent = append(absent, fmt.Sprintf("%s: %s is not installed", p.name, need))
			continue
		}
		for _, place := range p.places {
			if o.places == "" || slices.Contains(strings.Split(o.places, ","), place) {
				runs = append(runs, &run{o: o, root: root, bin: bin, prog: p, place: place})
			}
		}
	}
	results := make([][]outcome, len(runs))
	var wg sync.WaitGroup
	work := make(chan int)
	for range o.lanes {
		wg.Go(func() {
			for i := range work {
				results[i] = runs[i].all(ctx)
				fmt.Fprintf(os.Stderr, "%s %s: %s\n", runs[i].prog.name, runs[i].place, marks(results[i]))
			}
		})
	}
	for i := range runs {
		work <- i
	}
	close(work)
	wg.Wait()
	return slices.Concat(results...), absent
}

// zooDir returns the directory of the scripts and programs.
func zooDir() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/glasstty/glasstty/internal/bench/zoo").Output()
	if err != nil {
		return "", fmt.Errorf("find the zoo; run it inside the repository: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// buildPrograms builds the Go programs of the zoo, unless ZOO_BIN says where they
// are.
func buildPrograms(ctx context.Context, root, scratch string) (string, error) {
	if bin := os.Getenv("ZOO_BIN"); bin != "" {
		return bin, nil
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", scratch, "./...", "github.com/charmbracelet/gum", "github.com/junegunn/fzf")
	cmd.Dir = filepath.Join(root, "go")
	cmd.Env = append(os.Environ(), "GOWORK=off") // a module of its own
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the zoo's Go programs: %w: %s", err, out)
	}
	return scratch, nil
}

// save writes the outcomes to the files that the options name.
func save(o options, all []outcome) error {
	if o.log != "" {
		if err := os.WriteFile(o.log, []byte(findings(all)), 0o644); err != nil {
			return err
		}
	}
	if o.data == "" {
		return nil
	}
	data, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.data, data, 0o644)
}
