/// An object of a list, and the rest of the list.
///
/// A call of an element of an array retains the element, because something might change the array meanwhile. A constant
/// property of an object is not retained. Shapes call many members per request, and each count is an atomic operation.
///
/// The functions are recursive, because a loop over a variable would retain each object. A struct of a model file has
/// at most 10,000 members.
@usableFromInline
final class Chain<Object: AnyObject & Sendable>: Sendable {
  @usableFromInline let object: Object
  @usableFromInline let index: Int
  @usableFromInline let next: Chain?

  @inlinable
  init(_ object: Object, _ index: Int, _ next: Chain?) {
    self.object = object
    self.index = index
    self.next = next
  }

  /// Returns the chain of some objects, with their indices; nil if there are none.
  @inlinable
  static func of(_ objects: [Object]) -> Chain? {
    objects.enumerated().reversed().reduce(nil) { Chain($1.element, $1.offset, $0) }
  }

  /// Returns whether a condition holds for each object from an index on. It is not called after it did not hold.
  @inlinable
  func allSatisfy(from start: Int = 0, _ condition: (Object, Int) -> Bool) -> Bool {
    if index >= start, !condition(object, index) { return false }
    return next?.allSatisfy(from: start, condition) ?? true
  }

  /// Returns whether a condition holds for an object. It is not called for the objects after the first such one.
  @inlinable
  func contains(where condition: (Object) -> Bool) -> Bool {
    if condition(object) { return true }
    return next?.contains(where: condition) ?? false
  }

  /// Calls a function with the object at an index and returns its result; returns false if the chain is too short.
  @inlinable
  func at<Failure: Error>(_ index: Int, _ body: (Object) throws(Failure) -> Bool) throws(Failure) -> Bool {
    if index == self.index { return try body(object) }
    return try next?.at(index, body) ?? false
  }

  /// Calls a function with each object and its index.
  @inlinable
  func visit<Failure: Error>(_ body: (Object, Int) throws(Failure) -> Void) throws(Failure) {
    try body(object, index)
    try next?.visit(body)
  }
}
