"""The stdio transport: a server process spoken to in lines of JSON-RPC.

Ours and not the SDK's (`mcp.client.stdio`), which decodes strictly, holds a message in an unbounded
buffer, and lets a cleanly exited server's children live. Follows
https://modelcontextprotocol.io/specification, "Transports", stdio.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from mcp.shared.message import SessionMessage

from atlas_assets.catalog.expand import Launch
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.messages import LineSplitter, read_messages
from atlas_assets.catalog.process import ServerProcess
from atlas_assets.catalog.stderr_log import StderrLog
from atlas_assets.catalog.wire import Fault, Streams
from atlas_assets.errors import ScanError

_MESSAGES_OF_FULL_SIZE = 10
"""What a server may print in all, in messages of the largest size; one that floods is ended then."""
_LAST_WORDS = 0.3
"""Seconds in which what a server wrote just before it left is still read."""


@asynccontextmanager
async def stdio_transport(
    launch: Launch, limits: ScanLimits, log: StderrLog, fault: Fault
) -> AsyncIterator[Streams]:
    """Start a server and give its streams; at the end nothing it started is left.

    What goes wrong on the way is told to `fault`, and the streams end. Raises ScanError where the
    command cannot be started.
    """
    process = ServerProcess([launch.command, *launch.args], launch.env, launch.cwd)
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](64)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)

    async def read_stdout() -> None:
        splitter = LineSplitter(limits.message_bytes)
        printed, allowed = 0, limits.message_bytes * _MESSAGES_OF_FULL_SIZE
        async with to_session:
            try:
                while data := await process.read("stdout"):
                    printed += len(data)
                    if printed > allowed:
                        raise ScanError(f"prints without end: more than {allowed} bytes; run it by hand")
                    for line in splitter.feed(data):
                        for message in read_messages(line):
                            await to_session.send(SessionMessage(message))
            except ScanError as error:
                fault.tell(str(error))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                pass  # the session is over
        while await process.read("stdout"):
            pass  # a server that still writes must not block on a full pipe

    async def read_stderr() -> None:
        while data := await process.read("stderr"):
            log.feed(data)

    async def write_stdin() -> None:
        async with from_session:
            try:
                async for item in from_session:
                    text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.write(text.encode("utf-8", errors="replace") + b"\n")
            except OSError:
                pass  # it no longer reads; its exit or the deadline says more

    async def watch_exit() -> None:
        await process.wait_for_exit()
        # children may hold the pipe open: without this the end would never be seen
        await anyio.sleep(_LAST_WORDS)
        process.close("stdout")

    async with anyio.create_task_group() as tasks:
        for task in (read_stdout, read_stderr, write_stdin, watch_exit):
            tasks.start_soon(task)
        try:
            yield from_server, to_server
        finally:
            with anyio.CancelScope(shield=True):
                # all four, for a task that was cancelled before it began closed none
                for stream in (from_server, to_session, to_server, from_session):
                    stream.close()
                fault.exit_code = await process.stop(limits.stop_seconds)
            tasks.cancel_scope.cancel()
