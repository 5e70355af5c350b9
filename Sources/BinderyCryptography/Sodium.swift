import CBinderySodium

/// One-time initialization of libsodium.
///
/// `sodium_init` selects the implementations for this processor and opens the random source; it must run before any
/// other call, and is safe to run from several threads. It fails only if the kernel has no random source. Such a
/// process cannot create keys and must not continue.
enum Sodium {
  static let initialize: Void = {
    precondition(sodium_init() >= 0, "libsodium cannot be initialized: the kernel offers no random source")
  }()
}
