/* A finding of the report in the form in which the page shows it: its steps as columns, the steps that matter, what comes
   after the last step, and the rows of each view. Reports of earlier versions of this schema have less; so does this. */

class Model {
  constructor(finding) {
    this.finding = finding;
    const list = finding.observed ? finding.observed.steps : finding.execution || [];
    this.predicted = Boolean(finding.observed);
    this.fromRows = !list.length;
    this.steps = Steps.fromObjects(list.length ? list : stepsOfRows(finding.explanation.rows));
    this.labels = { ...Object.fromEntries((finding.explanation.threads || []).map((each) => [each.thread, each.label])), ...finding.labels };
    const numbers = new Set(this.steps.number);
    this.conflicting = (finding.conflicting?.length ? finding.conflicting : finding.events).filter((each) => numbers.has(each));
    this.relevant = new Set([...(finding.relevant || []), ...this.conflicting]);
    if (!finding.relevant?.length) for (const number of numbers) if (this.fromRows || this.steps.length <= 40) this.relevant.add(number);
    this.notes = new Map(finding.explanation.rows.filter((row) => row.note).map((row) => [row.step, row.note]));
    this.marked = new Map(this.conflicting.map((number) => [number, "conflict"]));
    this.endings = this.predicted ? [] : this.endingsOf(finding);
    this.opened = new Set();
    this.indexOf = new Map();
    this.steps.number.forEach((number, i) => this.indexOf.set(number, i));
    this.waiting = finding.waiting?.length ? finding.waiting : waitingOf(finding);
    this.important = new Set([...this.relevant].map((number) => this.steps.target[this.indexOf.get(number)]));
    this.filter = null;
  }

  endingsOf(finding) {
    const failing = finding.explanation.rows.filter((row) => row.failing && !(this.fromRows || this.indexHas(row.step)));
    return failing.map((row) => ({
      kind: "ending",
      thread: this.steps.threads.number(row.thread),
      text: row.what.join(", ").replace(/ created at \S+/g, ""),
      place: row.location ? row.location.text : "",
      location: row.location,
      mark: finding.waiting?.length ? "conflict failing" : "failing",
    }));
  }

  indexHas(number) {
    return this.steps.number.includes(number);
  }

  passes(i) {
    return !this.filter || this.filter(i);
  }

  /** The rows of the shrunk execution: steps that matter, notes, and folds, which may be open. */
  shrunk() {
    const rows = [];
    const extras = [];
    const extra = (each) => rows.push(-1 - (extras.push(each) - 1));
    let from = 0;
    const close = (to) => {
      if (to <= from) return;
      const of = {};
      let folded = 0;
      for (let i = from; i < to; i++) {
        if (!this.passes(i)) continue;
        const label = this.labels[this.steps.threadName(i)] || this.steps.threadName(i);
        of[label] = (of[label] || 0) + 1;
        folded++;
      }
      const open = this.opened.has(from);
      if (folded) extra({ kind: "fold", from, count: folded, of, open });
      if (open) for (let i = from; i < to; i++) if (this.passes(i)) rows.push(i);
    };
    for (let i = 0; i < this.steps.length; i++) {
      const number = this.steps.number[i];
      if (!this.relevant.has(number)) continue;
      close(i);
      from = i + 1;
      if (!this.passes(i)) continue;
      if (this.notes.has(number)) extra({ kind: "note", text: this.notes.get(number) });
      rows.push(i);
    }
    close(this.steps.length);
    for (const each of this.endings) extra(each);
    return { rows: Int32Array.from(rows), extras };
  }

  whole() {
    const rows = [];
    const extras = [];
    for (let i = 0; i < this.steps.length; i++) if (this.passes(i)) rows.push(i);
    for (const each of this.endings) rows.push(-1 - (extras.push(each) - 1));
    return { rows: Int32Array.from(rows), extras };
  }

  /** The rows of the predicted order: its steps, then those of the finding that are next. */
  inPredictedOrder() {
    const order = this.finding.observed.predicted.filter((number) => this.indexOf.has(number));
    const done = new Set(order);
    const next = this.finding.events.filter((number) => this.indexOf.has(number) && !done.has(number));
    const rows = [...order, ...next].map((number) => this.indexOf.get(number)).filter((i) => this.passes(i));
    return { rows: Int32Array.from(rows), extras: [] };
  }
}

function stepsOfRows(rows) {
  return rows.filter((row) => row.what).map((row) => ({ step: row.step, thread: row.thread, operation: row.what.join(", "), target: "", value: "", file: row.location?.file, line: row.location?.line, op: "", held: [] }));
}

/** Of a predicted deadlock: each event waits for a lock that another thread holds. */
function waitingOf(finding) {
  if (finding.kind !== "deadlock" || !finding.held?.length) return [];
  return finding.threads.map((thread, k) => {
    const holder = finding.threads.findIndex((_, other) => other !== k && finding.held[other].some((each) => each.lock === finding.targets[k]));
    return { thread, for: finding.targets[k], held_by: holder >= 0 ? finding.threads[holder] : null, location: finding.locations[k], held_since: null };
  });
}

/** The positions of a longest subsequence of ascending numbers: what need not move. */
function longestAscending(numbers) {
  const tails = [];
  const before = new Array(numbers.length).fill(-1);
  numbers.forEach((number, i) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[tails[middle]] < number) low = middle + 1;
      else high = middle;
    }
    if (low) before[i] = tails[low - 1];
    tails[low] = i;
  });
  const kept = new Set();
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at]) kept.add(at);
  return kept;
}
