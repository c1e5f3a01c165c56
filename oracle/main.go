// Command oracle puts TiCDC's own classic codecs behind JSON lines: one request a line on stdin, one answer a line on
// stdout, in order. README.md has the form of the lines. Logs of TiCDC and TiDB go to stderr, and only with -v.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"

	"github.com/pingcap/log"
	"go.uber.org/zap/zapcore"
)

// request is one line of stdin. At most one of Decode, SQL, Bench, Inflate, Version is set; without any of them it is an encode request.
type request struct {
	ID json.RawMessage `json:"id"`
	encodeRequest
	Decode  *decodeRequest  `json:"decode"`
	SQL     *sqlRequest     `json:"sql"`
	Bench   *benchRequest   `json:"bench"`
	Inflate *inflateRequest `json:"inflate"`
	Version bool            `json:"version"`
}

// answer is one line of stdout. Error is about the whole request; what one event or message did is told beside it.
type answer struct {
	ID       json.RawMessage `json:"id"`
	Messages []messageOut    `json:"messages,omitempty"`
	Events   []*Event        `json:"events,omitempty"`
	Registry []schemaEntry   `json:"registry,omitempty"`
	Claims   []claimFile     `json:"claims,omitempty"`
	Bench    any             `json:"bench,omitempty"`
	Values   [][]byte        `json:"values,omitempty"`
	Version  any             `json:"version,omitempty"`
	Notes    []string        `json:"notes,omitempty"`
	Error    *string         `json:"error"`
}

func main() {
	// A set of our own: libraries put flags of theirs into the global one.
	flags := flag.NewFlagSet("oracle", flag.ExitOnError)
	verbose := flags.Bool("v", false, "write the logs of TiCDC and TiDB to stderr")
	_ = flags.Parse(os.Args[1:])

	answers, err := ownStdout()
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
	stdout := bufio.NewWriter(answers)
	if !*verbose {
		log.SetLevel(zapcore.FatalLevel) // a log.Panic still panics, which is how some codecs refuse
	}

	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	encoder := json.NewEncoder(stdout)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			if writeErr := encoder.Encode(serve(line)); writeErr != nil {
				fmt.Fprintln(os.Stderr, "oracle:", writeErr)
				os.Exit(1)
			}
			stdout.Flush()
		}
		if err != nil {
			if err != io.EOF {
				fmt.Fprintln(os.Stderr, "oracle:", err)
				os.Exit(1)
			}
			return
		}
	}
}

// serve answers one line. Nothing that happens in it ends the program, except a log.Fatal of TiCDC.
func serve(line []byte) (out answer) {
	out.ID = json.RawMessage("null")
	defer func() {
		if p := recover(); p != nil {
			message := fmt.Sprintf("panic: %v", p)
			out = answer{ID: out.ID, Error: &message}
			fmt.Fprintf(os.Stderr, "oracle: %s\n%s", message, debug.Stack())
		}
	}()
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		// Say which request it was, when at least that can be read.
		var only struct{ ID json.RawMessage }
		if json.Unmarshal(line, &only) == nil && only.ID != nil {
			out.ID = only.ID
		}
		message := "request: " + err.Error()
		out.Error = &message
		return out
	}
	if req.ID != nil {
		out.ID = req.ID
	}
	var err error
	switch {
	case req.Version:
		out.Version = versions()
	case req.Decode != nil:
		out.Events, err = decode(req.Decode)
	case req.SQL != nil:
		out.Events, err = runSQL(req.SQL)
	case req.Inflate != nil:
		out.Values, err = inflate(req.Inflate)
	case req.Bench != nil:
		out.Bench, err = bench(req.Bench)
	default:
		err = encode(&req.encodeRequest, &out)
	}
	if err != nil {
		message := err.Error()
		out.Error = &message
	}
	return out
}

// ownStdout keeps stdout for the answers: whatever the libraries print goes to stderr instead. Loggers made before main
// hold the file descriptor, so it is the descriptor that is exchanged.
func ownStdout() (*os.File, error) {
	kept, err := syscall.Dup(1)
	if err != nil {
		return nil, err
	}
	if err := syscall.Dup2(2, 1); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(kept), "answers"), nil
}

// versions tells what was built in.
func versions() map[string]string {
	out := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		out["go"] = info.GoVersion
		for _, dep := range info.Deps {
			if dep.Path == "github.com/pingcap/tiflow" || dep.Path == "github.com/pingcap/tidb" {
				out[dep.Path] = dep.Version
			}
		}
	}
	return out
}
