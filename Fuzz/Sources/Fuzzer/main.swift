import BinderyFuzzTargets
import CFuzzer

// fuzzer TARGET [what libFuzzer takes]: the first argument names what is fuzzed.

/// libFuzzer calls back without a context.
nonisolated(unsafe) private var target = FuzzTarget.exchange

guard CommandLine.arguments.count > 1, let named = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
  fatalError("a target comes first: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
}
unsafe target = named

// libFuzzer looks for its flags behind the name of the program.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv + 1
_ = unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, size in
  let input = unsafe Array(UnsafeBufferPointer(start: data, count: size))
  do throws(Finding) { try unsafe target.run(input) } catch { fatalError("\(error)") }
  return 0
}
