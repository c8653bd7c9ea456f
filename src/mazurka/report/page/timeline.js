/* The timeline: a row per step, time downward, a lane per thread. Only rows in view are in the document.

   Rows are numbers: a step's index, or -1 - k for the k-th of `extras` (folds, notes, waits that have not happened). */

const MARGIN_ROWS = 8;
const PRINTED_ROWS = 2000;
const DRAWN_ROWS = 150;

class Timeline {
  /** `events`: onSelect(row), onFold(extra), onAsk(row). */
  constructor(steps, labels, events) {
    Object.assign(this, { steps, labels, events });
    this.rows = new Int32Array(0);
    this.extras = [];
    this.arrows = [];
    this.marked = new Map(); // number of a step -> its class
    this.matching = null;
    this.selected = -1;
    this.pool = new Map();
    this.drawn = { first: 0, last: -1 };
    this.heads = h("div", { class: "lane-heads", role: "row" });
    this.under = s("svg", { class: "lines", "aria-hidden": "true" });
    this.layer = h("div", { class: "rows", role: "rowgroup" });
    this.space = h("div", { class: "space", role: "presentation" }, this.under, this.layer);
    this.scroller = h(
      "div",
      { class: "scroller", tabindex: "0", role: "grid", "aria-label": "Interleaving: a row for each step", "aria-colcount": "4" },
      h("div", { role: "rowgroup", class: "head-group" }, this.heads),
      this.space
    );
    this.element = h("section", { class: "timeline", "aria-label": "Interleaving" }, this.scroller);
    this.layer.addEventListener("click", (event) => {
      const row = Number(event.target.closest(".row")?.id.slice(4));
      if (Number.isInteger(row)) event.shiftKey ? this.events.onAsk?.(row) : this.select(row);
    });
    this.scroller.addEventListener("scroll", () => this.later(), { passive: true });
    new ResizeObserver(() => this.fit()).observe(this.scroller);
    matchMedia("print").addEventListener("change", () => this.render());
  }

