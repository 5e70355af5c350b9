// A typical Rust program without a framework: hyper on one thread, serde_json, and a mutex around a map of dishes.
//
//   hyper PORT [DISHES [SHA256]]
//
// With SHA256, requests need the bearer token with this digest. A version, an ETag and checks of values are included,
// but no schema, no history and no conditions on writes.
use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::hash::Hasher;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use hyper::body::to_bytes;
use hyper::header::{HeaderName, HeaderValue, AUTHORIZATION, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use hyper::service::{make_service_fn, service_fn};
use hyper::{Body, Method, Request, Response, Server, StatusCode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dish {
    id: String,
    name: String,
    is_favorite: bool,
    status: Status,
    #[serde(skip)]
    etag: u64,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Status {
    InStock { quantity: u64 },
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Changes {
    name: Option<String>,
    is_favorite: Option<bool>,
    status: Option<Status>,
}

struct State {
    revision: u64,
    dishes: HashMap<String, Dish>,
}

struct Service {
    state: Mutex<State>,
    token: Option<[u8; 32]>,
    next_span: AtomicU64,
}

struct Outcome {
    revision: u64,
    etag: u64,
    has_changed: Option<bool>,
    body: Vec<u8>,
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

impl Dish {
    fn new(id: String, name: String) -> Dish {
        let mut dish = Dish { id, name, is_favorite: false, status: Status::InStock { quantity: 1 }, etag: 0 };
        dish.etag = hash(&dish.json());
        dish
    }

    fn json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a dish is valid JSON")
    }

    // Returns whether the dish has changed.
    fn apply(&mut self, changes: Changes) -> bool {
        let mut has_changed = false;
        if let Some(name) = changes.name.filter(|name| *name != self.name) {
            self.name = name;
            has_changed = true;
        }
        if let Some(is_favorite) = changes.is_favorite.filter(|value| *value != self.is_favorite) {
            self.is_favorite = is_favorite;
            has_changed = true;
        }
        if let Some(status) = changes.status.filter(|status| *status != self.status) {
            self.status = status;
            has_changed = true;
        }
        has_changed
    }
}

impl Changes {
    fn is_valid(&self) -> bool {
        let is_named = self.name.as_ref().map_or(true, |name| {
            let is_text = !name.trim().is_empty() && !name.chars().any(char::is_control);
            is_text && name.len() <= 400 && name.chars().count() <= 100
        });
        is_named && self.status.map_or(true, |Status::InStock { quantity }| quantity >= 1)
    }
}

impl Service {
    fn get(&self, id: &str) -> Result<Outcome, StatusCode> {
        let state = self.state.lock().unwrap();
        let dish = state.dishes.get(id).ok_or(StatusCode::NOT_FOUND)?;
        Ok(Outcome { revision: state.revision, etag: dish.etag, has_changed: None, body: dish.json() })
    }

    fn patch(&self, id: &str, is_quantity: bool, body: &[u8]) -> Result<Outcome, StatusCode> {
        if !is_quantity {
            let changes = serde_json::from_slice(body).map_err(|_| StatusCode::UNPROCESSABLE_ENTITY)?;
            return self.change(id, changes, None);
        }
        let quantity = serde_json::from_slice(body).map_err(|_| StatusCode::UNPROCESSABLE_ENTITY)?;
        self.change(id, Changes { status: Some(Status::InStock { quantity }), ..Changes::default() }, Some(quantity))
    }

    // Changes a dish. The response is the quantity if only that was requested, otherwise the dish.
    fn change(&self, id: &str, changes: Changes, quantity: Option<u64>) -> Result<Outcome, StatusCode> {
        if !changes.is_valid() {
            return Err(StatusCode::UNPROCESSABLE_ENTITY);
        }
        let mut guard = self.state.lock().unwrap();
        let state = &mut *guard;
        let dish = state.dishes.get_mut(id).ok_or(StatusCode::NOT_FOUND)?;
        let has_changed = dish.apply(changes);
        let json = dish.json();
        if has_changed {
            state.revision += 1;
            dish.etag = hash(&json);
        }
        let (etag, body) = match quantity {
            Some(quantity) => {
                let body = quantity.to_string().into_bytes();
                (hash(&body), body)
            }
            None => (dish.etag, json),
        };
        Ok(Outcome { revision: state.revision, etag, has_changed: Some(has_changed), body })
    }

    // SHA-256 and a comparison in constant time, as for a token that is stored as a digest.
    fn admits(&self, request: &Request<Body>) -> bool {
        let expected = match &self.token {
            Some(expected) => expected,
            None => return true,
        };
        let value = request.headers().get(AUTHORIZATION).map_or(&b""[..], HeaderValue::as_bytes);
        value.strip_prefix(b"Bearer ").map_or(false, |token| {
            Sha256::digest(token).iter().zip(expected).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
        })
    }

    // Returns the trace context of the response: the trace of the request, and a new span.
    fn child_span(&self, parent: &HeaderValue) -> Option<HeaderValue> {
        let text = parent.to_str().ok().filter(|text| text.len() == 55 && text.starts_with("00-"))?;
        let trace = u128::from_str_radix(text.get(3..35)?, 16).ok().filter(|trace| *trace != 0)?;
        u64::from_str_radix(text.get(36..52)?, 16).ok().filter(|span| *span != 0)?;
        let flags = u8::from_str_radix(text.get(53..55)?, 16).ok()?;
        // SplitMix64: the multiplications distribute the bits of a counter.
        let mut span = self.next_span.fetch_add(0x9E3779B97F4A7C15, Ordering::Relaxed);
        span = (span ^ (span >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
        span = (span ^ (span >> 27)).wrapping_mul(0x94D049BB133111EB);
        HeaderValue::from_str(&format!("00-{:032x}-{:016x}-{:02x}", trace, (span ^ (span >> 31)) | 1, flags & 3)).ok()
    }

    async fn respond(&self, mut request: Request<Body>) -> hyper::Result<Response<Body>> {
        if !self.admits(&request) {
            return Ok(reject(StatusCode::UNAUTHORIZED));
        }
        let span = request.headers().get("traceparent").and_then(|parent| self.child_span(parent));
        let condition = request.headers_mut().remove(IF_NONE_MATCH);
        let body = std::mem::take(request.body_mut());
        let mut response = match (request.method(), resolve(request.uri().path())) {
            (&Method::GET, Some((id, false))) => respond(self.get(id), condition),
            (&Method::PATCH, Some((id, is_quantity))) => {
                respond(self.patch(id, is_quantity, &to_bytes(body).await?), None)
            }
            _ => reject(StatusCode::NOT_FOUND),
        };
        if let Some(span) = span {
            response.headers_mut().insert(HeaderName::from_static("traceparent"), span.clone());
            response.headers_mut().insert(HeaderName::from_static("traceresponse"), span);
        }
        Ok(response)
    }
}

fn respond(outcome: Result<Outcome, StatusCode>, condition: Option<HeaderValue>) -> Response<Body> {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(status) => return reject(status),
    };
    let etag = HeaderValue::from_str(&format!("\"{:016x}\"", outcome.etag)).expect("hexadecimal digits are valid");
    let is_match = condition.map_or(false, |condition| condition == etag);
    let mut response = Response::new(if is_match { Body::empty() } else { Body::from(outcome.body) });
    if is_match {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let fields = response.headers_mut();
    fields.insert(ETAG, etag);
    fields.insert(HeaderName::from_static("state-revision"), HeaderValue::from(outcome.revision));
    if let Some(has_changed) = outcome.has_changed {
        let value = HeaderValue::from_static(if has_changed { "?1" } else { "?0" });
        fields.insert(HeaderName::from_static("state-changed"), value);
    }
    if !is_match {
        fields.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    response
}

fn reject(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

// The id of the dish that a path addresses, and whether the path continues to its quantity.
fn resolve(path: &str) -> Option<(&str, bool)> {
    let rest = path.strip_prefix("/state/dishes/")?;
    match rest.strip_suffix("/status/inStock/quantity") {
        Some(id) => Some((id, true)),
        None => Some((rest, false)),
    }
}

fn digest(hex: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).expect("a digest has 64 hexadecimal digits");
    }
    bytes
}

// The four dishes of the menu are one dish here, so that the others have the same numbers in all servers.
fn dishes(count: u32) -> HashMap<String, Dish> {
    let carbonara = ("b10de400-0000-8000-8000-000000000001".to_string(), "🍝 Spaghetti Carbonara".to_string());
    let others = (4..count)
        .map(|number| (format!("{:08x}-0000-8000-8000-000000000000", number), format!("dish {}", number)));
    std::iter::once(carbonara).chain(others).map(|(id, name)| (id.clone(), Dish::new(id, name))).collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> hyper::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().and_then(|text| text.parse().ok()).expect("hyper PORT [DISHES [SHA256]]");
    let count = arguments.next().map_or(0, |text| text.parse().expect("DISHES is a number"));
    let service: &'static Service = Box::leak(Box::new(Service {
        state: Mutex::new(State { revision: 0, dishes: dishes(count) }),
        token: arguments.next().map(|hex| digest(&hex)),
        next_span: AtomicU64::new(0),
    }));
    Server::bind(&SocketAddr::from(([127, 0, 0, 1], port)))
        .http1_only(true)
        // Send the responses to pipelined requests in one write.
        .http1_pipeline_flush(true)
        .tcp_nodelay(true)
        .serve(make_service_fn(move |_| async move {
            hyper::Result::Ok(service_fn(move |request| service.respond(request)))
        }))
        .await
}
