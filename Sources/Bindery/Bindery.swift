// Everything that serving a model of your own needs, under one import.
@_exported public import Bindings
@_exported public import Serving
@_exported public import Shapes
@_exported public import State
@_exported public import Trees
