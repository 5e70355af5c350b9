"""Generates a Python client from openapi.yaml with openapi-python-client, and uses it against a running server.

Usage: client.py OPENAPI-DOCUMENT SERVER-URL WORKING-DIRECTORY
"""

import datetime
import enum
import functools
import importlib
import inspect
import pathlib
import pkgutil
import subprocess
import sys
import types
import typing
import uuid

import yaml

document, server, work = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
package = work / "bindery_client"

# The client is generated again only if the document has changed. Formatting it would take most of the time.
copy = package / "openapi.yaml"
if not copy.exists() or copy.read_bytes() != document.read_bytes():
    configuration = work / "client.yaml"
    configuration.write_text("post_hooks: []\n")
    subprocess.run(
        [pathlib.Path(sys.executable).parent / "openapi-python-client", "generate", "--path", document,
         "--output-path", package, "--meta", "none", "--overwrite", "--config", configuration],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    copy.write_bytes(document.read_bytes())

sys.path.insert(0, str(work))
import bindery_client.models as models  # noqa: E402
from bindery_client import Client  # noqa: E402
from bindery_client.types import UNSET  # noqa: E402

client = Client(server, raise_on_unexpected_status=True)
api = importlib.import_module("bindery_client.api")
operations = {
    name.rsplit(".", 1)[1]: importlib.import_module(name)
    for _, name, is_package in pkgutil.walk_packages(api.__path__, "bindery_client.api.") if not is_package
}


def call(name, status, *path, **arguments):
    """Calls an operation and returns the parsed response; fails unless the response has the status."""
    response = operations[name].sync_detailed(*path, client=client, **arguments)
    assert response.status_code == status, f"{name}: {response.status_code} {response.content.decode()}"
    return response.parsed


# MARK: Each operation with a body can be called: the client sends the example of its schema as it is.

description = yaml.safe_load(document.read_text())


def resolve(node):
    """Returns the target of a reference, and other nodes unchanged."""
    while "$ref" in node:
        node = functools.reduce(lambda target, name: target[name], node["$ref"].split("/")[1:], description)
    return node


def candidates(annotation):
    """Returns the types in a type annotation."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [each for part in typing.get_args(annotation) for each in candidates(part)]
    return [annotation]


def convert(value, annotation):
    """Returns the example as a value of one of the types in the annotation."""
    for kind in candidates(annotation):
        if typing.get_origin(kind) is list and isinstance(value, list):
            return [convert(part, typing.get_args(kind)[0]) for part in value]
        if hasattr(kind, "from_dict") and isinstance(value, dict):
            try:
                return kind.from_dict(value)
            except (KeyError, TypeError, ValueError):
                continue
        if kind in (datetime.datetime, datetime.date):
            return kind.fromisoformat(value)
        if isinstance(value, str) and kind is uuid.UUID or kind is not typing.Any and issubclass(kind, enum.Enum):
            return kind(value)
        if kind is typing.Any or isinstance(value, kind):
            return value
    raise AssertionError(f"{annotation} has no value {value}")


sent = 0
for item in description["paths"].values():
    for operation in item.values():
        if not isinstance(operation, dict) or "requestBody" not in operation:
            continue
        name = "".join("_" + letter.lower() if letter.isupper() else letter for letter in operation["operationId"])
        module = next(module for key, module in operations.items() if key.replace("_", "") == name.replace("_", ""))
        (media, content), = resolve(operation["requestBody"])["content"].items()
        schema = resolve(content["schema"])
        # Only a plain boolean has no example.
        example = content.get("example", schema.get("examples", [True])[0])
        parameters = inspect.signature(module._get_kwargs).parameters
        body = convert(example, parameters["body"].annotation)
        path = {key: "x" for key, value in parameters.items() if value.kind is not value.KEYWORD_ONLY}
        request = module._get_kwargs(**path, body=body)
        assert request["headers"]["Content-Type"] == media, name
        # The client writes the same instant in another spelling.
        assert request["json"] == example or "T" in example and convert(request["json"], datetime.datetime) == body, name
        sent += 1

# MARK: The methods, against the server.

state = call("get_state", 200)
assert isinstance(state, models.Menu) and state.time == models.TimeCase.TONIGHT
dish = state.dishes[0]
assert isinstance(dish, models.Dish) and state.pinned_dish.name == dish.name

changed = call("patch_dish", 200, dish.id, body=models.DishPatch(is_favorite=True))
assert changed.is_favorite and changed.name == dish.name
sold_out = models.StatusOutOfStock(models.StatusOutOfStockPayload(is_on_back_order=True))
assert call("put_dish_status", 200, dish.id, body=sold_out) == sold_out
assert call("get_dish", 200, dish.id).status == sold_out
assert call("put_dish_name", 200, dish.id, body="Gnocchi") == "Gnocchi"

soup = call("add_dish", 201, body=models.DishInput(name="Soup"))
assert soup.status == models.StatusInStock(models.StatusInStockPayload(quantity=1))
call("patch_state", 200, body=[
    models.JSONPatchOperation(op=models.JSONPatchOperationOp.TEST, path="/pinnedID", value=str(dish.id)),
    models.JSONPatchOperation(op=models.JSONPatchOperationOp.REPLACE, path="/pinnedID", value=str(soup.id)),
    models.JSONPatchOperation(op=models.JSONPatchOperationOp.ADD, path="/dishes/-", value={"name": "Tea"}),
])
pinned = call("get_pinned_dish", 200)
assert isinstance(pinned, models.NullableDish) and pinned.id == soup.id
pinned = call("patch_pinned_dish", 200, body=models.NullableDishPatch(name="Hot soup"))
assert pinned.name == "Hot soup"
# httpx sends no body for None, so null is set with DELETE.
call("delete_pinned_dish", 204)
assert call("get_pinned_dish", 200) is None
call("put_editing", 200, body=models.OptionalDishInput(some=None))
assert call("get_editing", 200) == models.OptionalDish(some=None)
call("put_time", 200, body=models.TimeCase.TOMORROW)
dishes = call("get_dishes", 200)
assert [each.name for each in call("put_dishes", 200, body=dishes[::-1])] == [each.name for each in dishes][::-1]
call("delete_dish", 204, soup.id)
problem = operations["get_dish"].sync(soup.id, client=client)
assert isinstance(problem, models.Problem) and problem.type_ == "/problems/no-such-element"
problem = call("put_dish_name", 422, dish.id, body="")
assert problem.type_ == "/problems/invalid-value" and problem.current is UNSET

print(f"{sent} request bodies, {len(operations)} operations")
