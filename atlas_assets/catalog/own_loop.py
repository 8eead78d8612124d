"""Running asynchronous work from plain code, wherever it is called from."""

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import TypeVar

import anyio
import anyio.from_thread
import anyio.lowlevel

T = TypeVar("T")


def run_in_own_loop(work: Callable[[], Awaitable[T]]) -> T:
    """Run `work` in a thread with an event loop of its own, and return what it gives.

    An interrupt of the caller cancels the work, waits until it has cleaned up, and is raised then.
    Of several errors the first is raised, as it was.
    """
    results: list[T] = []
    errors: list[BaseException] = []
    stop: list[Callable[[], None]] = []

    async def main() -> None:
        token = anyio.lowlevel.current_token()
        with anyio.CancelScope() as scope:
            stop.append(lambda: anyio.from_thread.run_sync(scope.cancel, token=token))
            results.append(await work())

    def run() -> None:
        try:
            anyio.run(main)
        except BaseException as error:  # noqa: BLE001  raised again in the caller's thread
            errors.append(error)
        finally:
            done.set()

    # an interrupted join() takes the thread for finished (bpo-45274), an event does not
    done = threading.Event()
    threading.Thread(target=run, name="atlas-scan").start()
    try:
        done.wait()
    except BaseException:
        for cancel in stop:
            with suppress(RuntimeError):  # it was over just now
                cancel()
        done.wait()
        raise
    if errors:
        raise next(leaves(errors[0]))
    return results[0]


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, or the one itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error
