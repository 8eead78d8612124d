"""A model server for tests and for driving the Atlas by hand: real sockets, scripted answers and faults.

It speaks Anthropic's Messages API below `/`, and the OpenAI chat protocol below `/openai/v1`,
`/gemini/v1beta/openai` and `/openrouter/api/v1`. What it answers about a consumer comes from a `Brain`:
any function from the question to a list of edges. Faults are scripted a consumer (or `*`), used up one a
request. It keeps every request it saw.

By hand: `python -m tests.semantic.model_server --replies ../shared/reference/replies.json` prints the
variables to set, and serves until Ctrl-C.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Protocol = Literal["anthropic", "openai", "gemini", "openrouter"]

Fault = Literal[
    "401", "402", "403", "404", "413", "429", "quota", "500", "529", "400 format", "400", "hang", "drop",
    "redirect", "not json", "html", "other shape", "prose", "fenced", "cut", "cut early", "length",
    "invented", "empty list", "empty", "broken", "bare list", "refusal",
]  # fmt: skip

PREFIXES: dict[Protocol, str] = {
    "anthropic": "",
    "openai": "/openai/v1",
    "gemini": "/gemini/v1beta/openai",
    "openrouter": "/openrouter/api/v1",
}


@dataclass(frozen=True)
class Seen:
    """One request as it arrived. `prompt` is rules, catalog and consumer as one text."""

    protocol: Protocol
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    consumer: str
    model: str
    rules: str
    user: str
    turns: int

    @property
    def shared(self) -> str:
        """The user's text up to the end of the catalog."""
        return self.user[: self.user.find("</catalog>") + len("</catalog>")]

    @property
    def own(self) -> str:
        return self.user[len(self.shared) :]

    @property
    def producers(self) -> tuple[str, ...]:
        """The slugs shown in the catalog, in their order."""
        lines = self.shared.partition("<catalog>\n")[2].splitlines()
        return tuple(json.loads(line)["tool"] for line in lines if line.startswith("{"))


Brain = Callable[[Seen], Sequence[Mapping[str, Any]]]


def no_edges(seen: Seen) -> list[dict[str, Any]]:
    return []


def from_replies(path: Path) -> Brain:
    """A brain that answers from a file: a JSON object from consumer slug to its list of edges."""
    replies: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
    return lambda seen: replies.get(seen.consumer, [])


