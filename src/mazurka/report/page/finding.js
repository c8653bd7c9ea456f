/* The page of one finding. */

class FindingView extends StepView {
  constructor(data, finding, position) {
    super();
    Object.assign(this, { data, finding });
    this.model = new Model(finding);
    const { steps, labels } = this.model;
    this.timeline = new Timeline(steps, labels, {
      onSelect: (row, quiet) => this.selected(row, quiet),
      onFold: (extra) => this.open(extra.from),
      onAsk: (row) => this.ask(row),
    });
    this.timeline.arrows = finding.arrows || [];
    this.timeline.marked = this.model.marked;
    this.source = new SourcePanel(data.sources);
    this.state = new StatePanel(steps, labels, this.model.important);
    if (this.model.predicted) this.state.suffix = ", as recorded";
    this.whyNot = new WhyNotPanel(finding, steps, labels, (number) => this.go(number));
    this.bar = new FilterBar(this.model, { onFilter: () => this.refresh(), onSearch: (text) => this.search(text), onNext: (by) => this.nextHit(by) });
    this.modes = this.modeButtons();
    this.pane = h("div", { class: "pane" });
    const graph = this.model.waiting.length ? waitingGraph({ ...finding, waiting: this.model.waiting }, labels, (thread) => steps.threads.number(thread)) : null;
    this.side = h("aside", { class: "side", "aria-label": "The current step" }, graph, this.source.element, ...(steps.length ? [this.state.element, this.whyNot.element] : []), replayCard(finding), moreCard(finding));
    this.element = h("div", { class: "finding" }, this.head(position), h("div", { class: "toolbar" }, this.modes, this.bar.element), h("div", { class: "split" }, this.pane, this.side));
  }

  head(position) {
    const { finding } = this;
    const shape = finding.explanation.shape || finding.kind.replace(/-/g, " ");
    const place = finding.location ? h("span", { class: "where" }, name(finding.location.text), finding.location.function ? h("span", {}, " in ", name(finding.location.function)) : "") : "";
    return h(
      "header",
      { class: "finding-head" },
      h("div", { class: "title" }, h("span", { class: "chip bad" }, name(shape)), h("h1", { title: show(finding.message, 2000) }, name(firstLine(finding.message), 220)), position),
      h("p", { class: "sentence" }, name(finding.explanation.sentence, 900), " ", place)
    );
  }

  modeButtons() {
    const modes = this.model.predicted ? { compare: "side by side", predicted: "predicted order", whole: "observed order" } : this.model.fromRows ? { shrunk: "its events" } : { shrunk: "shrunk", whole: `whole execution (${count(this.model.steps.length)})` };
    this.mode = Object.keys(modes)[0];
    const buttons = Object.entries(modes).map(([mode, label]) => h("button", { type: "button", "data-mode": mode, "aria-pressed": String(mode === this.mode), onclick: () => this.setMode(mode) }, label));
    return h("div", { class: "modes", role: "group", "aria-label": "View" }, ...buttons);
  }

  setMode(mode) {
    this.mode = mode;
    for (const each of this.modes.children) each.setAttribute("aria-pressed", String(each.dataset.mode === mode));
    this.refresh();
    announce(`${mode} view`);
  }

  /** To be called when the element is in the document. */
  shown() {
    this.refresh();
    if (!this.model.steps.length) return;
    const first = this.model.conflicting[0] ?? this.model.steps.number[0];
    const row = this.model.waiting.length && !this.model.predicted ? this.timeline.rows.length - 1 : this.timeline.rowOf(first);
    this.timeline.select(Math.max(row, 0), { quiet: true });
    this.center();
    this.compare?.reveal();
    takeFocus(this.timeline.scroller);
  }

  refresh() {
    const { rows, extras } = this.mode === "shrunk" ? this.model.shrunk() : this.mode === "predicted" ? this.model.inPredictedOrder() : this.model.whole();
    if (!this.model.steps.length) return this.pane.replaceChildren(h("p", { class: "hint empty" }, "The report has no steps of this finding."));
    if (this.mode === "compare") {
      this.compare = this.compare || new Compare(this.model, (i) => this.select(i));
      this.pane.replaceChildren(this.compare.element);
    } else {
      this.pane.replaceChildren(this.timeline.element);
    }
    this.timeline.arrows = this.mode === "predicted" ? [] : this.finding.arrows || [];
    this.timeline.setRows(rows, extras);
    this.bar.say(rows.filter((each) => each >= 0).length, this.model.steps.length);
  }

  select(i) {
    const row = this.timeline.rowOf(this.model.steps.number[i]);
    if (row >= 0) this.timeline.select(row);
    else this.showStep(i, false);
  }

  selected(row, quiet) {
    const each = this.timeline.rows[row];
    if (each >= 0) return this.showStep(each, quiet);
    const extra = this.timeline.extras[-1 - each];
    if (extra.kind === "fold") return this.showStep(extra.from, quiet);
    if (extra.kind !== "ending") return;
    this.source.show(extra.location?.file, extra.location?.line, extra.thread);
    this.state.show(this.model.steps.length);
    this.whyNot.current = null;
    if (!quiet) announce(`${this.timeline.label(extra.thread)} ${extra.text}`);
  }

  go(number) {
    if (this.timeline.rowOf(number) < 0) this.setMode(this.model.predicted ? this.mode : "whole");
    const row = this.timeline.rowOf(number);
    if (row >= 0) this.timeline.select(row);
  }

  ask(row) {
    const current = this.whyNot.current;
    this.timeline.select(row);
    this.whyNot.pick(0, current);
    this.whyNot.pick(1, this.whyNot.current);
    this.whyNot.element.scrollIntoView({ block: "nearest" });
  }

  open(from) {
    this.model.opened.has(from) ? this.model.opened.delete(from) : this.model.opened.add(from);
    this.refresh();
  }

  nextMode() {
    const modes = [...this.modes.children].map((each) => each.dataset.mode);
    return modes[(modes.indexOf(this.mode) + 1) % modes.length];
  }
}

function firstLine(text) {
  return String(text).trim().split("\n")[0] || "(no message)";
}
