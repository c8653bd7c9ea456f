/* The observed and the predicted order side by side; the events that moved are highlighted and joined by lines. */

class Compare {
  constructor(model, select) {
    this.model = model;
    const observed = [...model.steps.number.keys()];
    const predicted = [...model.inPredictedOrder().rows];
    const at = new Map(predicted.map((i, row) => [i, row]));
    const kept = longestAscending(predicted);
    this.moved = new Set(predicted.filter((_, row) => !kept.has(row)));
    const next = new Set(model.finding.events.map((number) => model.indexOf.get(number)));
    const line = (i, row, side) => {
      const conflict = next.has(i);
      const state = side === "observed" && !at.has(i) ? " gone" : this.moved.has(i) ? " moved" : "";
      const marks = [];
      if (conflict) marks.push(h("span", { class: "tag" }, side === "predicted" ? "conflict, next" : "conflict"));
      else if (state === " moved" && side === "predicted") marks.push(h("span", { class: "tag moved" }, "moved"));
      else if (state === " gone") marks.push(h("span", { class: "tag gone" }, "not yet"));
      const button = h("button", { type: "button", class: `event${conflict ? " conflict" : ""}${state}`, "data-step": i, onclick: () => select(i) }, h("span", { class: "number" }, String(model.steps.number[i])), h("span", { class: "swatch" }), h("span", { class: "text" }, h("span", { class: "who" }, name(model.labels[model.steps.threadName(i)] || model.steps.threadName(i), 24)), " ", name(model.steps.sentence(i), 90)), ...marks);
      button.style.setProperty("--hue", hue(model.steps.thread[i]));
      return h("li", {}, button);
    };
    this.left = h("ol", {}, ...observed.map((i, row) => line(i, row, "observed")));
    this.right = h("ol", {}, ...predicted.map((i, row) => line(i, row, "predicted")));
    this.links = s("svg", { class: "links", "aria-hidden": "true", width: 48, height: observed.length * 26 });
    for (const [i, row] of at) {
      const conflict = next.has(i);
      if (!this.moved.has(i) && !conflict) continue;
      const [y1, y2] = [observed.indexOf(i) * 26 + 13, row * 26 + 13];
      this.links.append(s("path", { d: `M 0 ${y1} C 24 ${y1}, 24 ${y2}, 48 ${y2}`, class: conflict ? "conflict" : "moved" }));
    }
    const column = (title, list) => h("div", { class: "column" }, h("h3", {}, title), list);
    this.element = h("section", { class: "compare", tabindex: "0", "aria-label": "Observed and predicted order" }, column("Observed", this.left), h("div", { class: "between" }, this.links), column("Predicted", this.right));
  }

  /** Scroll so that the conflicting events of the predicted order are in view. */
  reveal() {
    const conflicts = [...this.right.querySelectorAll(".conflict")];
    if (!conflicts.length) return;
    const top = conflicts[0].closest("li").offsetTop;
    const bottom = conflicts.at(-1).closest("li").offsetTop + 26;
    const height = this.element.clientHeight;
    this.element.scrollTop = bottom > height ? Math.max(Math.min(top - 40, bottom - height + 30), 0) : 0;
  }

  mark(i) {
    for (const old of this.element.querySelectorAll(".chosen")) old.classList.remove("chosen");
    const chosen = [...this.element.querySelectorAll(`[data-step="${Number(i)}"]`)];
    for (const each of chosen) each.classList.add("chosen");
    chosen.at(-1)?.scrollIntoView({ block: "nearest" });
  }
}