  later() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.render();
    });
  }

  setRows(rows, extras = []) {
    const before = this.selected >= 0 && this.selected < this.rows.length ? this.rows[this.selected] : null;
    this.rows = rows;
    this.extras = extras;
    this.rowOfStep = new Map();
    if (rows.length <= 20000) rows.forEach((each, row) => each >= 0 && this.rowOfStep.set(this.steps.number[each], row));
    else this.rowOfStep = null;
    this.spans = this.spansOf(rows);
    const threads = [...this.spans.keys()].sort((a, b) => a - b);
    this.threads = threads;
    this.space.style.height = `${rows.length * ROW}px`;
    this.scroller.setAttribute("aria-rowcount", String(rows.length + 1));
    this.clear();
    this.fit();
    if (before !== null && before >= 0) this.select(Math.max(this.rowOf(this.steps.number[before]), 0), { quiet: true });
    else if (this.selected >= rows.length) this.selected = -1;
  }

  spansOf(rows) {
    const spans = new Map();
    for (let row = 0; row < rows.length; row++) {
      const thread = this.threadAt(row);
      if (thread < 0) continue;
      const span = spans.get(thread);
      if (span) span.last = row;
      else spans.set(thread, { first: row, last: row });
    }
    return spans;
  }

  threadAt(row) {
    const each = this.rows[row];
    return each >= 0 ? this.steps.thread[each] : this.extras[-1 - each].thread ?? -1;
  }

  rowOf(number) {
    if (this.rowOfStep) return this.rowOfStep.get(number) ?? -1;
    let [low, high] = [0, this.rows.length - 1]; // long lists have only steps, ascending
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.steps.number[this.rows[middle]];
      if (found === number) return middle;
      if (found < number) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  fit() {
    if (!this.threads) return;
    this.lanes = new Lanes(this.threads, this.scroller.clientWidth);
    this.heads.replaceChildren(
      h("span", { class: "head-step", role: "columnheader" }, "step"),
      h("span", { class: "head-lanes", role: "columnheader" }, ...this.laneHeads()),
      h("span", { class: "head-place", role: "columnheader" }, "source")
    );
    this.clear();
    this.render();
  }

  laneHeads() {
    if (!this.lanes.beside) return [h("span", { class: "lane-head few" }, counted(this.threads.length, "thread"))];
    return this.threads.map((thread, lane) => {
      const last = lane === this.threads.length - 1;
      const head = h("span", { class: "lane-head", title: show(this.label(thread)) }, name(this.label(thread), 60));
      head.style.left = `${this.lanes.x(thread) - 8}px`;
      head.style.width = last ? `${TEXT}px` : `${this.lanes.step - 6}px`;
      head.style.setProperty("--hue", hue(thread));
      return head;
    });
  }

  label(thread) {
    const stable = this.steps.threads.names[thread];
    return this.labels[stable] || stable;
  }

  clear() {
    this.layer.replaceChildren();
    this.pool.clear();
    this.drawn = { first: 0, last: -1 };
  }

  render() {
    if (!this.lanes) return;
    const { scrollTop, clientHeight } = this.scroller;
    const paper = matchMedia("print").matches;
    const first = paper ? 0 : Math.max(Math.floor(scrollTop / ROW) - MARGIN_ROWS, 0);
    const last = Math.min(paper ? PRINTED_ROWS : Math.ceil((scrollTop + clientHeight) / ROW) + MARGIN_ROWS, this.rows.length);
    for (const [row, element] of this.pool) {
      if (row < first || row >= last) {
        element.remove();
        this.pool.delete(row);
      }
    }
    const fresh = document.createDocumentFragment();
    for (let row = first; row < last; row++) {
      if (!this.pool.has(row)) {
        const element = this.row(row);
        this.pool.set(row, element);
        fresh.append(element);
      }
    }
    this.layer.append(fresh);
    if (first < this.drawn.first || last > this.drawn.last) this.draw(Math.max(first - DRAWN_ROWS, 0), Math.min(last + DRAWN_ROWS, this.rows.length));
  }

  /** Lines and arrows of many more rows than are in view: most scrolling then repaints nothing. */
  draw(first, last) {
    this.drawn = { first, last };
    const [top, bottom] = [first * ROW, last * ROW];
    this.under.style.transform = `translateY(${top}px)`;
    this.under.setAttribute("height", String(Math.max(bottom - top, 1)));
    this.under.setAttribute("width", String(Math.max(this.scroller.clientWidth, 1)));
    this.under.replaceChildren(arrowHeads());
    drawThreads(this.under, this.lanes, this.spans, top, bottom);
    const chosen = this.selected >= 0 && this.rows[this.selected] >= 0 ? this.steps.number[this.rows[this.selected]] : -1;
    const x = (number) => this.lanes.x(this.threadAt(this.rowOf(number)));
    const arrows = typeof this.arrows === "function" ? this.arrows(chosen) : this.arrows;
    drawArrows(this.under, arrows, (number) => this.rowOf(number), x, top, bottom, chosen);
  }

  row(row) {
    const each = this.rows[row];
    const element = each >= 0 ? this.stepRow(row, each) : this.extraRow(row, this.extras[-1 - each]);
    element.style.top = `${row * ROW}px`; // a transform would make a layer that lines can't pass
    element.id = `row-${row}`;
    element.setAttribute("aria-rowindex", String(row + 2));
    if (row === this.selected) element.classList.add("selected");
    element.setAttribute("aria-selected", String(row === this.selected));
    return element;
  }

  stepRow(row, i) {
    const { steps } = this;
    const number = steps.number[i];
    const mark = this.marked.get(number) || "";
    const hit = this.matching && this.matching(i) ? " hit" : "";
    const thread = steps.thread[i];
    return this.line(`step ${mark}${hit} op-${steps.operation(i)}`, String(number), thread, this.words(i), steps.place(i), mark);
  }

  words(i) {
    const { steps } = this;
    const value = steps.valueText(i);
    const target = steps.targetName(i);
    const parts = [h("span", { class: "verb" }, show(steps.verbs.names[steps.words[i]])), " ", name(target, 120)];
    if (value && value !== target) parts.push(h("span", { class: "value" }, " = ", name(value, 120)));
    return parts;
  }

  line(kind, number, thread, words, place, mark) {
    const dot = h("span", { class: "dot" });
    dot.style.left = `${this.lanes.x(thread) - 5}px`;
    dot.style.setProperty("--hue", hue(thread));
    const inner = h("span", { class: "words" });
    const text = h("span", { class: "what" }, inner);
    text.style.left = `${this.lanes.textX(thread)}px`;
    if (this.lanes.beside) inner.append(h("span", { class: "offscreen" }, name(this.label(thread)), ": "));
    else {
      const label = show(this.label(thread), 40);
      const role = label.includes(" (") ? label.slice(label.indexOf(" (")) : "";
      inner.append(h("span", { class: "who" }, h("bdi", {}, label.slice(0, label.length - role.length), h("span", { class: "role" }, role))), " ");
    }
    inner.append(...words);
    const tag = mark.includes("conflict") ? h("span", { class: "tag" }, "conflict") : null;
    return h(
      "div",
      { class: `row ${kind}`, role: "row" },
      h("span", { class: "number", role: "rowheader" }, number),
      h("span", { class: "cell", role: "gridcell" }, dot, text, tag),
      h("span", { class: "place", role: "gridcell", title: show(place) }, ...shortPlace(place))
    );
  }

  extraRow(row, extra) {
    if (extra.kind === "fold") {
      const parts = Object.entries(extra.of).sort(([, a], [, b]) => b - a);
      const few = parts.slice(0, 4).map(([thread, steps]) => (parts.length === 1 ? brief(thread, 40) : `${steps} of ${brief(thread, 24)}`));
      const of = few.join(", ") + (parts.length > 4 ? `, and ${parts.length - 4} more threads` : "");
      const button = h("button", { type: "button", class: "fold", tabindex: "-1", "aria-expanded": String(extra.open) }, `${extra.open ? "\u25be" : "\u22ef"} ${counted(extra.count, extra.open ? "further step" : "step")}${extra.open ? "" : " omitted"}${parts.length === 1 ? " of " : ": "}${of}`);
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        this.events.onFold(extra);
      });
      return h("div", { class: "row fold-row", role: "row" }, h("span", { role: "gridcell", class: "whole" }, button));
    }
    if (extra.kind === "note") return h("div", { class: "row note-row", role: "row" }, h("span", { role: "gridcell", class: "whole" }, name(extra.text)));
    return this.line(`step ending ${extra.mark || ""}`, "!", extra.thread, [h("span", { class: "verb" }, name(extra.text, 300))], extra.place, extra.mark || "");
  }

  select(row, { quiet = false } = {}) {
    if (row < 0 || row >= this.rows.length) return;
    const before = this.pool.get(this.selected);
    before?.classList.remove("selected");
    before?.setAttribute("aria-selected", "false");
    this.selected = row;
    this.reveal(row);
    this.drawn = { first: 0, last: -1 };
    this.render();
    const element = this.pool.get(row);
    element?.classList.add("selected");
    element?.setAttribute("aria-selected", "true");
    this.scroller.setAttribute("aria-activedescendant", `row-${row}`);
    this.events.onSelect?.(row, quiet);
  }

  reveal(row) {
    const top = row * ROW;
    const { scrollTop, clientHeight } = this.scroller;
    const head = this.heads.offsetHeight || ROW;
    if (top < scrollTop) this.scroller.scrollTop = Math.max(top - 2 * ROW, 0);
    else if (top + ROW > scrollTop + clientHeight - head) this.scroller.scrollTop = top - clientHeight + head + 3 * ROW;
  }

  /** The next row from here that is a step or a wait. */
  neighbour(row, by) {
    for (let at = row + by; at >= 0 && at < this.rows.length; at += by) {
      const each = this.rows[at];
      if (each >= 0 || this.extras[-1 - each].kind !== "note") return at;
    }
    return row;
  }
}

/** The file without its folders, which may be cut, and the line, which is not. */
function shortPlace(place) {
  const [, file, line] = /^(.*?)(:\d+)?$/s.exec(place.slice(place.lastIndexOf("/") + 1));
  return [h("span", { class: "file" }, name(file, 60)), h("span", {}, line || "")];
}
