extension Duration {
  /// The duration, at least zero and at most a hundred years. Longer ones cannot be added to a time.
  var bounded: Duration { min(max(self, .zero), .seconds(36_525 * 86_400)) }
}
