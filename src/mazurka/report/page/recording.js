/* The page of a recording: all of its events, threads over time, contention of locks, hottest shared locations. */

const STRIP = 14;
const STRIPS = 12;
const NEIGHBOURS = 40;
const LISTED = 30;

class RecordingView extends StepView {
  constructor(data) {
    super();
    this.data = data;
    const steps = Steps.fromColumns(data.columns);
    this.model = { steps, labels: {}, filter: null, conflicting: [] };
    this.timeline = new Timeline(steps, {}, { onSelect: (row, quiet) => this.selected(row, quiet), onFold: () => {} });
    this.timeline.arrows = (chosen) => arrowsAt(steps, chosen - data.columns.first);
    this.source = new SourcePanel(data.sources);
    this.state = new StatePanel(steps, {}, new Set());
    this.canvas = h("canvas", { class: "density", role: "img", "aria-label": "Threads over time: a strip per thread, darker where it has more events" });
    this.canvas.addEventListener("click", (event) => this.jump(event.offsetX / this.canvas.clientWidth));
    new ResizeObserver(() => this.paint()).observe(this.canvas);
    this.side = h("aside", { class: "side", "aria-label": "The current step" }, this.source.element, this.state.element);
    this.toolbar = h("div", { class: "toolbar" });
    this.names = h("ol", { class: "strip-names", "aria-hidden": "true" });
    this.element = h("div", { class: "recording" }, this.head(), this.toolbar, h("div", { class: "split" }, h("div", { class: "pane" }, this.timeline.element), this.side));
  }

  /** All that takes passes over the events, once the first of them are on the screen. */
  complete() {
    const { steps } = this.model;
    this.stats = statisticsOf(steps);
    this.names.replaceChildren(...this.stats.threads.slice(0, STRIPS).map(([thread]) => h("li", {}, name(steps.threads.names[thread], 30))));
    this.side.append(locksCard(this.stats, steps), sharedCard(this.stats, steps));
    this.bar = new FilterBar(this.model, { onFilter: () => this.refresh(), onSearch: (text) => this.search(text), onNext: (by) => this.nextHit(by) });
    this.toolbar.append(this.bar.element);
    this.paint();
  }

  head() {
    const { steps } = this.model;
    const omitted = this.data.omitted ? `; the last ${counted(this.data.omitted, "event")} are left out` : "";
    const facts = `${counted(steps.length, "event")} of ${counted(steps.threads.names.length, "thread")}, ${counted(steps.targets.names.length, "target")}${omitted}`;
    this.canvas.style.height = `${Math.min(steps.threads.names.length, STRIPS) * STRIP + 4}px`;
    return h("header", { class: "finding-head" }, h("div", { class: "title" }, h("span", { class: "chip open" }, "recording"), h("h1", {}, facts)), h("h2", { class: "offscreen" }, "Threads over time"), h("div", { class: "strips" }, this.names, this.canvas));
  }

  shown() {
    this.refresh();
    this.timeline.select(0, { quiet: true });
    requestAnimationFrame(() => setTimeout(() => this.complete()));
    this.timeline.scroller.focus({ preventScroll: true });
  }

  refresh() {
    const { steps, filter } = this.model;
    const rows = new Int32Array(steps.length);
    let length = 0;
    const hidden = this.bar?.chosen.operation === undefined ? steps.ops.numbers.get("branch") : undefined; // of no interest, mostly
    for (let i = 0; i < steps.length; i++) if (steps.op[i] !== hidden && (!filter || filter(i))) rows[length++] = i;
    this.timeline.setRows(rows.subarray(0, length));
    this.bar?.say(length, steps.length);
  }

  selected(row, quiet) {
    this.showStep(this.timeline.rows[row], quiet);
  }

  jump(share) {
    const number = Math.floor(share * this.model.steps.length);
    let row = 0;
    while (row + 1 < this.timeline.rows.length && this.timeline.rows[row] < number) row++;
    this.timeline.select(row);
  }

  /** The number of events of the busiest threads in each column of pixels. */
  paint() {
    if (!this.stats) return;
    const { steps } = this.model;
    const width = Math.max(this.canvas.clientWidth, 1);
    const busiest = this.stats.threads.slice(0, STRIPS);
    const lane = new Map(busiest.map(([thread], k) => [thread, k]));
    const counts = busiest.map(() => new Uint32Array(width));
    for (let i = 0; i < steps.length; i++) {
      const k = lane.get(steps.thread[i]);
      if (k !== undefined) counts[k][Math.floor((i / steps.length) * width)]++;
    }
    const scale = devicePixelRatio || 1;
    this.canvas.width = width * scale;
    this.canvas.height = this.canvas.clientHeight * scale;
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    const most = Math.max(1, ...counts.map((each) => each.reduce((a, b) => Math.max(a, b), 0)));
    const style = getComputedStyle(document.documentElement);
    counts.forEach((each, k) => {
      context.fillStyle = style.getPropertyValue(`--thread-${busiest[k][0] % PALETTE}`);
      each.forEach((number, x) => {
        if (!number) return;
        context.globalAlpha = 0.25 + 0.75 * (number / most);
        context.fillRect(x, 1 + k * STRIP, Math.max(1, width / steps.length / 2), STRIP - 3);
      });
    });
  }
}

