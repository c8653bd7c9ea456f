"""A call in a thread gets the context, and gives its result to the loop."""

import asyncio
import contextvars

number = contextvars.ContextVar("number")


def add(one):
    return number.get() + one


async def main():
    number.set(2)
    return await asyncio.to_thread(add, 1)


assert asyncio.run(main()) == 3
