// A typical Rust program without a framework: hyper on one thread, with a body for each subscriber. Each body reads the
// newest value after a change, so a slow subscriber skips values.
use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::stream::unfold;
use hyper::body::{to_bytes, Bytes};
use hyper::header::{HeaderValue, ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use hyper::service::{make_service_fn, service_fn};
use hyper::{Body, Method, Request, Response, Server, StatusCode};
use serde_json::json;
use tokio::sync::watch;

const PATH: &str = "/state/dishes/b10de400-0000-8000-8000-000000000001";
const QUANTITY: &str = "/state/dishes/b10de400-0000-8000-8000-000000000001/status/inStock/quantity";

// The state after a change.
struct Version {
    number: u64,
    quantity: u64,
    body: Bytes,
    frame: Bytes,
}

impl Version {
    fn new(number: u64, quantity: u64) -> Self {
        let body = json!({
            "id": "b10de400-0000-8000-8000-000000000001", "name": "🍝 Spaghetti Carbonara", "isFavorite": false,
            "status": { "inStock": { "quantity": quantity } },
        });
        let frame = format!("id: {number}\ndata: {body}\n\n").into();
        Version { number, quantity, body: body.to_string().into(), frame }
    }
}

type Current = Arc<watch::Sender<Version>>;

fn response(content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

fn reject(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn get_dish(request: &Request<Body>, current: &Current) -> Response<Body> {
    let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.contains("text/event-stream") {
        return watch(current.subscribe());
    }
    response("application/json", current.borrow().body.clone().into())
}

// Streams the current value, then each change. If the send buffer is full, hyper queues at most a few frames and sends
// them in one write.
fn watch(current: watch::Receiver<Version>) -> Response<Body> {
    let frames = unfold((current, true), |(mut current, is_first)| async move {
        if !is_first {
            current.changed().await.ok()?;
        }
        let frame = current.borrow_and_update().frame.clone();
        Some((hyper::Result::Ok(frame), (current, false)))
    });
    let mut response = response("text/event-stream", Body::wrap_stream(frames));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn set_quantity(body: &[u8], current: &Current) -> Response<Body> {
    let quantity = match serde_json::from_slice(body) {
        Ok(quantity) => quantity,
        Err(_) => return reject(StatusCode::UNPROCESSABLE_ENTITY),
    };
    current.send_if_modified(|now| {
        let is_change = now.quantity != quantity;
        if is_change {
            *now = Version::new(now.number + 1, quantity);
        }
        is_change
    });
    response("application/json", quantity.to_string().into())
}

async fn serve(request: Request<Body>, current: Current) -> hyper::Result<Response<Body>> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, PATH) => Ok(get_dish(&request, &current)),
        (&Method::PATCH, QUANTITY) => Ok(set_quantity(&to_bytes(request.into_body()).await?, &current)),
        _ => Ok(reject(StatusCode::NOT_FOUND)),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> hyper::Result<()> {
    let port = std::env::args().nth(1).and_then(|text| text.parse().ok()).expect("fanout-hyper PORT");
    let current: Current = Arc::new(watch::channel(Version::new(0, 1)).0);
    Server::bind(&SocketAddr::from(([127, 0, 0, 1], port)))
        .http1_only(true)
        .tcp_nodelay(true)
        .serve(make_service_fn(move |_| {
            let current = current.clone();
            async move { hyper::Result::Ok(service_fn(move |request| serve(request, current.clone()))) }
        }))
        .await
}
