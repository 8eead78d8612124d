"""Schemathesis's dependency inference over OpenAPI documents; runs in an environment of its own.

Reads {"documents": [OpenAPI, …]} on stdin, writes {"links": [[[from, to, parameter], …], …],
"seconds": …} on stdout. Operations are named by their operationId.
"""

import json
import sys
import time

import schemathesis
from schemathesis.specs.openapi.stateful.dependencies import analyze


def links_of(document: dict) -> tuple[list[list[str]], float]:
    by_reference = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            escaped = path.replace("~", "~0").replace("/", "~1")
            by_reference[f"#/paths/{escaped}/{method}"] = operation["operationId"]
    schema = schemathesis.openapi.from_dict(document)
    start = time.process_time()
    graph = analyze(schema)
    found = set()
    for response in graph.iter_links():
        producer = by_reference[response.producer_operation_ref]
        for link in response.links.values():
            consumer = by_reference[link.operation_ref]
            names = [
                name.split(".", 1)[-1] for name, value in link.parameters.items() if "$response" in str(value)
            ]
            body = link.request_body
            if isinstance(body, dict):
                names.extend(str(name) for name, value in body.items() if "$response" in json.dumps(value))
            elif body:
                names.append("")
            found.update((producer, consumer, name) for name in names)
    return sorted(map(list, found)), time.process_time() - start


def main() -> None:
    documents = json.load(sys.stdin)["documents"]
    links, seconds = [], 0.0
    for document in documents:
        found, spent = links_of(document)
        links.append(found)
        seconds += spent
    json.dump({"links": links, "seconds": seconds}, sys.stdout)


if __name__ == "__main__":
    main()
