// A typical Rust program without a framework: hyper on one thread, serde_json, and a mutex around a struct.
use std::net::SocketAddr;
use std::sync::Mutex;

use hyper::body::to_bytes;
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::service::{make_service_fn, service_fn};
use hyper::{Body, Method, Request, Response, Server, StatusCode};
use serde::Serialize;

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct Dish {
    id: &'static str,
    name: &'static str,
    is_favorite: bool,
    status: Status,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Status {
    InStock { quantity: u64 },
}

struct State {
    revision: u64,
    carbonara: Dish,
}

const PATH: &str = "/state/dishes/b10de400-0000-8000-8000-000000000001";
const QUANTITY: &str = "/state/dishes/b10de400-0000-8000-8000-000000000001/status/inStock/quantity";

static STATE: Mutex<State> = Mutex::new(State {
    revision: 0,
    carbonara: Dish {
        id: "b10de400-0000-8000-8000-000000000001",
        name: "🍝 Spaghetti Carbonara",
        is_favorite: false,
        status: Status::InStock { quantity: 1 },
    },
});

fn respond(revision: u64, value: &impl Serialize) -> Response<Body> {
    match serde_json::to_vec(value) {
        Ok(body) => Response::builder()
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header("state-revision", HeaderValue::from(revision))
            .body(Body::from(body))
            .expect("the header fields are valid"),
        Err(_) => reject(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn reject(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn get_dish() -> Response<Body> {
    let (revision, dish) = {
        let state = STATE.lock().unwrap();
        (state.revision, state.carbonara)
    };
    respond(revision, &dish)
}

fn set_quantity(body: &[u8]) -> Response<Body> {
    let quantity = match serde_json::from_slice(body) {
        Ok(quantity) => quantity,
        Err(_) => return reject(StatusCode::UNPROCESSABLE_ENTITY),
    };
    let revision = {
        let mut state = STATE.lock().unwrap();
        let status = Status::InStock { quantity };
        if state.carbonara.status != status {
            state.carbonara.status = status;
            state.revision += 1;
        }
        state.revision
    };
    respond(revision, &quantity)
}

async fn serve(request: Request<Body>) -> hyper::Result<Response<Body>> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, PATH) => Ok(get_dish()),
        (&Method::PATCH, QUANTITY) => Ok(set_quantity(&to_bytes(request.into_body()).await?)),
        _ => Ok(reject(StatusCode::NOT_FOUND)),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> hyper::Result<()> {
    let port = std::env::args().nth(1).and_then(|text| text.parse().ok()).expect("hyper PORT");
    Server::bind(&SocketAddr::from(([127, 0, 0, 1], port)))
        .http1_only(true)
        // Send the responses to pipelined requests in one write.
        .http1_pipeline_flush(true)
        .tcp_nodelay(true)
        .serve(make_service_fn(|_| async { hyper::Result::Ok(service_fn(serve)) }))
        .await
}
