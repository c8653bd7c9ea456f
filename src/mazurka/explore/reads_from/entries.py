"""The knowledge of a reads-from search as journal records, for another search (see mcr.py): the same one resumed, a
worker, or the owner of a lease that comes back.

=========  ============================================================================================
record     operands
=========  ============================================================================================
name       a thread's name; prefixes hold the numbers of names in the order of these records
seed       its number, that of the branch above (-1: none), cut, answer, prefix, asked entries, and 1 if it is a retry,
           a hash of the answers above if it is a guess, else 0
done       a seed's number, nodes inherited, its own nodes, signature (-1: no step was learnt from the run)
tried      a seed's number, the index of a node on its path, an answer that has been decided
offered    the number of a seed whose run has offered all its alternatives
known      a run, packed: the steps of its threads
doubts     counts: lost schedules, unanswered questions, capped steps; whether accesses of steps may vary
reset      kinds of targets that are waited for: all records before are void
leased     the same kinds; the records after it are a lease
been       in a lease, of a seed run before: nodes inherited, its own nodes with all tried answers, whether to go on
=========  ============================================================================================

Nodes are four numbers each: the kind of question, the two fingerprints, and an answer; in a lease, instead of the
answer, the number of answers and the answers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, Protocol

from mazurka.explore.reads_from.counters import McrCounters
from mazurka.explore.reads_from.tree import Branch, DecisionNode
from mazurka.explore.strategy import JournalRecord


class JournaledSearch(Protocol):
    """A search that records are entered into."""

    counters: McrCounters
    journal: list[JournalRecord]
    seen: set[int]  # signatures of runs
    next_number: int  # the number of the next branch
    taken_kinds: set[str]
    is_worker: bool

    def code(self, name: str) -> int:
        """The number of a name in this search's table of names."""
        ...

    def record_branch(self, branch: Branch) -> None:
        """Queue a branch that the records have added."""
        ...


class Entries:
    """Enters records into a search. With ``known_branches``, the branches that a worker knows, the records are a
    worker's.

    A worker's new branches get numbers of the owner; the branches that it knew are looked up by their numbers.
    """

    def __init__(
        self, search: JournaledSearch, known_branches: dict[int, Branch] | None = None, names: int = 0
    ) -> None:
        self.search = search
        self.settles = known_branches is not None
        self.branches: dict[int, Branch] = known_branches or {}
        self.made: list[Branch] = []
        self.done: set[Branch] = {branch for branch in self.branches.values() if branch.known}
        self.codes = list(range(names))  # a worker's numbers of names -> ours
        self.known: list[bytes] = []  # runs, packed
        self.decided: set[tuple[int, int]] = set()  # decided by these records: (id of a node, answer)

    def is_open(self, branch: Branch) -> bool:
        """Whether a branch is to be executed: it has not been, or its alternatives have not all been computed."""
        return branch not in self.done or branch.known

    def enter(self, record: JournalRecord) -> None:
        """Add one journal record; a record about a branch that is unknown here, or was pruned, has no effect."""
        match record:
            case ("seed", number, parent, cut, answer, prefix, asked, special):
                if parent == -1 or parent in self.branches:
                    branch = Branch(number, self.branches.get(parent), cut, answer, prefix, _places(asked))
                    branch.retry = special == 1
                    branch.above = 0 if branch.retry else special
                    self._seed(branch)
            case ("done", number, inherited, flat, signature) if number in self.branches:
                self._done(number, inherited, flat, signature)
            case ("tried", number, index, answer) if number in self.branches:
                node = self.branches[number].node(index)
                self.decided.add((id(node), answer))
                node.tried.add(answer)
                self._record("tried", number, index, answer)
            case ("offered", number) if number in self.branches:
                branch = self.branches[number]
                branch.known = False
                branch.prefix = b""
                self._record("offered", number)
            case ("been", number, inherited, flat, known):
                branch = self.branches[number]
                branch.inherited, branch.nodes, branch.known = inherited, _unpacked(flat), bool(known)
                self.done.add(branch)
            case _:
                self._enter_about_all(record)

    def _seed(self, branch: Branch) -> None:
        number, parent = branch.number, branch.parent
        if parent is not None and not branch.retry:
            node = parent.node(branch.cut - 1)
            decided = (id(node), branch.answer)
            if self.settles and branch.answer in node.tried and decided not in self.decided:
                return  # another worker has decided it before
            self.decided.add(decided)
            node.tried.add(branch.answer)
        self.branches[number] = branch
        if self.settles:
            self.made.append(branch)
            branch.number = self.search.next_number
            branch.prefix = self._translated(branch.prefix)
            self.search.next_number += 1
            self.search.record_branch(branch)

    def _translated(self, prefix: bytes) -> bytes:
        if all(code == number for number, code in enumerate(self.codes)):
            return prefix
        numbers = array("H")
        numbers.frombytes(prefix)
        return array("H", [self.codes[number] for number in numbers]).tobytes()

    def _done(self, number: int, inherited: int, flat: bytes, signature: int) -> None:
        search, branch = self.search, self.branches[number]
        self.done.add(branch)
        search.counters.runs += 1
        if signature == -1:
            branch.known = False
        elif self.settles and signature in search.seen:
            search.counters.repeated += 1
            self._record("done", number, branch.inherited, b"", -1)
            del self.branches[number]  # and so its branches
            return
        else:
            search.seen.add(signature)
            branch.inherited, branch.nodes, branch.known = inherited, _nodes(flat), True
        self._record("done", number, inherited, flat, signature)

    def _enter_about_all(self, record: JournalRecord) -> None:
        search, counters = self.search, self.search.counters
        match record:
            case ("name", name):
                code = search.code(name)
                if self.settles:
                    self.codes.append(code)
            case ("known", content):
                self.known.append(content)
            case ("doubts", lost, unknown, capped, varying) if self.settles:
                counters.lost += lost
                counters.unknown += unknown
                counters.capped += capped
                counters.varying |= bool(varying)
                totals = counters.lost, counters.unknown, counters.capped, int(counters.varying)
                search.journal.append(("doubts", *totals))
            case ("doubts", lost, unknown, capped, varying):
                counters.lost, counters.unknown, counters.capped = lost, unknown, capped
                counters.varying = bool(varying)
            case ("reset", kinds):
                search.taken_kinds = set(kinds.split())
            case ("leased", kinds):
                search.taken_kinds = set(kinds.split())
                search.is_worker = True

    def _record(self, kind: str, number: int, *operands: Any) -> None:
        if self.settles:
            self.search.journal.append((kind, self.branches[number].number, *operands))


