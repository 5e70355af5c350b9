// Everything that serving a model of your own needs, under one import.
@_exported public import BinderyCore
@_exported public import BinderyService
