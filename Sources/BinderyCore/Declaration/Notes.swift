/// The title and the description of a type or a member, for documentation.
@usableFromInline
package struct Notes: Sendable, Hashable {
  package var title: String?
  package var description: String?

  @usableFromInline
  package init(title: String? = nil, description: String? = nil) {
    self.title = title
    self.description = description
  }
}
