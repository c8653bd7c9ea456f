/* The page of a check that is running: asks its server for events, and shows them as they come. When the check is over, it
   is the page of the report, and needs no server any more. */

const TRIES = 4;

class Live {
  constructor(app) {
    this.app = app;
    this.next = 0;
    this.status = h("span", { class: "live", role: "status" }, "connecting");
    document.querySelector(".top .grow").after(this.status);
    Object.assign(app.data, { running: true, search: this.search() });
  }

  search() {
    return { seconds: [], executions: [], points: [], failures: [], estimate: [], frontier: [], phases: {} };
  }

  async run() {
    for (let failed = 0; failed < TRIES; ) {
      try {
        const response = await fetch(`events?after=${this.next}`, { cache: "no-store" });
        if (!response.ok) throw new Error(String(response.status));
        const { events, next, over } = await response.json();
        this.next = next;
        failed = 0;
        this.take(events);
        if (over) return this.end(this.isOver ? "" : "The check has ended without a report.");
      } catch {
        if (++failed < TRIES) await new Promise((done) => setTimeout(done, 400 * failed));
      }
    }
    return this.end("The connection to the check is lost: it has ended, or was stopped.");
  }

  take(events) {
    if (!events.length) return this.say();
    const before = new Map(this.app.findings.map((each) => [each.fingerprint, each]));
    for (const [kind, value] of events) this[kind]?.(value);
    this.app.renew(before);
    return this.say();
  }

  say() {
    const { data } = this.app;
    const open = this.open === undefined ? "" : `, ${count(this.open)} left at least`;
    const text = this.isOver ? "the check is over" : this.deciding ? "running, deciding which orders are possible" : "running";
    this.status.textContent = `${text}: ${counted(data.executions, "execution")}, ${counted(this.app.findings.length, "finding")}${this.isOver ? "" : open}`;
    this.status.classList.toggle("running", !this.isOver);
  }

  end(problem) {
    this.app.data.running = false;
    if (problem) {
      this.app.data.notes.push(problem);
      this.app.renew(new Map());
      this.status.textContent = problem;
    }
    this.status.classList.remove("running");
    announce(this.status.textContent);
  }

  /* The events; values are as cli/live/feed.py describes them. */

  begin({ target, strategy, memory_model }) {
    Object.assign(this.app.data, { target, strategy, memory_model, executions: 0, seconds: 0, verdict: "running", search: this.search() });
    this.open = undefined;
  }

  sample([time, executions, points, failures, estimate, frontier, deciding]) {
    const { data } = this.app;
    const { search } = data;
    for (const [key, value] of Object.entries({ seconds: time, executions, points, failures, estimate, frontier })) search[key].push(value);
    Object.assign(data, { executions, seconds: time });
    this.open = frontier;
    this.deciding = deciding;
  }

  note(text) {
    this.app.data.notes.push(text);
  }

  finding({ finding, sources }) {
    const { data } = this.app;
    const at = data.failures.findIndex((each) => each.fingerprint === finding.fingerprint);
    if (at >= 0) data.failures[at] = finding;
    else data.failures.push(finding);
    for (const [file, source] of Object.entries(sources)) data.sources[file] = joined(data.sources[file], source);
  }

  report(report) {
    const { data } = this.app;
    this.app.data = { ...report, running: true, search: report.search || data.search };
  }

  over() {
    this.isOver = true;
  }
}

/** The lines of a source file that two findings show. */
function joined(one, other) {
  if (!one || one.digest !== other.digest) return other;
  const lines = new Map();
  for (const { first, text } of [...one.lines, ...other.lines]) text.forEach((each, k) => lines.set(first + k, each));
  const stretches = [];
  for (const number of [...lines.keys()].sort((a, b) => a - b)) {
    const last = stretches.at(-1);
    if (last && last.first + last.text.length === number) last.text.push(lines.get(number));
    else stretches.push({ first: number, text: [lines.get(number)] });
  }
  return { ...one, lines: stretches };
}

if (App.data) {
  App.live = new Live(App);
  App.live.run();
}
