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
    let report = ImportReport()
    var root = try decode(text, report)
    if let imported = root, let current, report.count == 0, report.lacksHidden, !report.hasHidden {
      root = try keepingHidden(of: current, in: imported)
    }
    if let imported = root { root = settled(imported, report) }
    guard let root, report.count == 0 else { throw ImportError(report) }
    return root
  }

  /// - Returns: The state, possibly with errors in the report; nil if there is none.
  private func decode(_ text: [UInt8], _ report: ImportReport) throws(ImportError) -> Root? {
    do throws(RestoreError) {
      let node = try StoredPatch.parse(text)
      var decoding = Decoding(importing: report)
      do throws(ValidationError) { return try shape.decode(node, &decoding) } catch {
        report.record(error)
        return nil
      }
    } catch { throw ImportError(error) }
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
  private func settled(_ root: Root, _ report: ImportReport) -> Root {
    do throws(ValidationError) { try shape.check(root) } catch {
      report.record(error)
      return root
    }
    var settled = root
    do throws(InvalidState) { try settle(whole: &settled) } catch {
      report.record(ValidationError(.value, error.message).under(Pointer.segments(of: error.pointer) ?? []))
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
