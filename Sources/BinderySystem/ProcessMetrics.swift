import CBinderyLinux

/// A sample of the resource usage of this process.
package struct ProcessMetrics: Sendable {
  package let residentBytes: Int
  package let virtualBytes: Int
  package let openDescriptors: Int
  package let maximumDescriptors: Int
  /// The CPU time in user space and in the kernel.
  package let cpuNanoseconds: Int
  package let threads: Int
  /// The start time of the process, in milliseconds since 1970-01-01 in UTC.
  package let startMilliseconds: Int64

  /// Reads the values from the kernel. A value that cannot be read is 0.
  package init() {
    // Sizes in pages: total, resident, … (proc(5)).
    let pages = Self.read("/proc/self/statm").split(separator: UInt8(ascii: " ")).map(Self.number)
    let page = sysconf(Int32(_SC_PAGESIZE))
    virtualBytes = pages.count > 1 ? pages[0] * page : 0
    residentBytes = pages.count > 1 ? pages[1] * page : 0
    openDescriptors = Self.countDescriptors()
    maximumDescriptors = Self.descriptorLimit
    cpuNanoseconds = Self.cpuTime
    threads = Self.statusField(20)
    startMilliseconds = Self.startMilliseconds
  }

  /// Computed once, because a difference of two clocks is not the same each time, and dashboards take another value for
  /// a restart.
  private static let startMilliseconds: Int64 = {
    let age = Clock.bootMilliseconds - Int64(statusField(22)) * 1_000 / ticks
    return Clock.wallMilliseconds - age
  }()

  /// Returns a field of the status of this process, counted from 1 (proc(5)); 0 if it cannot be read.
  ///
  /// Field 2, the command name, may contain spaces and parentheses, so the fields are counted from the last
  /// parenthesis.
  private static func statusField(_ field: Int) -> Int {
    let status = read("/proc/self/stat")
    let suffix = status[(status.lastIndex(of: UInt8(ascii: ")")) ?? status.startIndex)...]
    let fields = suffix.split(separator: UInt8(ascii: " "))
    return fields.count > field - 2 ? number(fields[field - 2]) : 0
  }

  /// The number of clock ticks per second.
  private static var ticks: Int64 { Int64(max(1, sysconf(Int32(_SC_CLK_TCK)))) }

  private static func read(_ path: String) -> [UInt8] { (try? File.bytes(of: path)) ?? [] }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int {
    digits.prefix { (0x30...0x39).contains($0) }.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) }
  }

  private static func countDescriptors() -> Int {
    // Since Linux 6.2 the size of the directory is the number of descriptors; before, it is 0.
    if let size = FileStatus.size("/proc/self/fd"), size > 0 { return size }
    guard let directory = unsafe opendir("/proc/self/fd") else { return 0 }
    defer { _ = unsafe closedir(directory) }
    var count = 0
    while unsafe CBinderyLinux.readdir(directory) != nil { count += 1 }
    // Without `.`, `..` and the descriptor of the directory itself.
    return max(0, count - 3)
  }

  /// The maximum number of file descriptors of this process (getrlimit(2)).
  package static var descriptorLimit: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return Int(clamping: limit.rlim_cur)
  }

  private static var cpuTime: Int {
    var usage = rusage()
    guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + $1.tv_sec * 1_000_000_000 + Int($1.tv_usec) * 1_000 }
  }
}
