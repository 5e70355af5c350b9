import BinderyDigest
import BinderyJSON

/// A value with its shape.
private final class TypedValue<Value>: WatchedValue {
  private let value: Value
  private let shape: EditableShape<Value>

  init(_ value: Value, _ shape: EditableShape<Value>) {
    self.value = value
    self.shape = shape
  }

  override var elementCount: Int? { shape.elementCount(of: value) }

  override func digest(_ key: DigestKey) -> Digest { shape.digest(value, key) }

  override func encode(into writer: inout JSONWriter) { shape.encode(value, into: &writer) }

  override func patch(from old: WatchedValue, _ addressing: PatchBuilder.Addressing, atMost bytes: Int) -> [UInt8]? {
    guard let old = old as? TypedValue<Value> else { return nil }
    var difference = PatchBuilder(.shown, addressing, stoppingAt: bytes)
    shape.difference(from: old.value, to: value, &difference)
    return difference.isFull ? nil : difference.finish()
  }
}

extension EditableShape {
  /// Notifies the watchers of this value and of its parts.
  ///
  /// - Parameters:
  ///   - old: the value of the last notification, so that unchanged parts are skipped; nil to notify all watchers.
  ///   - new: the current value.
  ///   - watch: the node for this value.
  @usableFromInline
  package func observe(_ old: Value?, _ new: Value, _ watch: WatchNode) {
    if let old, areSame(old, new) { return }
    watch.watcher?.found(TypedValue(new, self))
    if !watch.children.isEmpty { operations.observe(old, new, watch) }
  }
}
