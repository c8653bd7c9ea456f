/* The panels beside the timeline: source, variables, locks, who waits for whom, "Why not?", replay. */

function card(title, key, ...children) {
  const id = `card-${key}`;
  return h("section", { class: `card ${key}`, "aria-labelledby": id }, h("h2", { id }, title), ...children);
}

class SourcePanel {
  constructor(sources) {
    this.sources = sources || {};
    this.list = h("ol", { class: "source", tabindex: "0", "aria-label": "Source lines" });
    this.title = h("span", { class: "file" });
    this.warning = h("p", { class: "warning", role: "status" });
    this.element = h("section", { class: "card source-card", "aria-label": "Source" }, h("h2", {}, this.title), this.warning, this.list);
    this.shown = "";
  }

  show(file, line, thread) {
    const source = this.sources[file];
    this.title.replaceChildren(file ? name(line ? `${file}:${line}` : file) : "no source location");
    const state = source && source.state;
    this.warning.hidden = !state;
    this.warning.textContent = state === "changed" ? "This file has changed since: these are its lines then." : state === "gone" ? "This file is gone since." : "";
    if (!source) {
      this.list.replaceChildren(h("li", { class: "missing" }, file ? "The report does not have the source." : "This step has no place in the source."));
      this.shown = "";
      return;
    }
    if (this.shown !== file) {
      this.list.replaceChildren(...source.lines.flatMap((stretch, at) => [...(at ? [h("li", { class: "gap", "aria-hidden": "true" }, "\u22ee")] : []), ...stretch.text.map((text, k) => this.line(stretch.first + k, text))]));
      this.shown = file;
    }
    for (const old of this.list.querySelectorAll(".current")) {
      old.classList.remove("current");
      old.removeAttribute("aria-current");
    }
    const current = this.list.querySelector(`[data-line="${Number(line)}"]`);
    if (!current) return;
    current.classList.add("current");
    current.setAttribute("aria-current", "step");
    current.style.setProperty("--hue", thread >= 0 ? hue(thread) : "var(--accent)");
    const middle = current.offsetTop - this.list.clientHeight / 2 + current.offsetHeight;
    this.list.scrollTop = Math.max(middle, 0);
  }

  line(number, text) {
    return h("li", { "data-line": number, class: "line" }, h("span", { class: "n", "aria-hidden": "true" }, String(number)), h("code", {}, h("bdo", { dir: "ltr" }, escaped(text, true))));
  }
}

