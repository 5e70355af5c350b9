// A typical Go program without a framework: net/http, encoding/json, and a mutex around a struct.
package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
)

type status struct {
	InStock *inStock `json:"inStock,omitempty"`
}

type inStock struct {
	Quantity int `json:"quantity"`
}

type dish struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	IsFavorite bool   `json:"isFavorite"`
	Status     status `json:"status"`
}

const path = "/state/dishes/b10de400-0000-8000-8000-000000000001"

var (
	lock      sync.Mutex
	revision  int
	carbonara = dish{
		ID: "b10de400-0000-8000-8000-000000000001", Name: "🍝 Spaghetti Carbonara", Status: status{&inStock{1}},
	}
)

func respond(w http.ResponseWriter, revision int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("State-Revision", strconv.Itoa(revision))
	w.Write(body)
}

func getDish(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "GET only", http.StatusMethodNotAllowed)
		return
	}
	lock.Lock()
	value, current := carbonara, revision
	value.Status.InStock = &inStock{carbonara.Status.InStock.Quantity}
	lock.Unlock()
	respond(w, current, value)
}

func patchQuantity(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPatch {
		http.Error(w, "PATCH only", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	var value int
	if err := json.Unmarshal(body, &value); err != nil || value < 0 {
		http.Error(w, "not a quantity", http.StatusUnprocessableEntity)
		return
	}
	lock.Lock()
	if carbonara.Status.InStock.Quantity != value {
		carbonara.Status.InStock.Quantity = value
		revision++
	}
	current := revision
	lock.Unlock()
	respond(w, current, value)
}

func main() {
	http.HandleFunc(path, getDish)
	http.HandleFunc(path+"/status/inStock/quantity", patchQuantity)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
