"""Threads make objects whose fields attrs converts and validates: none of this has a state that they share."""

import threading

import attr


@attr.s
class Job:
    number = attr.ib(validator=attr.validators.instance_of(int))
    name = attr.ib(default="a", validator=[attr.validators.instance_of(str), attr.validators.max_len(3)])
    limit = attr.ib(
        default=None,
        converter=attr.converters.optional(int),
        validator=attr.validators.optional(attr.validators.gt(3)),
    )
    notes = attr.ib(factory=dict)


def use(number):
    job = Job(number, "b", "4")
    job.notes["limit"] = job.limit


threads = [threading.Thread(target=use, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