class StatePanel {
  constructor(steps, labels, important) {
    Object.assign(this, { steps, labels, important });
    this.states = new States(steps);
    this.suffix = "";
    this.variables = h("tbody", {});
    this.locks = h("div", { class: "locks" });
    this.when = h("span", { class: "when" });
    this.element = card(
      h("span", {}, "Variables and locks ", this.when),
      "state",
      this.locks,
      h("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": "Variables" }, h("table", { class: "variables" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "variable"), h("th", { scope: "col" }, "value"), h("th", { scope: "col" }, "last access"))), this.variables))
    );
  }

  /** Before step `i`; `i` may be the number of steps: at the end. */
  show(i) {
    const { steps } = this;
    const before = this.states.after(i);
    const here = i < steps.length ? steps.target[i] : -1;
    this.when.textContent = (i < steps.length ? `before step ${steps.number[i]}` : "at the end") + this.suffix;
    const known = [...before.values.entries()].sort(([a, x], [b, y]) => (b === here) - (a === here) || this.important.has(b) - this.important.has(a) || y - x);
    if (here >= 0 && !before.values.has(here) && steps.value[i] >= 0) known.unshift([here, -1]);
    this.variables.replaceChildren(...known.slice(0, 60).map(([target, last]) => this.variable(target, last, i, here)));
    if (!known.length) this.variables.append(h("tr", {}, h("td", { colspan: "3", class: "none" }, "no value is known yet")));
    this.showLocks(i, before);
  }

  variable(target, last, i, here) {
    const { steps } = this;
    const now = last < 0 ? "" : steps.valueText(last);
    const changes = target === here && WRITING.has(steps.operation(i)) && steps.value[i] >= 0;
    const value = h("td", { class: "value" }, last < 0 ? "" : name(now, 80));
    if (changes) value.append(h("span", { class: "becomes" }, last < 0 ? "" : " \u2192 ", h("strong", {}, name(steps.valueText(i), 80))));
    const which = last < 0 ? i : last;
    const thread = steps.thread[which];
    const label = show(this.labels[steps.threads.names[thread]] || steps.threads.names[thread], 60);
    const who = h("span", { class: "by", title: label }, h("span", { class: "swatch" }), h("span", { class: "offscreen" }, `${label} `), `${WRITING.has(steps.operation(which)) ? "written" : "read"} at ${steps.number[which]}`);
    who.style.setProperty("--hue", hue(thread));
    return h("tr", { class: target === here ? "current" : null }, h("th", { scope: "row" }, pathName(steps.targetName(which), 80)), value, h("td", {}, last < 0 ? "" : who));
  }

  showLocks(i, before) {
    const { steps } = this;
    const holders = new Map();
    if (steps.held) {
      const last = new Map();
      for (let at = 0; at < Math.min(i, steps.length); at++) last.set(steps.thread[at], at);
      for (const [thread, at] of last) {
        const held = heldAfter(steps, at);
        if (held.length) holders.set(thread, held);
      }
      if (i < steps.length && steps.held[i].length) holders.set(steps.thread[i], steps.held[i]);
    } else {
      for (const [thread, held] of before.held) if (held.size) holders.set(thread, [...held.keys()].map((target) => steps.targets.names[target]));
    }
    const parts = [...holders].map(([thread, held]) => {
      const chip = h("li", { class: "holder" }, h("span", { class: "swatch" }), name(this.labels[steps.threads.names[thread]] || steps.threads.names[thread], 40), " holds ", ...held.flatMap((each, k) => [k ? ", " : "", code(each, 60)]));
      chip.style.setProperty("--hue", hue(thread));
      return chip;
    });
    this.locks.replaceChildren(parts.length ? h("ul", {}, ...parts) : h("p", { class: "none" }, "no lock is held"));
  }
}

/** The locks that a thread holds after its step `at`. */
function heldAfter(steps, at) {
  const held = [...steps.held[at]];
  const operation = steps.operation(at);
  if (operation === "acquire") return held.includes(steps.targetName(at)) ? held : [...held, steps.targetName(at)];
  if (operation !== "release") return held;
  for (let next = at + 1; next < steps.length; next++) if (steps.thread[next] === steps.thread[at]) return steps.held[next];
  const index = held.lastIndexOf(steps.targetName(at));
  if (index >= 0) held.splice(index, 1);
  return held;
}

class WhyNotPanel {
  constructor(finding, steps, labels, go) {
    Object.assign(this, { steps, labels, go });
    this.orders = finding.orders ? new Orders(finding.orders) : null;
    this.picked = [null, null];
    this.slots = [0, 1].map((k) => h("button", { type: "button", class: "slot", title: `Set to the current step (key ${"ab"[k]})`, onclick: () => this.pick(k, this.current) }));
    this.result = h("div", { class: "answer", "aria-live": "polite" });
    this.element = card("Why not the other order?", "whynot", h("p", { class: "hint" }, "Pick two steps: select one, then press ", h("kbd", {}, "a"), " or ", h("kbd", {}, "b"), "; or shift-click a row."), h("div", { class: "slots" }, this.slots[0], h("span", { "aria-hidden": "true" }, "and"), this.slots[1]), this.result);
    this.update();
  }

  pick(k, number) {
    if (number === undefined || number === null) return;
    this.picked[k] = number;
    this.update();
  }

  describe(number) {
    const i = this.steps.number.indexOf(number);
    return i < 0 ? [`step ${number}`] : [h("strong", {}, String(number)), " ", name(`${this.labels[this.steps.threadName(i)] || this.steps.threadName(i)} ${this.steps.sentence(i)}`, 70)];
  }

