// The umbrella module: `import Bindery` imports everything needed to define and serve a model.
@_exported public import BinderyCore
@_exported public import BinderyService
