/* A view of steps with a timeline: stepping, searching, keys. The pages of findings and of recordings are such views.

   A subclass has: timeline, model, source, state, bar, and may have whyNot, compare, modes. */

class StepView {
  showStep(i, quiet) {
    const { steps } = this.model;
    this.source.show(steps.fileName(i), steps.line[i], steps.thread[i]);
    this.state.show(i);
    if (this.whyNot) this.whyNot.current = steps.number[i];
    this.compare?.mark(i);
    if (!quiet) announce(`step ${steps.number[i]}: ${this.timeline.label(steps.thread[i])} ${steps.sentence(i)}`);
  }

  /** Scroll so that all steps in conflict are in view, if they fit. */
  center() {
    const rows = this.conflictRows();
    if (!rows.length) return;
    const { clientHeight } = this.timeline.scroller;
    const [top, bottom] = [rows[0] * ROW, (rows.at(-1) + 2) * ROW];
    this.timeline.scroller.scrollTop = bottom < clientHeight - ROW ? 0 : Math.max(Math.min(top - 3 * ROW, bottom - clientHeight / 2), 0);
    this.timeline.render();
  }

  conflictRows() {
    const rows = this.model.conflicting.map((number) => this.timeline.rowOf(number));
    this.timeline.rows.forEach((each, row) => each < 0 && this.timeline.extras[-1 - each].mark?.includes("conflict") && rows.push(row));
    return rows.filter((row) => row >= 0).sort((a, b) => a - b);
  }

  /** Marks the steps in which each word of the text occurs: in the thread, operation, target, value or place. */
  search(text) {
    const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
    this.timeline.matching = words.length ? matcher(this.model.steps, words, (thread) => this.timeline.label(thread)) : null;
    this.timeline.clear();
    this.timeline.render();
    let hits = 0;
    if (words.length) for (const each of this.timeline.rows) if (each >= 0 && this.timeline.matching(each)) hits++;
    this.bar.hits(words.length ? hits : null);
    if (hits) this.nextHit(1, 0);
  }

  nextHit(by, from = 1) {
    const { timeline } = this;
    const total = timeline.rows.length;
    if (!timeline.matching) return;
    for (let k = from; k <= total; k++) {
      const row = (((timeline.selected + by * k) % total) + total) % total;
      if (timeline.rows[row] >= 0 && timeline.matching(timeline.rows[row])) return timeline.select(row);
    }
  }

  /** Handles a key; returns whether it did. */
  key(key) {
    const { timeline } = this;
    const at = timeline.selected;
    const to = (row) => (timeline.select(row), true);
    const conflicts = this.conflictRows();
    switch (key) {
      case "j": case "ArrowDown": return to(timeline.neighbour(at, 1));
      case "k": case "ArrowUp": return to(timeline.neighbour(at, -1));
      case "PageDown": return to(Math.min(at + 15, timeline.rows.length - 1));
      case "PageUp": return to(Math.max(at - 15, 0));
      case "Home": return to(timeline.neighbour(-1, 1));
      case "End": return to(timeline.rows.length - 1);
      case "n": return to(conflicts.find((row) => row > at) ?? conflicts[0] ?? at);
      case "p": return to(conflicts.findLast((row) => row < at) ?? conflicts.at(-1) ?? at);
      case "w": return this.modes && this.setMode(this.nextMode()), true;
      case "a": return this.whyNot?.pick(0, this.whyNot.current), true;
      case "b": return this.whyNot?.pick(1, this.whyNot.current), true;
      case "/": return this.bar.focus(), true;
      case "Enter": case "o": case " ": {
        const extra = timeline.rows[at] < 0 ? timeline.extras[-1 - timeline.rows[at]] : null;
        if (extra?.kind === "fold") return this.open(extra.from), true;
      }
    }
    return false;
  }
}

/** Tests a step against words, each of which is looked up in the tables of names once. */
function matcher(steps, words, label) {
  const numbersOf = (names, word) => new Set(names.flatMap((each, number) => (String(each).toLowerCase().includes(word) ? [number] : [])));
  const tables = words.map((word) => ({
    threads: new Set(steps.threads.names.flatMap((_, number) => (label(number).toLowerCase().includes(word) ? [number] : []))),
    verbs: numbersOf(steps.verbs.names, word),
    names: numbersOf(steps.targets.names, word),
    values: numbersOf(steps.values.names, word),
    files: numbersOf(steps.files.names, word),
    place: word,
  }));
  return (i) =>
    tables.every(
      (each) =>
        each.threads.has(steps.thread[i]) || each.verbs.has(steps.words[i]) || each.names.has(steps.name[i]) || each.values.has(steps.value[i]) || each.files.has(steps.file[i]) || (each.place.includes(":") && steps.place(i).toLowerCase().includes(each.place))
    );
}
