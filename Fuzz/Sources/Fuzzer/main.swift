import BinderyFuzzTargets
import CFuzzer

// Usage: Fuzzer TARGET [libFuzzer arguments]

/// The target to fuzz. Global, because libFuzzer's callback has no context argument.
nonisolated(unsafe) private var target = FuzzTarget.exchange

guard CommandLine.arguments.count > 1, let selected = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
  fatalError("expected a target as first argument: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
}
unsafe target = selected

// Drop the program name, so that the target takes its place: libFuzzer ignores the first argument.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv + 1
_ = unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, size in
  let input = unsafe Array(UnsafeBufferPointer(start: data, count: size))
  do throws(Finding) { try unsafe target.run(input) } catch { fatalError("\(error)") }
  return 0
}
