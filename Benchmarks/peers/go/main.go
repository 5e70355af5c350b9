// A typical Go program without a framework: net/http, encoding/json, and a mutex around a map of dishes.
//
//	go PORT [DISHES [SHA256]]
//
// With SHA256, requests need the bearer token with this digest. A version, an ETag and checks of values are included,
// but no schema, no history and no conditions on writes.
package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

type inStock struct {
	Quantity int `json:"quantity"`
}

type status struct {
	InStock inStock `json:"inStock"`
}

type dish struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	IsFavorite bool   `json:"isFavorite"`
	Status     status `json:"status"`
	etag       string
}

type changes struct {
	Name       *string `json:"name"`
	IsFavorite *bool   `json:"isFavorite"`
	Status     *status `json:"status"`
}

var (
	lock     sync.Mutex
	revision int
	dishes   = map[string]*dish{}
	token    []byte
	seed     = maphash.MakeSeed()

	errMissing = errors.New("no such dish")
)

// The content of a response, and what its header says about it.
type outcome struct {
	body     []byte
	etag     string
	revision int
	changed  string
}

func hash(json []byte) string {
	return `"` + strconv.FormatUint(maphash.Bytes(seed, json), 16) + `"`
}

func (c changes) validate() error {
	if c.Name != nil {
		length := utf8.RuneCountInString(*c.Name)
		if length > 100 || len(*c.Name) > 400 || strings.TrimSpace(*c.Name) == "" {
			return errors.New("expected a name of 1 to 100 characters")
		}
		if strings.IndexFunc(*c.Name, unicode.IsControl) >= 0 {
			return errors.New("expected a name without control characters")
		}
	}
	if c.Status != nil && c.Status.InStock.Quantity < 1 {
		return errors.New("expected a quantity of at least 1")
	}
	return nil
}

func (c changes) apply(to *dish) bool {
	before := *to
	if c.Name != nil {
		to.Name = *c.Name
	}
	if c.IsFavorite != nil {
		to.IsFavorite = *c.IsFavorite
	}
	if c.Status != nil {
		to.Status = *c.Status
	}
	return *to != before
}

func get(id string) (outcome, error) {
	lock.Lock()
	found := dishes[id]
	if found == nil {
		lock.Unlock()
		return outcome{}, errMissing
	}
	value, current := *found, revision
	lock.Unlock()
	body, err := json.Marshal(value)
	return outcome{body: body, etag: value.etag, revision: current}, err
}

func change(id string, c changes) (outcome, error) {
	if err := c.validate(); err != nil {
		return outcome{}, err
	}
	lock.Lock()
	defer lock.Unlock()
	found := dishes[id]
	if found == nil {
		return outcome{}, errMissing
	}
	result := outcome{changed: "?0"}
	hasChanged := c.apply(found)
	body, err := json.Marshal(*found)
	if err != nil {
		return outcome{}, err
	}
	if hasChanged {
		revision++
		found.etag = hash(body)
		result.changed = "?1"
	}
	result.body, result.etag, result.revision = body, found.etag, revision
	return result, nil
}

func patch(id string, isQuantity bool, body []byte) (outcome, error) {
	if !isQuantity {
		var c changes
		decoder := json.NewDecoder(strings.NewReader(string(body)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&c); err != nil {
			return outcome{}, err
		}
		return change(id, c)
	}
	var quantity int
	if err := json.Unmarshal(body, &quantity); err != nil {
		return outcome{}, err
	}
	result, err := change(id, changes{Status: &status{inStock{quantity}}})
	result.body = strconv.AppendInt(nil, int64(quantity), 10)
	result.etag = hash(result.body)
	return result, err
}

func respond(w http.ResponseWriter, r *http.Request, result outcome, err error) {
	if errors.Is(err, errMissing) {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	header := w.Header()
	header.Set("Etag", result.etag)
	header.Set("State-Revision", strconv.Itoa(result.revision))
	if result.changed != "" {
		header.Set("State-Changed", result.changed)
	} else if r.Header.Get("If-None-Match") == result.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Type", "application/json")
	w.Write(result.body)
}

// SHA-256 and a comparison in constant time, as for a token that is stored as a digest.
func isAuthorized(r *http.Request) bool {
	if token == nil {
		return true
	}
	value := r.Header.Get("Authorization")
	if !strings.HasPrefix(value, "Bearer ") {
		return false
	}
	digest := sha256.Sum256([]byte(value[len("Bearer "):]))
	return subtle.ConstantTimeCompare(digest[:], token) == 1
}

// Continues the trace of the request with a new span.
func trace(w http.ResponseWriter, r *http.Request) {
	text := r.Header.Get("Traceparent")
	if len(text) != 55 || !strings.HasPrefix(text, "00-") {
		return
	}
	var ids [24]byte
	if _, err := hex.Decode(ids[:16], []byte(text[3:35])); err != nil {
		return
	}
	if _, err := hex.Decode(ids[16:], []byte(text[36:52])); err != nil || ids == [24]byte{} {
		return
	}
	flags, err := strconv.ParseUint(text[53:], 16, 8)
	if err != nil {
		return
	}
	span := fmt.Sprintf("%s%016x-%02x", text[:36], rand.Uint64()|1, flags&3)
	w.Header().Set("Traceparent", span)
	w.Header().Set("Traceresponse", span)
}

func serve(w http.ResponseWriter, r *http.Request) {
	if !isAuthorized(r) {
		http.Error(w, "a token is required", http.StatusUnauthorized)
		return
	}
	trace(w, r)
	id := strings.TrimPrefix(r.URL.Path, "/state/dishes/")
	path := strings.TrimSuffix(id, "/status/inStock/quantity")
	switch {
	case r.Method == http.MethodGet && path == id:
		result, err := get(id)
		respond(w, r, result, err)
	case r.Method == http.MethodPatch:
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		result, err := patch(path, path != id, body)
		respond(w, r, result, err)
	default:
		http.Error(w, "GET and PATCH only", http.StatusMethodNotAllowed)
	}
}

func add(id, name string) {
	added := &dish{ID: id, Name: name, Status: status{inStock{1}}}
	body, err := json.Marshal(*added)
	if err != nil {
		log.Fatal(err)
	}
	added.etag = hash(body)
	dishes[id] = added
}

func main() {
	// The four dishes of the menu are one dish here, so that the others have the same numbers in all servers.
	add("b10de400-0000-8000-8000-000000000001", "🍝 Spaghetti Carbonara")
	if len(os.Args) > 2 {
		count, err := strconv.Atoi(os.Args[2])
		if err != nil {
			log.Fatal(err)
		}
		for number := 4; number < count; number++ {
			add(fmt.Sprintf("%08x-0000-8000-8000-000000000000", number), fmt.Sprintf("dish %d", number))
		}
	}
	if len(os.Args) > 3 {
		digest, err := hex.DecodeString(os.Args[3])
		if err != nil || len(digest) != sha256.Size {
			log.Fatal("expected a digest of 64 hexadecimal digits")
		}
		token = digest
	}
	http.HandleFunc("/state/dishes/", serve)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
