// A typical Go program without a framework: net/http and a goroutine for each subscriber. Each goroutine reads the
// newest value after a change, so a slow subscriber skips values.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

const path = "/state/dishes/b10de400-0000-8000-8000-000000000001"

// The state after a change. Closing `changed` wakes all goroutines that wait for the next version.
type version struct {
	number   int
	quantity int64
	body     []byte
	frame    []byte
	changed  chan struct{}
}

var (
	lock    sync.Mutex // serializes writers
	current atomic.Pointer[version]
)

func newVersion(number int, quantity int64) *version {
	body, err := json.Marshal(map[string]any{
		"id": "b10de400-0000-8000-8000-000000000001", "name": "🍝 Spaghetti Carbonara", "isFavorite": false,
		"status": map[string]any{"inStock": map[string]any{"quantity": quantity}},
	})
	if err != nil {
		log.Fatal(err)
	}
	frame := []byte(fmt.Sprintf("id: %d\ndata: %s\n\n", number, body))
	return &version{number, quantity, body, frame, make(chan struct{})}
}

func getDish(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		watch(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(current.Load().body)
}

func watch(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		now := current.Load()
		if _, err := w.Write(now.frame); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		select {
		case <-now.changed:
		case <-r.Context().Done():
			return
		}
	}
}

func patchQuantity(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	var value int64
	if err := json.Unmarshal(body, &value); err != nil || value < 0 {
		http.Error(w, "not a quantity", http.StatusUnprocessableEntity)
		return
	}
	lock.Lock()
	before := current.Load()
	if before.quantity != value {
		current.Store(newVersion(before.number+1, value))
		close(before.changed)
	}
	lock.Unlock()
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, value)
}

func main() {
	current.Store(newVersion(0, 1))
	http.HandleFunc(path, getDish)
	http.HandleFunc(path+"/status/inStock/quantity", patchQuantity)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
