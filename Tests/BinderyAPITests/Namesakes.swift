import BinderyCore

/// A model in which many things have the same name, or one that means something elsewhere.
struct Namesakes: StateModel {
  var lunch = Identified(uniquing: [Dish(id: 1, kind: .cold)])
  var dinner = Identified(uniquing: [Dish(id: 2, kind: .warm)])
  var guest = Guest(kind: .adult, name: "Ada")
  var folder = Folder(title: "a", folder: Folder.Folder(title: "b", folder: Folder.Folder.Folder(title: "c")))
  var dishKind = "both"
  var state = "on"
  var history = "long"
  var service = "fast"
  var problem = Problem(text: "none")
  var dishInput = DishInput(isFree: true)
  var markup = "<u>"
  var size = 1
  var secret = 2

  /// Computed from a visible and a hidden member.
  var total: Int { size + secret }

  struct Dish: Hashable, Identifiable, Editable {
    let id: Int
    var kind: Kind

    enum Kind: String, CaseIterable, Editable {
      case cold, warm
      static let shape = EditableShape<Kind>.rawValues()
    }
    static let shape = EditableShape<Dish>.members(
      Dish.init, StoredMember("id", id: \.id), StoredMember("kind", \.kind, default: .cold))
  }

  struct Guest: Hashable, Editable {
    var kind: Kind
    var name: String

    enum Kind: String, CaseIterable, Editable {
      case child, adult
      static let shape = EditableShape<Kind>.rawValues()
    }
    static let shape = EditableShape<Guest>.members(
      Guest.init, StoredMember("kind", \.kind), StoredMember("name", \.name))
  }

  /// A type that looks recursive: its member has another type with the same name.
  struct Folder: Hashable, Editable {
    var title: String
    var folder: Folder

    struct Folder: Hashable, Editable {
      var title: String
      var folder: Folder

      struct Folder: Hashable, Editable {
        var title: String
        static let shape = EditableShape<Folder>.members(Folder.init, StoredMember("title", \.title))
      }
      static let shape = EditableShape<Namesakes.Folder.Folder>.members(
        Namesakes.Folder.Folder.init, StoredMember("title", \.title), StoredMember("folder", \.folder))
    }
    static let shape = EditableShape<Namesakes.Folder>.members(
      Namesakes.Folder.init, StoredMember("title", \.title), StoredMember("folder", \.folder))
  }

  /// Has the name of a schema that every document contains.
  struct Problem: Hashable, Editable {
    var text: String
    static let shape = EditableShape<Problem>.members(Problem.init, StoredMember("text", \.text))
  }

  /// Has the name of the schema of a new dish.
  struct DishInput: Hashable, Editable {
    var isFree: Bool
    static let shape = EditableShape<DishInput>.members(DishInput.init, StoredMember("isFree", \.isFree))
  }

  static let shape = EditableShape<Namesakes>.members(
    Namesakes.init(
      lunch:dinner:guest:folder:dishKind:state:history:service:problem:dishInput:markup:size:secret:),
    StoredMember("lunch", \.lunch),
    StoredMember("dinner", \.dinner),
    StoredMember("guest", \.guest),
    StoredMember("folder", \.folder),
    StoredMember("dishKind", \.dishKind),
    StoredMember("state", \.state),
    StoredMember("history", \.history),
    StoredMember("service", \.service),
    StoredMember("problem", \.problem),
    StoredMember("dishInput", \.dishInput),
    StoredMember("<script>&\"'`", \.markup),
    StoredMember("größe", \.size),
    StoredMember(hidden: "secret", \.secret, default: 2),
    computed: [ComputedMember("total", readOnly: \.total, from: \.size, \.secret)])
}
