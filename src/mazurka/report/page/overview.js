/* The overview: the result of the request, and a table of the findings: sorted, filtered, grouped. */

const COLUMNS = [
  ["kind", "kind", (each) => each.explanation?.shape || each.kind],
  ["message", "message", (each) => firstLine(each.message)],
  ["location", "location", (each) => (each.location ? each.location.text : "")],
  ["threads", "threads", (each) => new Set(each.threads?.length ? each.threads : [each.thread]).size],
  ["alike", "alike", (each) => each.alike ?? 1],
  ["proof", "proof", (each) => (each.by ? "suppressed" : each.replayed ? "replayed" : each.witness?.checked ? "witness" : "")],
];

const ROWS_SHOWN = 500;
const COLLATOR = new Intl.Collator("en", { numeric: true });

class OverviewView {
  constructor(data) {
    this.sort = null;
    this.descending = false;
    this.group = "";
    this.input = h("input", { type: "search", placeholder: "filter findings ( / )", "aria-label": "Filter findings", autocomplete: "off" });
    this.input.addEventListener("input", () => this.fill());
    this.input.addEventListener("keydown", (event) => event.stopPropagation());
    this.grouping = h("select", { "aria-label": "Group by" }, ...[["", "no groups"], ["kind", "group by kind"], ["location", "group by location"]].map(([value, label]) => h("option", { value }, label)));
    this.grouping.addEventListener("change", () => ((this.group = this.grouping.value), this.fill()));
    this.body = h("div", { class: "scrolled-table", tabindex: "0", role: "group", "aria-label": "Findings" });
    this.tools = h("div", { class: "toolbar" }, this.grouping, this.input);
    this.element = h("div", { class: "overview" });
    this.renew(data);
  }

  /** Show this data; the filter, the order and the focus stay. */
  renew(data) {
    const focused = document.activeElement;
    const at = this.shownRows?.[[...this.element.querySelectorAll("td a")].indexOf(focused)];
    this.data = data;
    this.findings = findingsOf(data);
    const table = this.findings.length || this.suppressed().length ? [this.tools, this.body] : [];
    this.element.replaceChildren(this.verdict(), ...table, ...searchCards(data), this.facts());
    this.fill();
    if (at !== undefined) this.element.querySelector(`td a[href="#/finding/${at + 1}"]`)?.focus({ preventScroll: true });
    else if (this.element.contains(focused)) focused.focus({ preventScroll: true });
  }

  suppressed() {
    return Array.isArray(this.data.suppressed) ? this.data.suppressed : [];
  }

  verdict() {
    const { data } = this;
    const found = this.findings.length;
    const verdict = data.verdict || (found ? "violation" : "no bug predicted");
    const tone = found ? "bad" : verdict === "verified" ? "good" : "open";
    const done = data.executions !== undefined ? `${counted(data.executions, "execution")} in ${seconds(data.seconds)} (${data.strategy}, ${data.memory_model})` : `${counted(data.events ?? 0, "event")} of ${counted(data.threads ?? 0, "thread")} in ${seconds(data.seconds)} (${data.engine})`;
    return h("header", { class: "finding-head" }, h("div", { class: "title" }, h("span", { class: `chip ${tone}` }, show(verdict)), h("h1", {}, found ? counted(found, "finding") + (data.running ? " until now" : "") : data.running ? "No finding until now" : verdict === "verified" ? "No order of the threads fails" : "No finding")), h("p", { class: "sentence" }, name(data.reason || "", 600), " ", h("span", { class: "where" }, name(data.target || data.source || ""), ": ", done)));
  }

  fill() {
    const wanted = this.input.value.trim().toLowerCase();
    const rows = [...this.findings.map((each, k) => [each, k]), ...this.suppressed().map((each) => [each, -1])];
    const texts = ([each]) => COLUMNS.map(([, , value]) => String(value(each))).join(" ").toLowerCase();
    let shown = wanted ? rows.filter((row) => texts(row).includes(wanted)) : rows;
    if (this.sort !== null) {
      const [, , value] = COLUMNS[this.sort];
      shown = [...shown].sort(([a], [b]) => compareValues(value(a), value(b)) * (this.descending ? -1 : 1));
    }
    const heads = COLUMNS.map(([key, label], k) => h("th", { scope: "col", "aria-sort": this.sort === k ? (this.descending ? "descending" : "ascending") : null }, h("button", { type: "button", class: "sort", onclick: () => this.sortBy(k) }, label, this.sort === k ? (this.descending ? " \u2193" : " \u2191") : "")));
    const bodies = this.groups(shown).map(([title, group]) => h("tbody", {}, title ? h("tr", { class: "group" }, h("th", { colspan: String(COLUMNS.length), scope: "rowgroup" }, name(title), ` (${group.length})`)) : null, ...group.slice(0, ROWS_SHOWN).map((row) => this.row(row)), group.length > ROWS_SHOWN ? h("tr", {}, h("td", { colspan: String(COLUMNS.length), class: "none" }, `${count(group.length - ROWS_SHOWN)} more: filter or group them`)) : null));
    this.body.replaceChildren(h("table", { class: "findings" }, h("thead", {}, h("tr", {}, ...heads)), ...bodies));
    this.shownRows = shown.map(([, k]) => k).filter((k) => k >= 0);
  }