def tokens_of(text: str) -> int:
    return -(-len(text) // 4)


@dataclass
class ModelServer:
    """The server; start it with `with model_server(...) as server`."""

    brain: Brain = no_edges
    faults: dict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))
    latency: float = 0.0
    models: tuple[str, ...] = ("test-model",)
    retry_after: str = "0.01"
    seen: list[Seen] = field(default_factory=list)
    open_now: int = 0
    open_most: int = 0
    port: int = 0
    extra_headers: dict[str, str] = field(default_factory=dict)
    model_faults: dict[str, Fault] = field(default_factory=dict)
    on_request: Callable[[Seen], None] | None = None
    keep: bool = True
    answers: dict[str, str] = field(default_factory=dict)
    files: list[bytes] = field(default_factory=list)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    batch_polls: int = 1
    batch_faults: list[str] = field(default_factory=list)
    batched: int = 0
    on_batch: Callable[[str], None] | None = None
    requests: int = 0
    answered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    gate: int = 0
    """After the first answer none is given until this many requests are open at once."""
    _gate: asyncio.Event = field(default_factory=asyncio.Event)
    _warm: set[str] = field(default_factory=set)
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def base_url(self, protocol: Protocol) -> str:
        return self.url + PREFIXES[protocol]

    def environ(self, protocol: Protocol, key: str = "sk-test-secret-000") -> dict[str, str]:
        """The variables that make the Atlas ask this server by that protocol."""
        name = protocol.upper()
        return {f"{name}_API_KEY": key, f"{name}_BASE_URL": self.base_url(protocol)}

    # ---- HTTP, as little of it as the SDKs need

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while await self._one_request(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _one_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request, *lines = head.split("\r\n")
        method, path, _ = request.split(" ", 2)
        headers = {
            k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.open_now += 1
        self.open_most = max(self.open_most, self.open_now)
        try:
            reply = await self._reply(method, path, headers, body)
        finally:
            self.open_now -= 1
        if reply is None:
            return False
        status, extra, payload = reply
        out = [f"HTTP/1.1 {status} X", f"content-length: {len(payload)}"]
        sent = {"content-type": "application/json", **self.extra_headers, **extra}
        out += [f"{k}: {v}" for k, v in sent.items()]
        writer.write("\r\n".join(out).encode() + b"\r\n\r\n" + payload)
        await writer.drain()
        return True

    async def _reply(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes] | None:
        protocol = next(
            (p for p, prefix in PREFIXES.items() if prefix and path.startswith(prefix)), "anthropic"
        )
        if method == "GET" and path.endswith("/models"):
            listed = [{"id": m, "object": "model", "created": 0, "owned_by": "x"} for m in self.models]
            return 200, {}, json.dumps({"object": "list", "data": listed}).encode()
        if "/batches" in path or "/files" in path:
            return self._batch_call(protocol, method, path, headers, body)
        if method != "POST" or not path.endswith(("/chat/completions", "/v1/messages")):
            return 404, {}, b'{"error": {"message": "no such place"}}'
        seen = read_request(protocol, path, headers, json.loads(body))
        self.requests += 1
        if self.keep:
            self.seen.append(seen)
        if self.on_request is not None:
            self.on_request(seen)
        if self.latency:
            await asyncio.sleep(self.latency)
        if self.gate and self.answered:
            if self.open_now >= self.gate:
                self._gate.set()
            await self._gate.wait()
        fault = self.model_faults.get(seen.model)
        for scripted in (self.faults.get(seen.consumer), self.faults.get("*")):
            if fault is None and scripted:
                fault = scripted.pop(0)
        if fault in ("hang", "drop"):
            if fault == "hang":
                await asyncio.Event().wait()
            return None
        if fault is not None and (refused := self._refusal(fault, seen)) is not None:
            return refused
        return 200, {}, json.dumps(self._answer(seen, fault)).encode()

    # ---- batches: kept in memory, ended after `batch_polls` looks

    def _batch_call(
        self, protocol: Protocol, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        place = path.partition("?")[0].removeprefix(PREFIXES[protocol]).strip("/").split("/")
        place = place[1:] if place[0] == "v1" else place
        if method == "POST" and self.batch_faults:
            return error_body(protocol, int(self.batch_faults.pop(0)), "scripted")
        if place == ["files"] and method == "POST":
            self.files.append(_uploaded(body))
            return 200, {}, json.dumps(_file(len(self.files) - 1)).encode()
        if place[0] == "files":
            return 200, {}, self.files[int(place[1].removeprefix("file-"))]
        name = place[-1] if place[-1] not in ("batches", "results") else ""
        if method == "POST":
            value = json.loads(body)
            batch_id = f"batch_{len(self.batches)}"
            if protocol == "openai":
                lines = self.files[int(value["input_file_id"].removeprefix("file-"))].decode().splitlines()
                requests = [json.loads(line) for line in lines]
            else:
                requests = value["requests"]
            self.batches[batch_id] = {"requests": requests, "looks": 0, "metadata": value.get("metadata")}
            self.batched += len(requests)
            if self.on_batch is not None:
                self.on_batch(batch_id)
            name = batch_id
        if place[-1] == "results":
            lines = [json.dumps(line) for line in self._batch_lines(protocol, place[-2], headers)]
            return 200, {"content-type": "application/x-jsonl"}, "\n".join(lines).encode()
        if not name:
            listed = [self._batch_state(protocol, batch_id, headers) for batch_id in reversed(self.batches)]
            return 200, {}, json.dumps({"data": listed, "has_more": False, "object": "list"}).encode()
        if name not in self.batches:
            return error_body(protocol, 404, "no such batch")
        self.batches[name]["looks"] += method == "GET"
        return 200, {}, json.dumps(self._batch_state(protocol, name, headers)).encode()

    def _batch_state(self, protocol: Protocol, batch_id: str, headers: Mapping[str, str]) -> dict[str, Any]:
        batch = self.batches[batch_id]
        ended = batch["looks"] >= self.batch_polls
        count = len(batch["requests"])
        if protocol == "anthropic":
            done = {"processing": 0, "succeeded": count} if ended else {"processing": count, "succeeded": 0}
            return {
                "id": batch_id, "type": "message_batch", "created_at": "2026-01-01T00:00:00Z",
                "expires_at": "2026-01-02T00:00:00Z", "ended_at": None, "archived_at": None,
                "cancel_initiated_at": None, "processing_status": "ended" if ended else "in_progress",
                "request_counts": {**done, "errored": 0, "canceled": 0, "expired": 0},
                "results_url": f"{self.url}/v1/messages/batches/{batch_id}/results" if ended else None,
            }  # fmt: skip
        state: dict[str, Any] = {
            "id": batch_id, "object": "batch", "created_at": 0, "completion_window": "24h",
            "endpoint": "/v1/chat/completions", "input_file_id": "file-0", "metadata": batch["metadata"],
            "status": "completed" if ended else "in_progress",
        }  # fmt: skip
        if ended:
            if "output" not in batch:
                lines = self._batch_lines(protocol, batch_id, headers)
                self.files.append("\n".join(json.dumps(line) for line in lines).encode())
                batch["output"] = f"file-{len(self.files) - 1}"
            state["output_file_id"] = batch["output"]
        return state

    def _batch_lines(
        self, protocol: Protocol, batch_id: str, headers: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        lines: list[dict[str, Any]] = []
        for request in self.batches[batch_id]["requests"]:
            body = request["params"] if protocol == "anthropic" else request["body"]
            seen = read_request(protocol, "batch", headers, body)
            if self.keep:
                self.seen.append(seen)
            scripted = self.faults.get(seen.consumer)
            fault = scripted.pop(0) if scripted else None
            failed = fault is not None and fault[:3].isdigit()
            answer = {} if failed else self._answer(seen, fault)
            line: dict[str, Any] = {"custom_id": request["custom_id"]}
            if protocol == "anthropic":
                error = {"type": "error", "error": {"type": "api_error", "message": "scripted"}}
                line["result"] = (
                    {"type": "errored", "error": error}
                    if failed
                    else {"type": "succeeded", "message": answer}
                )
            else:
                status = int(str(fault)[:3]) if failed else 200
                line["response"] = {"status_code": status, "request_id": "r", "body": answer}
            lines.append(line)
        return lines[::-1]

    def _refusal(self, fault: Fault, seen: Seen) -> tuple[int, dict[str, str], bytes] | None:
        key = seen.headers.get("x-api-key") or seen.headers.get("authorization", "")
        if fault == "redirect":
            return 307, {"location": "http://127.0.0.1:9/stolen"}, b""
        if fault == "not json":
            return 200, {}, b"<html>busy</html>"
        if fault == "html":
            return 200, {"content-type": "text/html"}, b"<html>busy</html>"
        if fault == "other shape":
            return 200, {}, b'{"error": {"code": 503, "message": "no instance"}}'
        if fault == "400 format":
            asks = "response_format" in seen.body or "output_config" in seen.body
            return error_body(seen.protocol, 400, "this model has no such output format") if asks else None
        if fault == "quota":
            return error_body(
                seen.protocol, 429, "insufficient_quota: you used up your quota", {"retry-after": "0"}
            )
        if fault[:3].isdigit():
            status = int(fault[:3])
            # the SDKs wait half a second where nothing is said
            extra = {"retry-after": self.retry_after if status in (429, 529) else "0.01"}
            return error_body(seen.protocol, status, f"scripted failure, your key was {key}", extra)
        return None

    def _answer(self, seen: Seen, fault: Fault | None) -> dict[str, Any]:
        edges = [full_edge(e) for e in self.brain(seen)]
        if fault == "invented":
            edges += [full_edge({"from": "nowhere::invented_tool", "consumes": "id"})]
            edges += [full_edge({"from": seen.consumer, "consumes": "path"})]
        text = {
            "prose": f"Let me think. Here {{is}} what I found:\n{answer_text(edges)}\nI hope [this] helps!",
            "fenced": f"```json\n{answer_text(edges)}\n```",
            "cut": answer_text(edges)[: max(answer_text(edges).rfind('"reason"'), 20)],
            "cut early": '{"edges": [{"from": "files',
            "invented": answer_text(edges),
            "empty list": '{"edges": [], "checked": []}',
            "empty": "",
            "broken": '{"edges": [{"from" "consumes"}]',
            "bare list": json.dumps(edges),
            "refusal": "I am sorry, I cannot help with that.",
        }.get(fault or "", self.answers.get(seen.consumer, answer_text(edges)))
        stop = "length" if fault in ("cut", "cut early", "length") else "stop"
        prompt = tokens_of(seen.rules) + tokens_of(seen.user)
        prefix = seen.rules + seen.shared
        cached = tokens_of(prefix) if prefix in self._warm and len(prefix) > 4096 else 0
        self._warm.add(prefix)
        self.answered += 1
        self.input_tokens += prompt
        self.output_tokens += tokens_of(text)
        if seen.protocol == "anthropic":
            return {
                "id": "msg_1", "type": "message", "role": "assistant", "model": seen.model + "-dated",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "max_tokens" if stop == "length" else "end_turn", "stop_sequence": None,
                "usage": {
                    "input_tokens": prompt - (cached or tokens_of(prefix)),
                    "cache_read_input_tokens": cached,
                    "cache_creation_input_tokens": 0 if cached else tokens_of(prefix),
                    "output_tokens": tokens_of(text),
                },
            }  # fmt: skip
        message: dict[str, Any] = {"role": "assistant", "content": text}
        usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": tokens_of(text),
                                 "total_tokens": prompt + tokens_of(text)}  # fmt: skip
        if seen.protocol == "openai":
            usage["prompt_tokens_details"] = {"cached_tokens": cached}
            message["refusal"] = None
        if seen.protocol == "openrouter" and fault == "empty":
            message["content"] = None
        return {"id": "c1", "object": "chat.completion", "created": 0, "model": seen.model, "usage": usage,
                "choices": [{"index": 0, "message": message, "finish_reason": stop}]}  # fmt: skip


def read_request(protocol: Protocol, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Seen:
    messages = body["messages"]
    if protocol == "anthropic":
        rules = "".join(block["text"] for block in body.get("system", ()))
        user = "\n".join(block["text"] for block in messages[0]["content"])
        turns = len(messages)
    else:
        rules, user, turns = messages[0]["content"], messages[1]["content"], len(messages) - 1
    lines = re.findall(r"^CONSUMER: (.+)$", user, re.MULTILINE)
    consumer = lines[-1] if lines else ""
    return Seen(protocol, path, headers, body, consumer, body.get("model", ""), rules, user, turns)


def _file(number: int) -> dict[str, Any]:
    return {"id": f"file-{number}", "object": "file", "bytes": 0, "created_at": 0, "filename": "x.jsonl",
            "purpose": "batch", "status": "processed"}  # fmt: skip


def _uploaded(body: bytes) -> bytes:
    """The JSON lines inside a multipart upload."""
    return b"\n".join(line for line in body.split(b"\r\n") if line.startswith(b"{"))


def full_edge(edge: Mapping[str, Any]) -> dict[str, Any]:
    return {"path": "", "confidence": "high", "produces": "", "reason": "", **edge}


def answer_text(edges: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps({"edges": [e for e in edges if "verdict" not in e],
                       "checked": [e for e in edges if "verdict" in e]})  # fmt: skip


def error_body(
    protocol: Protocol, status: int, message: str, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, str], bytes]:
    body: Any = {"error": {"message": message, "type": "scripted", "code": str(status)}}
    if protocol == "anthropic":
        body = {"type": "error", "error": {"type": "scripted_error", "message": message}}
    if protocol == "gemini":
        body = [{"error": {"code": status, "message": message, "status": "SCRIPTED"}}]
    return status, headers or {}, json.dumps(body).encode()


@contextmanager
def model_server(brain: Brain = no_edges, *, port: int = 0, **options: Any) -> Iterator[ModelServer]:
    """A running server on 127.0.0.1, in a thread with an event loop of its own."""
    server = ModelServer(brain, **options)
    if not isinstance(server.faults, defaultdict):
        server.faults = defaultdict(list, {k: list(v) for k, v in server.faults.items()})
    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(asyncio.start_server(server.serve, "127.0.0.1", port, limit=2**24))
    server.port = listening.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, name="model-server", daemon=True)
    thread.start()

    async def stop() -> None:
        listening.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


@contextmanager
def reply_server(replies: Path, *, port: int = 0, **options: Any) -> Iterator[ModelServer]:
    """A running server that answers from a replies file by the prompt's `CONSUMER:` line."""
    with model_server(from_replies(replies), port=port, **options) as server:
        yield server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--replies", type=Path, help="a JSON object: consumer slug to its list of edges")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--forget", action="store_true", help="keep no request that was seen")
    chosen = parser.parse_args()
    brain = from_replies(chosen.replies) if chosen.replies else no_edges
    with model_server(brain, port=chosen.port, latency=chosen.latency, keep=not chosen.forget) as server:
        for protocol in PREFIXES:
            for name, value in server.environ(protocol).items():
                print(f"# {protocol}: export {name}={value}", flush=True)
        print(f"PORT={server.port}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{server.requests} requests")


if __name__ == "__main__":
    main()
