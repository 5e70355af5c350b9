extension ModelDefinition {
  /// Reads a state file: the storage format, or what a client reads at `/state`.
  ///
  /// Computed members may be there if they have the value that the stored members give; those that depend on hidden
  /// members which the file lacks are not compared. A file without any hidden member leaves those of `current`
  /// unchanged. Other missing members get their defaults.
  ///
  /// - Parameter current: The state that the file replaces; nil if there is none.
  /// - Throws: ``ImportError`` with all problems of the file.
  package func importing(_ text: [UInt8], replacing current: Root?) throws(ImportError) -> Root {
    let report = ValidationReport(of: .file)
    var root: Root?
    do throws(RestoreError) { root = try shape.restore(text, report) } catch { throw ImportError(error) }
    if let imported = root, let current, report.isEmpty, report.lacksHidden, !report.hasHidden {
      root = try keepingHidden(of: current, in: imported)
    }
    if let imported = root { root = settled(imported, report) }
    guard let root, report.isEmpty else { throw ImportError(report) }
    return root
  }

  /// Reads a stored state, which another version of the model may have written, and checks it.
  ///
  /// - Throws: ``RestoreError`` if the text is not JSON.
  /// - Returns: The state, and a report with all mistakes; without a state if there is a mistake.
  package func restoring(_ text: [UInt8]) throws(RestoreError) -> (root: Root?, report: ValidationReport) {
    let report = ValidationReport(of: .store)
    guard let root = try shape.restore(text, report) else { return (nil, report) }
    findDangling(in: root) { report.record($0, at: $1) }
    return (report.isEmpty ? root : nil, report)
  }

  /// Returns the imported state with the hidden members of the current one, as far as their structs are in both.
  private func keepingHidden(of current: Root, in imported: Root) throws(ImportError) -> Root {
    var root = current
    var difference = PatchBuilder(.stored, skippingHidden: true)
    shape.difference(from: current, to: imported, &difference)
    do throws(RestoreError) {
      try shape.restore(&root, try StoredPatch(parsing: difference.finish()))
    } catch { throw ImportError(error) }
    return root
  }

  /// Checks the rules of the model.
  ///
  /// - Returns: The state, in which the model may have changed hidden members that the file lacks.
  private func settled(_ root: Root, _ report: ValidationReport) -> Root {
    do throws(ValidationError) { try shape.check(root) } catch {
      report.record(error)
      return root
    }
    var hasDangling = false
    findDangling(in: root) { mistake, place in
      hasDangling = true
      report.record(mistake, at: place)
    }
    if hasDangling { return root }
    var settled = root
    do throws(InvalidState) { try settle(whole: &settled) } catch {
      report.record(error, at: error.pointer)
      return root
    }
    // An exported state is settled. An unrequested repair could hide a mistake in the file.
    var repair = PatchBuilder(.stored, skippingHidden: report.lacksHidden)
    shape.difference(from: root, to: settled, &repair)
    if repair.count > 0 {
      let patch = String(decoding: repair.finish(), as: UTF8.self)
      report.record(
        ValidationError(.value, "the model would change this state; make the change in the file first: \(patch)"))
    }
    return settled
  }
}

/// The problems of a state file, at most ``ValidationReport/maximumLines`` of them.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A line for each problem, which begins with a JSON Pointer into the file unless it concerns the whole file.
  package let description: String

  /// Creates the error for problems of the values in a file.
  init(_ report: ValidationReport) { description = report.lines.joined(separator: "\n") }

  /// Creates the error for a file that contains no JSON.
  init(_ error: RestoreError) {
    description = error.pointer.isEmpty ? error.reason : "\(error.pointer): \(error.reason)"
  }
}
