#if Macros
import SwiftSyntax

/// A stored property as a member of a shape.
struct StoredMember {
  private let property: Property
  private let reporter: Reporter

  init(_ property: Property, _ reporter: Reporter) {
    self.property = property
    self.reporter = reporter
  }

  /// Returns the expression that declares the member.
  func expression() -> String {
    let (name, json) = (property.name.plainText, property.jsonName.literal)
    let path = "\\.\(property.name.text)"
    let attributes = property.attributes
    requireAssignable()
    if attributes[.hidden] != nil {
      attributes.requireOnly([.hidden, .named], on: "a hidden member", reporter)
      return "StoredMember(hidden: \(json), \(path), default: \(requiredDefault))"
    }
    requireVisible()
    if property.isID {
      attributes.requireOnly([.id, .named], on: "an id, which is always read-only", reporter)
      let new = attributes[.id]?.argument("new")?.trimmedDescription ?? initialValue.map { "{ \($0) }" }
      return "StoredMember(\(json), id: \(path)" + (new.map { ", new: \($0)" } ?? "") + ")"
    }
    if attributes[.readOnly] != nil || property.isLet || property.hasRestrictedSetter {
      attributes.requireOnly([.readOnly, .named], on: "a read-only member", reporter)
      return "StoredMember(\(json), readOnly: \(path)" + (initialValue.map { ", default: \($0)" } ?? "") + ")"
    }
    attributes.requireOnly([.constrained, .named], on: "“\(name)”, which is stored", reporter)
    for attribute in attributes.all(.constrained) {
      guard let label = attribute.argument("of") else { continue }
      reporter.error(at: label, "`of:` names a payload of a case; leave it out for a property")
    }
    let values = [json, path] + attributes.constraints(of: nil) + (initialValue.map { ["default: \($0)"] } ?? [])
    return "StoredMember(\(values.joined(separator: ", ")))"
  }

  /// The initial value, which is the default in JSON.
  private var initialValue: String? { property.binding.initializer?.value.trimmedDescription }

  /// The initial value of a hidden member, which JSON never contains.
  private var requiredDefault: String {
    if let initialValue { return initialValue }
    let isOptional = property.type.map { $0.is(OptionalTypeSyntax.self) } ?? false
    let value = isOptional ? "nil" : "<#value#>"
    reporter.error(
      at: property.name,
      "the hidden member “\(property.name.plainText)” needs an initial value, because JSON never sets it",
      fix: .insert("add an initial value", " = \(value)", after: property.binding))
    return "<#value#>"
  }

  /// Reports a constant with an initial value, which nothing can set.
  private func requireAssignable() {
    guard property.isLet, property.binding.initializer != nil else { return }
    reporter.error(
      at: property.variable.bindingSpecifier,
      "“\(property.name.plainText)” always has its initial value, so it cannot be a member; make it `var` or `static`",
      fix: .replace("make it a variable", property.variable.bindingSpecifier, with: "var"))
  }

  /// Reports a private member, which would be served to everyone.
  private func requireVisible() {
    let modifier = property.variable.modifiers.first {
      ["private", "fileprivate"].contains($0.name.text) && $0.detail == nil
    }
    guard let modifier else { return }
    reporter.error(
      at: modifier,
      "“\(property.name.plainText)” is \(modifier.name.text), but clients could read it; mark it @Hidden, or remove "
        + "`\(modifier.name.text)`",
      fix: .replace("mark it @Hidden", modifier, with: "@Hidden \(modifier.name.text)"))
  }
}
#endif
