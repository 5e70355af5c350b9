/// An error of your program that has a response of its own. An ``Endpoint`` that throws it answers with the response.
///
///     struct SoldOut: EndpointError {
///       var response: EndpointResponse { .problem(status: 409, detail: "There are no more portions today.") }
///     }
public protocol EndpointError: Error {
  /// The response for the client.
  var response: EndpointResponse { get }
}
