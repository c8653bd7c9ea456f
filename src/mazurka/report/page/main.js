/* Routing by the hash, themes, keys, help. */

const HELP = [
  ["j, \u2193", "next step"],
  ["k, \u2191", "previous step"],
  ["Home, End", "first, last step"],
  ["n, p", "next, previous conflicting step"],
  ["Enter, o", "open a fold"],
  ["w", "next view: shrunk, whole"],
  ["a, b", "pick the step for \u201cWhy not?\u201d; shift-click asks at once"],
  ["/", "search; Enter: next match"],
  ["[, ]", "previous, next finding"],
  ["u", "overview"],
  ["t", "light or dark"],
  ["?", "this help"],
];

const App = {
  data: null,
  view: null,

  start() {
    const found = document.getElementById("data");
    this.data = JSON.parse(found.textContent);
    found.remove();
    this.findings = findingsOf(this.data);
    this.dialog = h("dialog", { "aria-label": "Keys" }, h("h2", {}, "Keys"), h("table", { class: "keys" }, ...HELP.map(([key, does]) => h("tr", {}, h("th", { scope: "row" }, ...key.split(", ").flatMap((each, k) => [k ? " " : "", h("kbd", {}, each)])), h("td", {}, does)))), h("button", { type: "button", onclick: () => this.dialog.close() }, "close"));
    this.main = h("main", { id: "main" });
    document.body.append(this.header(), this.main, this.dialog, h("div", { id: "live", class: "offscreen", "aria-live": "polite" }));
    addEventListener("hashchange", () => this.route());
    addEventListener("keydown", (event) => this.key(event));
    if (location.protocol === "about:") addEventListener("click", (event) => this.follow(event));
    this.route();
  },

  /** In a frame of a notebook, links within the page would lead to the notebook's address. */
  follow(event) {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    location.hash = link.getAttribute("href");
  },

  header() {
    this.subject = h("span", { class: "subject" });
    this.entitle();
    return h(
      "header",
      { class: "top" },
      h("a", { class: "brand", href: "#/", title: "Overview (u)" }, logo(), h("strong", {}, "Mazurka")),
      this.subject,
      h("span", { class: "grow" }),
      h("button", { type: "button", class: "small", onclick: () => this.theme(), title: "Light or dark (t)" }, "theme"),
      h("button", { type: "button", class: "small", onclick: () => this.help(), title: "Keys (?)" }, "keys ?")
    );
  },

  entitle() {
    const { data } = this;
    const subject = data.target || data.source || data.recording || "";
    document.title = `${show(subject, 80)} \u2013 Mazurka`;
    this.subject.replaceChildren(name(subject, 120));
  },

  /** Show changed data; `before` has the findings until now, by fingerprint. The page of a finding that is the same stays. */
  renew(before) {
    const shown = this.findings[this.at];
    this.findings = findingsOf(this.data);
    this.entitle();
    if (!shown) return this.view.renew(this.data);
    const at = this.findings.findIndex((each) => each.fingerprint === shown.fingerprint);
    if (at !== this.at) location.replace(at < 0 ? "#/" : `#/finding/${at + 1}`);
    else if (this.findings[at] !== before.get(shown.fingerprint)) this.route();
  },

  route() {
    const match = /^#\/finding\/(\d+)$/.exec(location.hash);
    const alone = this.findings.length === 1 && location.hash !== "#/" && !this.data.running;
    const at = match ? Number(match[1]) - 1 : alone ? 0 : -1;
    const finding = this.findings[at];
    this.at = finding ? at : -1;
    if (this.data.columns) this.view = new RecordingView(this.data);
    else this.view = finding ? new FindingView(this.data, finding, this.position(at)) : new OverviewView(this.data);
    document.body.classList.toggle("fixed", Boolean(finding || this.data.columns));
    this.main.replaceChildren(this.view.element);
    this.view.shown();
  },

  position(at) {
    const total = this.findings.length;
    if (total < 2) return "";
    const link = (to, text, label) => (to >= 0 && to < total ? h("a", { href: `#/finding/${to + 1}`, "aria-label": label }, text) : h("span", { class: "none", "aria-hidden": "true" }, text));
    return h("nav", { class: "position", "aria-label": "Findings" }, link(at - 1, "\u2190", "previous finding"), h("a", { href: "#/" }, `${at + 1} of ${total}`), link(at + 1, "\u2192", "next finding"));
  },

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.dialog.open) return;
    const tag = event.target.tagName;
    if (tag === "INPUT" || tag === "SELECT" || tag === "TEXTAREA") return;
    if ((tag === "BUTTON" || tag === "A" || tag === "SUMMARY") && (event.key === "Enter" || event.key === " ")) return;
    if (this.own(event.key) || this.view.key?.(event.key)) event.preventDefault();
  },

  own(key) {
    const total = this.findings.length;
    if (key === "?") return this.help(), true;
    if (key === "t") return this.theme(), true;
    if (key === "u") return (location.hash = "#/"), true;
    if (key === "]" && this.at + 1 < total) return (location.hash = `#/finding/${this.at + 2}`), true;
    if (key === "[" && this.at > 0) return (location.hash = `#/finding/${this.at}`), true;
    return false;
  },

  help() {
    this.dialog.showModal();
  },

  theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    announce(`${root.dataset.theme} theme`);
  },
};

function logo() {
  const mark = s("svg", { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true", class: "logo" });
  mark.append(s("path", { d: "M5 3 V9 C5 14 19 10 19 15 V21" }), s("path", { d: "M19 3 V9 C19 14 5 10 5 15 V21" }));
  return mark;
}

try {
  App.start();
} catch (error) {
  document.body.replaceChildren(h("p", { role: "alert", class: "warning" }, `This report can't be shown: ${show(error.message)}`));
  throw error;
}