  groups(rows) {
    if (!this.group) return [["", rows]];
    const groups = new Map();
    const [, , value] = COLUMNS.find(([key]) => key === this.group);
    for (const row of rows) {
      const key = value(row[0]) || "(unknown)";
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(row);
    }
    return [...groups].sort(([, a], [, b]) => b.length - a.length);
  }

  row([each, k]) {
    const cells = COLUMNS.map(([key, , value], at) => {
      const text = name(value(each), 160);
      return h("td", { class: key }, at === 1 && k >= 0 ? h("a", { href: `#/finding/${k + 1}` }, text) : text, at === 5 && each.by ? h("span", { class: "by" }, " by ", code(each.by, 80)) : "");
    });
    return h("tr", { class: k < 0 ? "suppressed" : null }, ...cells);
  }

  sortBy(k) {
    this.descending = this.sort === k && !this.descending;
    this.sort = k;
    this.fill();
  }

  facts() {
    const { data } = this;
    const parts = [];
    const list = (title, items) => items?.length && parts.push(h("h3", {}, title), h("ul", {}, ...items.map((each) => h("li", {}, name(each, 600)))));
    if (data.targets?.length) parts.push(h("h3", {}, "Targets"), plainTable(data.targets));
    if (data.scope) parts.push(h("p", {}, `Covered: ${counted(data.scope.threads, "thread")}, at most ${counted(data.scope.points, "scheduling point")} per execution; ${data.complete ? "no execution is left" : "executions are left"}.`));
    list("Assumed", data.scope?.assumptions);
    list("Untracked", Object.entries(data.untracked || {}).map(([key, times]) => `${key} (${times})`));
    list("Uncontrolled", Object.entries(data.uncontrolled || {}).map(([key, times]) => `${key} (${times})`));
    list("Notes", data.notes);
    list("Errors in Mazurka", [...(data.inconsistencies || []), ...(data.refused || [])]);
    list("Unused suppressions", data.unused_suppressions);
    if (data.stages?.length) parts.push(h("h3", {}, "Stages"), plainTable(data.stages));
    list("Suppression rules", (data.suppressions || []).map((each) => `${each.rule}: ${counted(each.findings, "finding")}`));
    return parts.length ? card("Scope and remarks", "scope", ...parts) : "";
  }

  shown() {
    takeFocus(this.element.querySelector("a"));
  }

  key(key) {
    if (key === "/") return this.input.focus(), true;
    const links = [...this.element.querySelectorAll("td a")];
    const at = links.indexOf(document.activeElement);
    if (key === "j" || key === "ArrowDown") return links[Math.min(at + 1, links.length - 1)]?.focus(), true;
    if (key === "k" || key === "ArrowUp") return links[Math.max(at - 1, 0)]?.focus(), true;
    return false;
  }
}

function findingsOf(data) {
  return data.failures || data.findings || [];
}

function compareValues(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : COLLATOR.compare(String(a), String(b));
}

function seconds(number) {
  return number >= 0.01 || !number ? `${Number(number || 0).toFixed(2)} s` : `${(number * 1000).toFixed(1)} ms`;
}

function roundedText(number) {
  return Number.isInteger(number) ? count(number) : Number(number.toPrecision(3)).toString();
}

function plainTable(objects) {
  const keys = Object.keys(objects[0]);
  const table = h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...keys.map((key) => h("th", { scope: "col" }, show(key))))), h("tbody", {}, ...objects.map((each) => h("tr", {}, ...keys.map((key) => h("td", { class: /(\s.*){4}/.test(String(each[key])) ? "prose" : null }, name(typeof each[key] === "number" ? roundedText(each[key]) : each[key])))))));
  return h("div", { class: "scrolled-plain", tabindex: "0", role: "group", "aria-label": "Table" }, table);
}

/** Plots of a search; nothing without data. */
function searchCards(data) {
  if (!data.search) return [];
  return [...searchPlots(data.search), ...(data.search.tree ? [explorationTree(data.search.tree)] : [])];
}