def lease_records(
    names: Iterable[str], kinds: Iterable[str], branches: list[Branch], known_branches: dict[int, Branch]
) -> list[JournalRecord]:
    """A lease: the branches, and the required state of those above. Adds all branches in it to ``known_branches``."""
    records: list[JournalRecord] = [("leased", " ".join(sorted(kinds))), *(("name", name) for name in names)]
    leased = set(branches)
    for branch in branches:
        above: list[Branch] = []
        each: Branch | None = branch
        while each is not None and each.number not in known_branches:
            known_branches[each.number] = each
            above.append(each)
            each = each.parent
        for each in reversed(above):
            parent = -1 if each.parent is None else each.parent.number
            prefix, asked = (each.prefix, " ".join(map(str, each.asked))) if each in leased else (b"", "")
            records.append(("seed", each.number, parent, each.cut, each.answer, prefix, asked, each.special))
            if each.known or each not in leased:
                records.append(("been", each.number, each.inherited, _packed(each.nodes), int(each in leased)))
    return records


def _places(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def _nodes(flat: bytes) -> tuple[DecisionNode, ...]:
    numbers: array[Any] = array("q")
    numbers.frombytes(flat)
    return tuple([DecisionNode(*numbers[i : i + 4]) for i in range(0, len(numbers), 4)])


def _packed(nodes: Iterable[DecisionNode]) -> bytes:
    flat = array("q")
    for node in nodes:
        flat.extend((node.asks, node.first, node.second, len(node.tried), *node.tried))
    return flat.tobytes()


def _unpacked(flat: bytes) -> tuple[DecisionNode, ...]:
    numbers: array[Any] = array("q")
    numbers.frombytes(flat)
    nodes, at = [], 0
    while at < len(numbers):
        asks, first, second, count = numbers[at : at + 4]
        tried = numbers[at + 4 : at + 4 + count]
        node = DecisionNode(asks, first, second, tried[0])
        node.tried.update(tried)
        nodes.append(node)
        at += 4 + count
    return tuple(nodes)