/** What the step hands over or is handed: the write that a read sees, the reads of a write, the lock before and after. */
function arrowsAt(steps, at) {
  if (at < 0 || at >= steps.length) return [];
  const arrows = [];
  const operation = steps.operation(at);
  const target = steps.target[at];
  const same = (i) => steps.target[i] === target;
  const arrow = (from, to, reason) => steps.thread[from] !== steps.thread[to] && arrows.push({ from: steps.number[from], to: steps.number[to], reason, target: steps.targetName(at) });
  const before = { read: ["read", ["write", "rmw"]], rmw: ["read", ["write", "rmw"]], acquire: ["lock", ["release"]], begin: ["fork", ["fork"]], join: ["join", ["end"]] }[operation];
  if (before) for (let i = at - 1; i >= 0; i--) if (same(i) && before[1].includes(steps.operation(i))) return arrow(i, at, before[0]), arrows;
  const after = { write: ["read", ["read", "rmw"], ["write", "rmw"]], release: ["lock", ["acquire"], ["acquire"]], fork: ["fork", ["begin"], ["begin"]], end: ["join", ["join"], ["join"]] }[operation];
  if (!after) return arrows;
  for (let i = at + 1; i < steps.length && arrows.length < NEIGHBOURS; i++) {
    if (!same(i)) continue;
    if (after[1].includes(steps.operation(i))) arrow(at, i, after[0]);
    if (after[2].includes(steps.operation(i))) break;
  }
  return arrows;
}

/** One pass: events by thread, use of locks, accesses of locations by several threads. */
function statisticsOf(steps) {
  const threads = new Map();
  const locks = new Map();
  const locations = new Map();
  for (let i = 0; i < steps.length; i++) {
    const [operation, target, thread] = [steps.operation(i), steps.target[i], steps.thread[i]];
    threads.set(thread, (threads.get(thread) || 0) + 1);
    if (operation === "acquire" || operation === "release" || operation === "request") {
      let lock = locks.get(target);
      if (!lock) locks.set(target, (lock = { target, acquires: 0, handed: 0, waited: 0, longest: 0, holder: -1, last: -1, since: 0, depth: 0, users: new Set() }));
      lock.users.add(thread);
      if (operation === "request" && lock.holder >= 0 && lock.holder !== thread) lock.waited++;
      if (operation === "acquire" && lock.holder !== thread) {
        lock.acquires++;
        if (lock.last >= 0 && lock.last !== thread) lock.handed++;
        Object.assign(lock, { holder: thread, last: thread, since: i, depth: 1 });
      } else if (operation === "acquire") {
        lock.depth++;
      } else if (operation === "release" && lock.holder === thread && --lock.depth === 0) {
        lock.longest = Math.max(lock.longest, i - lock.since);
        lock.holder = -1;
      }
    } else if (READING.has(operation) || WRITING.has(operation)) {
      let location = locations.get(target);
      if (!location) locations.set(target, (location = { target, reads: 0, writes: 0, users: new Set() }));
      location.users.add(thread);
      if (WRITING.has(operation)) location.writes++;
      else location.reads++;
    }
  }
  const shared = [...locations.values()].filter((each) => each.users.size > 1);
  return {
    threads: [...threads].sort(([, a], [, b]) => b - a),
    locks: [...locks.values()].sort((a, b) => b.waited - a.waited || b.handed - a.handed || b.acquires - a.acquires),
    shared: shared.sort((a, b) => b.reads + b.writes - a.reads - a.writes),
  };
}

function statisticsTable(heads, rows, label) {
  return h("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": label }, h("table", { class: "bars" }, h("thead", {}, h("tr", {}, ...heads.map((each) => h("th", { scope: "col" }, each)))), h("tbody", {}, ...rows.map(([first, ...others]) => h("tr", {}, h("th", { scope: "row" }, code(first, 60)), ...others.map((each) => h("td", {}, typeof each === "number" ? count(each) : each)))))));
}

function locksCard(stats, steps) {
  if (!stats.locks.length) return card("Lock contention", "contention", h("p", { class: "none" }, "no locks"));
  const rows = stats.locks.slice(0, LISTED).map((each) => [steps.targets.names[each.target], each.acquires, each.waited, each.handed, each.users.size, each.longest]);
  return card("Lock contention", "contention", statisticsTable(["lock", "taken", "waited for", "handed over", "threads", "longest (events)"], rows, "Lock contention"));
}

function sharedCard(stats, steps) {
  if (!stats.shared.length) return card("Hottest shared locations", "shared", h("p", { class: "none" }, "no location is used by two threads"));
  const most = stats.shared[0].reads + stats.shared[0].writes;
  const rows = stats.shared.slice(0, LISTED).map((each) => {
    const bar = h("div", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.round((100 * (each.reads + each.writes)) / most)}%`;
    return [steps.targets.names[each.target], each.reads, each.writes, each.users.size, bar];
  });
  return card("Hottest shared locations", "shared", statisticsTable(["location", "reads", "writes", "threads", ""], rows, "Hottest shared locations"));
}