  update() {
    this.slots.forEach((slot, k) => slot.replaceChildren(...(this.picked[k] === null ? [`step ${"AB"[k]}: not set`] : this.describe(this.picked[k]))));
    if (!this.orders) return this.result.replaceChildren(h("p", {}, "This report does not carry the answers (the execution is too long, or has operations that are not tracked, timeouts that fire, or delayed stores; or the finding is not among the first)."));
    const [one, other] = this.picked;
    if (one === null || other === null) return this.result.replaceChildren();
    const { answer, path } = this.orders.ask(one, other);
    const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
    const says = {
      possible: `Yes: step ${later} can come before step ${earlier}. There is an execution in which every thread takes the same branches until then.`,
      impossible: `No: step ${later} can't come before step ${earlier}.`,
      undecided: "The solver has given no answer for these two.",
      unknown: one === other ? "These are the same step." : "The report has no answer for these two: it asks about the steps that matter.",
    };
    this.result.className = `answer ${answer}`;
    this.result.replaceChildren(h("p", { class: "says" }, says[answer]), path.length ? h("ol", { class: "path" }, ...withoutDetours(path).map((edge) => this.edge(edge))) : "");
  }

  link(number) {
    const i = this.steps.number.indexOf(number);
    const title = i < 0 ? null : show(`${this.labels[this.steps.threadName(i)] || this.steps.threadName(i)} ${this.steps.sentence(i)}`);
    return h("button", { type: "button", class: "link", title, onclick: () => this.go(number) }, `step ${number}`);
  }

  edge(edge) {
    return h("li", {}, this.link(edge.from), " before ", this.link(edge.to), ": ", h("span", { class: "reason" }, BECAUSE[edge.reason] || show(edge.reason)), edge.target ? h("span", {}, " (", code(edge.target, 60), ")") : "");
  }
}

/** The path with successive steps of one thread taken together. */
function withoutDetours(path) {
  const short = [];
  for (const edge of path) {
    const last = short.at(-1);
    if (last && last.reason === "program order" && edge.reason === "program order") short[short.length - 1] = { ...last, to: edge.to };
    else short.push(edge);
  }
  return short;
}

