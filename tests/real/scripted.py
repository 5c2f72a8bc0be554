"""A model that says what a script tells it, on loopback, for real clients without network or account.

It speaks three wire protocols, streaming: Anthropic's messages, OpenAI's responses and OpenAI's chat completions. Every
request is kept.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = Any
"""{"text": …}, or {"tool": name, "input": {…}} with "namespace" where the client groups its tools; or a function from
the request's body to such a step."""
Event = dict[str, Any]

DONE: Step = {"text": "done"}


@dataclass
class Request:
    """One request of the client. size: bytes of its body. kind: of the turn: main, sub or side (no tools offered)."""

    path: str
    body: dict[str, Any]
    size: int
    kind: str

    @property
    def text(self) -> str:
        """Every text in it, unescaped: what the model sees."""
        return "\n".join(texts_of(self.body))

    @property
    def conversation(self) -> str:
        """The same without system text and tools."""
        return "\n".join(texts_of(self.body.get("messages", self.body.get("input", []))))


def texts_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from texts_of(child)
    elif isinstance(value, list):
        for child in value:
            yield from texts_of(child)


@dataclass
class ScriptedModel:
    """steps: of the main conversation. sub: of a subagent, known by `mark` in its prompt and by lacking `prompt`."""

    steps: Sequence[Step] = ()
    sub: Sequence[Step] = ()
    prompt: str = ""
    mark: str = ""
    requests: list[Request] = field(default_factory=list)

    def __enter__(self) -> ScriptedModel:
        self._lock = threading.Lock()
        self._count = itertools.count(1)
        self._main, self._sub = iter(self.steps), iter(self.sub)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def of(self, kind: str) -> list[Request]:
        return [request for request in self.requests if request.kind == kind]

    def play(self, steps: Sequence[Step]) -> None:
        """The script of what follows."""
        with self._lock:
            self._main = iter(steps)

    def _take(self, path: str, raw: bytes) -> tuple[dict[str, Any], Step]:
        body = json.loads(raw or b"{}")
        with self._lock:
            if not body.get("tools"):
                kind, step = "side", {"text": "A title"}
            elif self.mark and self.mark in json.dumps(body) and self.prompt not in json.dumps(body):
                kind, step = "sub", next(self._sub, DONE)
            else:
                kind, step = "main", next(self._main, DONE)
            if callable(step):
                step = step(body)
            if "count_tokens" not in path:
                self.requests.append(Request(path, body, len(raw), kind))
        return body, step

    def _answer(self, path: str, raw: bytes) -> tuple[str, bytes]:
        body, step = self._take(path, raw)
        model = body.get("model")
        if "count_tokens" in path:
            return "application/json", b'{"input_tokens": 1}'
        if "/chat/completions" in path:
            lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in self._chat(step, model)]
            return "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode()
        if "/messages" in path and not body.get("stream"):
            return "application/json", json.dumps(self._message(model, [{"type": "text", **step}])).encode()
        events = self._messages(step, model) if "/messages" in path else self._responses(step)
        return "text/event-stream", "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()

    def _message(self, model: object, content: list[Event]) -> Event:
        return {
            "id": f"msg_{next(self._count)}", "type": "message", "role": "assistant", "model": model,
            "content": content, "stop_reason": "end_turn" if content else None, "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip

    def _messages(self, step: Step, model: object) -> Iterator[Event]:
        if "tool" in step:
            block = {"type": "tool_use", "id": f"toolu_{next(self._count)}", "name": step["tool"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step["input"])}
        else:
            block = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": step["text"]}
        reason = "tool_use" if "tool" in step else "end_turn"
        yield {"type": "message_start", "message": self._message(model, [])}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        delta = {"stop_reason": reason, "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}
        yield {"type": "message_stop"}

    def _responses(self, step: Step) -> Iterator[Event]:
        number = next(self._count)
        item: Event
        if "tool" in step:
            item = {
                "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": step["tool"],
                "arguments": json.dumps(step["input"]),
            }  # fmt: skip
            if "namespace" in step:
                item["namespace"] = step["namespace"]
        else:
            content = [{"type": "output_text", "text": step["text"]}]
            item = {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
        usage = {
            "input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None,
            "total_tokens": 2,
        }  # fmt: skip
        yield {"type": "response.created", "response": {"id": f"resp_{number}"}}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.completed", "response": {"id": f"resp_{number}", "usage": usage}}

    def _chat(self, step: Step, model: object) -> Iterator[Event]:
        delta: Event = {"role": "assistant", "content": step.get("text", "")}
        if "tool" in step:
            call = {"name": step["tool"], "arguments": json.dumps(step["input"])}
            delta["tool_calls"] = [
                {"index": 0, "id": f"call_{next(self._count)}", "type": "function", "function": call}
            ]
        base = {"id": "chat_1", "object": "chat.completion.chunk", "created": 0, "model": model}
        yield {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reason = "tool_calls" if "tool" in step else "stop"
        yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                self.give("application/json", b"{}")

            do_HEAD = do_GET  # noqa: N815 - the name that the base class looks for

            def do_POST(self) -> None:
                self.give(*model._answer(self.path, self.rfile.read(int(self.headers.get("content-length", 0)))))

            def give(self, kind: str, data: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Handler
