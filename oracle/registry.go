package main

// What codecs want around them, in this process: a schema registry (Avro) and an object store (claim check).

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// schemaEntry is one registered schema.
type schemaEntry struct {
	ID      int    `json:"id"`
	Subject string `json:"subject"`
	Version int    `json:"version"`
	Schema  string `json:"schema"`
}

// claimFile is one claim-check file.
type claimFile struct {
	Name    string `json:"name"`
	Content []byte `json:"content"`
}

// services answer the codec of one stream. Ids start at 1, one per distinct subject and schema.
type services struct {
	registry *httptest.Server
	store    *httptest.Server

	mu      sync.Mutex
	entries []schemaEntry
	files   map[string][]byte
	written []string // names of files, as they came
	started time.Time
}

func startServices() *services {
	s := &services{files: map[string][]byte{}, started: time.Now()}
	s.registry = httptest.NewServer(http.HandlerFunc(s.serveRegistry))
	s.store = httptest.NewServer(http.HandlerFunc(s.serveStore))
	return s
}

func (s *services) close() {
	s.registry.Close()
	s.store.Close()
}

// load fills both before decoding.
func (s *services) load(entries []schemaEntry, files []claimFile) {
	s.entries = append(s.entries, entries...)
	for _, file := range files {
		s.files[file.Name] = file.Content
	}
}

func (s *services) schemas() []schemaEntry { return s.entries }

// claims are the files written, in order, with the clock set as in messages.
func (s *services) claims(st *stream) []claimFile {
	var out []claimFile
	for _, name := range s.written {
		content := s.files[name]
		if st.nowMs != 0 {
			content = st.setClaimClock(content, s.started)
		}
		out = append(out, claimFile{Name: name, Content: content})
	}
	return out
}

// setClaimClock is setClock for a file, whose message is base64 inside JSON unless claim-check-raw-value is on.
func (s *stream) setClaimClock(content []byte, start time.Time) []byte {
	var wrapped struct {
		Key   []byte `json:"key"`
		Value []byte `json:"value"`
	}
	if s.config.LargeMessageHandle.ClaimCheckRawValue || json.Unmarshal(content, &wrapped) != nil {
		return s.setClock(content, start)
	}
	wrapped.Value = s.setClock(wrapped.Value, start)
	out, err := json.Marshal(wrapped)
	if err != nil {
		return content
	}
	return out
}

// serveRegistry is as much of Confluent's registry as TiCDC talks to.
func (s *services) serveRegistry(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.Trim(r.URL.EscapedPath(), "/")
	parts := strings.Split(path, "/")
	switch {
	case path == "":
		fmt.Fprint(w, "{}")
	case r.Method == http.MethodPost && len(parts) == 3 && parts[0] == "subjects":
		subject, err := url.QueryUnescape(parts[1])
		var body struct {
			Schema string `json:"schema"`
		}
		if err == nil {
			err = json.NewDecoder(r.Body).Decode(&body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		version, id := 1, 1
		for _, entry := range s.entries {
			if entry.Subject == subject {
				if entry.Schema == body.Schema {
					fmt.Fprintf(w, `{"id":%d}`, entry.ID)
					return
				}
				version++
			}
			id = max(id, entry.ID+1)
		}
		s.entries = append(s.entries, schemaEntry{ID: id, Subject: subject, Version: version, Schema: body.Schema})
		fmt.Fprintf(w, `{"id":%d}`, id)
	case r.Method == http.MethodGet && len(parts) == 3 && parts[0] == "schemas" && parts[1] == "ids":
		id, _ := strconv.Atoi(parts[2])
		for _, entry := range s.entries {
			if entry.ID == id {
				_ = json.NewEncoder(w).Encode(map[string]any{"name": entry.Subject, "id": id, "schema": entry.Schema})
				return
			}
		}
		http.NotFound(w, r)
	default:
		http.NotFound(w, r)
	}
}

// claimURI points an s3 URI at the store in this process, so that messages name the location that was asked for and
// nothing leaves the machine. Other schemes (file) stay as they are.
func (s *services) claimURI(uri string) string {
	if !strings.HasPrefix(uri, "s3://") || strings.Contains(uri, "?") {
		return uri
	}
	query := url.Values{
		"endpoint": {s.store.URL}, "access-key": {"oracle"}, "secret-access-key": {"oracle"}, "region": {"us-east-1"},
		"force-path-style": {"true"}, "provider": {"minio"},
	}
	return uri + "?" + query.Encode()
}

// serveStore is as much of S3 as TiDB's storage layer talks to: put, get, head, and empty listings.
func (s *services) serveStore(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch r.Method {
	case http.MethodPut:
		content, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if _, again := s.files[name]; !again {
			s.written = append(s.written, name)
		}
		s.files[name] = content
		w.Header().Set("ETag", `"0"`)
	case http.MethodGet, http.MethodHead:
		if content, ok := s.files[name]; ok {
			http.ServeContent(w, r, name, time.Time{}, strings.NewReader(string(content)))
			return
		}
		if r.URL.Query().Has("list-type") || r.Method == http.MethodHead {
			fmt.Fprint(w, `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>`)
			return
		}
		http.NotFound(w, r)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// sortedNames is used where a map must be told in a fixed order.
func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
