/* Filters by thread, location, lock and file, and the search field. */

const FILTER_OPTIONS = 400;

class FilterBar {
  constructor(model, events) {
    Object.assign(this, { model, events });
    const { steps } = model;
    this.chosen = {};
    const named = new Map();
    for (let i = steps.length - 1; i >= 0; i--) named.set(steps.target[i], steps.targetName(i));
    this.filters = [
      this.filter("thread", "all threads", unique(steps.thread), (thread) => model.labels[steps.threads.names[thread]] || steps.threads.names[thread]),
      this.filter("operation", "all operations", unique(steps.op), (op) => steps.ops.names[op]),
      this.filter("target", "all variables", unique(steps.target), (target) => named.get(target)),
      this.filter("lock", "any locks held", unique(steps.held ? steps.held.flatMap((each) => each) : []), (lock) => lock),
      this.filter("file", "all files", unique(steps.file).filter((each) => each >= 0), (file) => steps.files.names[file]),
    ];
    this.input = h("input", { type: "search", placeholder: "search steps ( / )", "aria-label": "Search steps", autocomplete: "off", spellcheck: "false" });
    this.input.addEventListener("input", () => events.onSearch(this.input.value));
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") events.onNext(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") (this.input.value = ""), events.onSearch(""), this.input.blur();
      event.stopPropagation();
    });
    this.status = h("span", { class: "status", role: "status" });
    this.element = h("div", { class: "filters", role: "search", "aria-label": "Filter and search steps" }, ...this.filters.filter(Boolean), this.input, this.status);
  }

  filter(key, all, values, label) {
    if (values.length < 2 && !(key === "lock" && values.length)) return null;
    const select = h("select", { "aria-label": `Filter by ${key}` }, h("option", { value: "" }, all), ...values.slice(0, FILTER_OPTIONS).map((value, k) => h("option", { value: String(k) }, (key === "lock" ? "holding " : "") + show(label(value), 60))));
    select.addEventListener("change", () => {
      this.chosen[key] = select.value === "" ? undefined : values[Number(select.value)];
      this.apply();
    });
    return select;
  }

  apply() {
    const { steps } = this.model;
    const { thread, operation, target, lock, file } = this.chosen;
    const none = [thread, operation, target, lock, file].every((each) => each === undefined);
    this.model.filter = none
      ? null
      : (i) =>
          (thread === undefined || steps.thread[i] === thread) &&
          (operation === undefined || steps.op[i] === operation) &&
          (target === undefined || steps.target[i] === target) &&
          (lock === undefined || steps.held[i].includes(lock) || steps.targetName(i) === lock) &&
          (file === undefined || steps.file[i] === file);
    this.events.onFilter();
  }

  say(shown, of) {
    this.total = shown === of ? "" : `${count(shown)} of ${counted(of, "step")}`;
    this.status.textContent = this.total;
  }

  hits(number) {
    this.status.textContent = number === null ? this.total : counted(number, "match").replace("matchs", "matches");
  }

  focus() {
    this.input.focus();
    this.input.select();
  }
}

function unique(values) {
  return [...new Set(values)];
}
