"""The OpenAPI document as the page of the reference shows it: operations in groups, and schemas.

In: the document. Out: `Reference`. Nothing is written by hand here, so that page and API cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils.safestring import SafeString

from sharedtask.api.interface import api
from sharedtask.core.markdown import to_html

Json = Mapping[str, Any]
SCHEMAS = "#/components/schemas/"
PAGE = "Page_"


@dataclass(frozen=True, kw_only=True)
class Field:
    name: str
    type: str
    schema: str = ""
    """The name of the schema that the type refers to, if any."""
    where: str = ""
    is_required: bool = False
    description: str = ""
    """Safe HTML."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    id: str
    method: str
    path: str
    summary: str
    description: SafeString
    needs_token: bool
    parameters: tuple[Field, ...]
    body: tuple[Field, ...]
    responses: tuple[Field, ...]


@dataclass(frozen=True, kw_only=True)
class Reference:
    description: SafeString
    groups: Mapping[str, tuple[Operation, ...]]
    schemas: Mapping[str, tuple[Field, ...]]


@cache
def describe() -> Reference:
    document = api.get_openapi_schema()
    groups: dict[str, list[Operation]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            groups.setdefault(operation["tags"][0], []).append(describe_operation(path, method, operation))
    schemas = document["components"]["schemas"]
    return Reference(
        description=to_html(document["info"]["description"]),
        groups={tag: tuple(group) for tag, group in groups.items()},
        schemas={name: tuple(fields_of(schemas[name])) for name in sorted(schemas) if "_" not in name},
    )


def describe_operation(path: str, method: str, operation: Json) -> Operation:
    contents = operation.get("requestBody", {}).get("content", {})
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=to_html(operation.get("description", "")),
        needs_token=bool(operation.get("security")),
        parameters=tuple(
            Field(
                name=each["name"],
                where=each["in"],
                is_required=each.get("required", False),
                description=to_html(each.get("description") or each["schema"].get("description", "")),
                **type_of(each["schema"]),
            )
            for each in operation.get("parameters", ())
        ),
        body=tuple(field for kind, content in contents.items() for field in body_fields(kind, content)),
        responses=tuple(
            Field(
                name=str(status),
                description=to_html(response.get("description", "")),
                **response_type(response),
            )
            for status, response in operation["responses"].items()
        ),
    )


def body_fields(kind: str, content: Json) -> Iterator[Field]:
    schema = content["schema"]
    if "properties" in schema:
        yield from fields_of(schema)
    else:
        yield Field(name=kind, **type_of(schema))


def fields_of(schema: Json) -> Iterator[Field]:
    required = schema.get("required", ())
    for name, value in schema.get("properties", {}).items():
        yield Field(
            name=name,
            is_required=name in required,
            description=to_html(value.get("description", "")),
            **type_of(value),
        )


def response_type(response: Json) -> dict[str, Any]:
    for content in response.get("content", {}).values():
        return type_of(content["schema"])
    return {"type": "nothing"}


def type_of(schema: Json) -> dict[str, Any]:
    """In words, with the schema it refers to."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(SCHEMAS)
        if name.startswith(PAGE):
            # Every page of a list has the same fields, which the introduction explains.
            item = name.removeprefix(PAGE).removesuffix("_")
            return {"type": f"page of {item}", "schema": item}
        return {"type": name, "schema": name}
    for union in ("anyOf", "allOf", "oneOf"):
        if union in schema:
            parts = [type_of(part) for part in schema[union]]
            named = [part["schema"] for part in parts if part.get("schema")]
            return {
                "type": " or ".join(part["type"] for part in parts),
                "schema": named[0] if len(named) == 1 else "",
            }
    if schema.get("type") == "array":
        inner = type_of(schema.get("items", {}))
        return inner | {"type": f"list of {inner['type']}"}
    words = str(schema.get("format") or schema.get("type") or "any value")
    if "enum" in schema:
        words = " | ".join(str(value) for value in schema["enum"])
    return {"type": words}
