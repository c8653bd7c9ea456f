/* "Why not?": whether two steps can come in the other order, from the edges that the report carries.

   The report's `orders` are the solver's answers (see docs/reference/json.md): of two steps, the later one can't come
   first if and only if a path of edges leads from the earlier to the later, and the pair is not among `possible`. So the
   answer is a walk, and its reason is the path. */

class Orders {
  constructor(data) {
    this.steps = new Set(data.steps);
    this.possible = new Set(data.possible.map(String));
    this.undecided = new Set(data.undecided.map(String));
    this.following = new Map();
    for (const edge of data.edges) {
      if (!this.following.has(edge.from)) this.following.set(edge.from, []);
      this.following.get(edge.from).push(edge);
    }
  }

  /** "possible", "impossible" (with the path, whose first edge leaves the earlier step), "undecided" or "unknown". */
  ask(one, other) {
    const [earlier, later] = one < other ? [one, other] : [other, one];
    if (!this.steps.has(earlier) || !this.steps.has(later) || one === other) return { answer: "unknown", path: [] };
    const pair = `${earlier},${later}`;
    if (this.undecided.has(pair)) return { answer: "undecided", path: [] };
    const path = this.path(earlier, later);
    if (path === null || this.possible.has(pair)) return { answer: "possible", path: [] };
    return { answer: "impossible", path };
  }

  /** The shortest path of edges, null without one. Breadth first: a path may be as long as the execution. */
  path(from, to) {
    const came = new Map([[from, null]]);
    const queue = [from];
    for (let at = 0; at < queue.length && !came.has(to); at++) {
      for (const edge of this.following.get(queue[at]) || []) {
        if (edge.to <= to && !came.has(edge.to)) {
          came.set(edge.to, edge);
          queue.push(edge.to);
        }
      }
    }
    if (!came.has(to)) return null;
    const path = [];
    for (let edge = came.get(to); edge; edge = came.get(edge.from)) path.unshift(edge);
    return path;
  }
}

const BECAUSE = {
  "program order": "one thread, in the order of its program",
  fork: "a thread begins after it is started",
  join: "a join returns after the thread has ended",
  lock: "the lock has to be released first",
  read: "the value that is read was written there",
  overwrite: "the value has to be read before it is overwritten",
  write: "the later write is the one that is seen",
  "wake-up": "the thread goes on after it is notified",
  together: "it follows from several constraints together",
};