/** Who waits for whom, as a circle of threads and the locks between them. */
function waitingGraph(finding, labels, threadNumber) {
  const waiting = finding.waiting;
  const [width, height] = [400, Math.max(150, 60 + 44 * Math.min(waiting.length, 4))];
  const [cx, cy, rx, ry] = [width / 2, height / 2, width / 2 - 84, height / 2 - 26];
  const at = new Map();
  const names = [...new Set(waiting.flatMap((each) => [each.thread, ...(each.held_by ? [each.held_by] : [])]))].slice(0, 12);
  names.forEach((thread, k) => {
    const angle = Math.PI + (2 * Math.PI * k) / names.length;
    at.set(thread, names.length === 1 ? [cx, cy + 20] : [cx + rx * Math.cos(angle), cy + (names.length > 2 ? ry : 0) * Math.sin(angle)]);
  });
  const graph = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "waits", role: "img", "aria-label": waitingWords(finding, labels) });
  graph.append(s("defs", {}, s("marker", { id: "wait-head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, s("path", { d: "M0 0.5 L8 4 L0 7.5 z" }))));
  for (const each of waiting) {
    const from = at.get(each.thread);
    if (!from) continue;
    const to = each.held_by ? at.get(each.held_by) : null;
    if (!to) {
      graph.append(s("text", { x: from[0], y: from[1] + 30, "text-anchor": "middle", class: "for" }, brief(`waits for ${plainWait(each.for)}`, 46)));
      continue;
    }
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy) || 1;
    const [nx, ny] = each.thread === each.held_by ? [0, -1] : [dy / length, -dx / length];
    const bend = names.length > 2 ? 24 : 46;
    const [mx, my] = [(from[0] + to[0]) / 2 + nx * bend, (from[1] + to[1]) / 2 + ny * bend];
    const [sx, sy, ex, ey] = each.thread === each.held_by ? [from[0] - 22, from[1] - 14, to[0] + 22, to[1] - 16] : [from[0] + nx * 15, from[1] + ny * 15, to[0] + nx * 17, to[1] + ny * 17];
    graph.append(s("path", { d: `M ${sx} ${sy} Q ${mx} ${my - (each.thread === each.held_by ? 26 : 0)} ${ex} ${ey}`, class: "wait", "marker-end": "url(#wait-head)" }));
    graph.append(s("text", { x: (sx + ex) / 4 + mx / 2, y: (sy + ey) / 4 + my / 2 + (each.thread === each.held_by ? -22 : ny > 0 ? 16 : -6), "text-anchor": "middle", class: "for" }, brief(plainWait(each.for), 30)));
  }
  for (const [thread, [x, y]] of at) {
    const box = s("rect", { x: x - 74, y: y - 14, width: 148, height: 28, rx: 14, class: "who" });
    box.style.stroke = hue(threadNumber(thread));
    graph.append(box, s("text", { x, y: y + 4.5, "text-anchor": "middle", class: "who" }, brief(labels[thread] || thread, 20)));
  }
  const list = h("ul", { class: "wait-list" }, ...waiting.slice(0, 30).map((each) => h("li", {}, name(labels[each.thread] || each.thread), " waits for ", code(plainWait(each.for), 80), each.held_by ? h("span", {}, ", held by ", name(labels[each.held_by] || each.held_by), each.held_since ? h("span", {}, " since ", name(each.held_since.text)) : "") : "")));
  return card(finding.kind === "deadlock" ? "Who waits for whom" : "Waits for ever", "cycle", waiting.some((each) => each.held_by) ? graph : "", list);
}

function plainWait(text) {
  return String(text).split(" created at ")[0];
}

function waitingWords(finding, labels) {
  return finding.waiting.map((each) => `${labels[each.thread] || each.thread} waits for ${plainWait(each.for)}${each.held_by ? ", held by " + (labels[each.held_by] || each.held_by) : ""}`).map((each) => show(each)).join("; ");
}

function replayCard(finding) {
  const proof = [];
  if (finding.witness?.events) proof.push(finding.witness.checked ? `witness checked (${counted(finding.witness.events, "event")})` : "witness not checked");
  if (finding.replayed !== null && finding.replayed !== undefined) proof.push(finding.replayed ? "replayed" : "not replayed: it did not happen again");
  const parts = [h("p", { class: "proof" }, proof.join(", ") || "no replay")];
  for (const [label, text] of [["command", finding.replay], ["token", finding.token && !finding.replay.includes(finding.token) ? `mazurka replay ${finding.token}` : ""]]) {
    if (text) parts.push(h("div", { class: "copy" }, h("span", { class: "label" }, label), h("code", { title: show(text, 4000) }, show(text, 4000)), copyButton("copy", text)));
  }
  return card("Replay", "replay", ...parts);
}

function moreCard(finding) {
  const parts = [];
  if (finding.frames?.length) parts.push(h("h3", {}, "Traceback"), h("ol", { class: "frames" }, ...finding.frames.map((frame) => h("li", {}, name(frame.location.text), " ", code(frame.text, 160)))));
  if (finding.output) parts.push(h("h3", {}, "Output of the failing execution"), h("pre", { tabindex: "0" }, showLines(finding.output)));
  const facts = [["kind", finding.kind], ["found by", finding.engine], ["scheduling points", finding.steps], ["context switches", finding.context_switches], ["preemptions", finding.preemptions], ["alike", finding.alike > 1 ? finding.alike : null], ["fingerprint", finding.fingerprint], ["schedule", finding.schedule]];
  parts.push(h("dl", { class: "facts" }, ...facts.filter(([, value]) => value !== null && value !== undefined && value !== "").flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, name(value))])));
  return card("Details", "more", ...parts);
}
