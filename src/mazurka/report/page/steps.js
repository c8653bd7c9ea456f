/* Steps as columns of numbers and tables of names, whatever form the report has them in: an array of objects (a finding)
   or packed columns (a recording). 200,000 steps take some megabytes here and no objects. */

class Table {
  constructor(names = []) {
    this.names = names;
    this.numbers = new Map(names.map((each, number) => [each, number]));
  }

  number(text) {
    let known = this.numbers.get(text);
    if (known === undefined) {
      known = this.names.length;
      this.names.push(text);
      this.numbers.set(text, known);
    }
    return known;
  }
}

class Steps {
  constructor(length) {
    this.length = length;
    this.number = new Int32Array(length);
    this.thread = new Int32Array(length);
    this.op = new Int32Array(length);
    this.words = new Int32Array(length);
    this.target = new Int32Array(length); // by number: equal for the same location
    this.name = new Int32Array(length);
    this.value = new Int32Array(length).fill(-1);
    this.file = new Int32Array(length).fill(-1);
    this.line = new Int32Array(length);
    this.held = null; // lists of names by step; computed from the operations if the report has none
    this.threads = new Table();
    this.ops = new Table();
    this.verbs = new Table();
    this.targets = new Table();
    this.values = new Table();
    this.files = new Table();
  }

  static fromObjects(list) {
    const steps = new Steps(list.length);
    const byName = new Table();
    steps.held = [];
    list.forEach((each, i) => {
      steps.number[i] = each.step;
      steps.thread[i] = steps.threads.number(each.thread);
      steps.op[i] = steps.ops.number(each.op || operationOf(each.operation));
      steps.words[i] = steps.verbs.number(each.operation);
      steps.name[i] = steps.targets.number(each.target);
      steps.target[i] = each.target_number ?? byName.number(each.target);
      if (each.value !== "" && each.value !== undefined && each.value !== null) steps.value[i] = steps.values.number(each.value);
      if (each.file) steps.file[i] = steps.files.number(each.file);
      steps.line[i] = each.line || 0;
      steps.held.push(each.held || []);
    });
    return steps;
  }

  static fromColumns(packed) {
    const steps = new Steps(packed.length);
    for (let i = 0; i < packed.length; i++) steps.number[i] = packed.first + i;
    steps.thread = unpacked(packed.thread);
    steps.op = unpacked(packed.op);
    steps.words = steps.op;
    steps.target = steps.name = unpacked(packed.target);
    steps.value = unpacked(packed.value);
    steps.file = unpacked(packed.file);
    steps.line = unpacked(packed.line);
    steps.threads = new Table(packed.threads);
    steps.ops = new Table(packed.ops);
    steps.verbs = new Table(packed.words);
    steps.targets = new Table(packed.targets);
    steps.values = new Table(packed.values);
    steps.files = new Table(packed.files);
    return steps;
  }

  operation(i) {
    return this.ops.names[this.op[i]];
  }

  threadName(i) {
    return this.threads.names[this.thread[i]];
  }

  targetName(i) {
    return this.targets.names[this.name[i]] || "";
  }

  valueText(i) {
    return this.value[i] < 0 ? "" : this.values.names[this.value[i]];
  }

  fileName(i) {
    return this.file[i] < 0 ? "" : this.files.names[this.file[i]];
  }

  place(i) {
    return this.file[i] < 0 ? "" : this.fileName(i) + (this.line[i] ? ":" + this.line[i] : "");
  }

  sentence(i) {
    const target = this.targetName(i);
    const value = this.valueText(i);
    const verb = this.verbs.names[this.words[i]];
    return `${verb} ${target}${value && value !== target ? " = " + value : ""}`;
  }
}

const OPERATIONS = { reads: "read", writes: "write", changes: "rmw", acquires: "acquire", releases: "release", starts: "fork", joins: "join" };

function operationOf(words) {
  return OPERATIONS[words] || words;
}

/** Numbers from base64 of little-endian integers of `width` bytes, plus `base`. */
function unpacked({ base, width, data }) {
  const text = atob(data); // loops: `from` with a function takes ten times as long
  const numbers = new Int32Array(text.length / width);
  for (let i = 0, at = 0; i < numbers.length; i++) {
    let number = 0;
    for (let k = 0; k < width; k++) number |= text.charCodeAt(at++) << (8 * k);
    numbers[i] = number + base;
  }
  return numbers;
}

const READING = new Set(["read", "rmw"]);
const WRITING = new Set(["write", "rmw"]);

/** The variables and locks right before or after steps; asked in any order. Checkpoints bound the work per question. */
class States {
  constructor(steps, every = 2000) {
    this.steps = steps;
    this.every = every;
    this.checkpoints = [{ values: new Map(), held: new Map() }];
  }

  /** After the first `end` steps: by number of a target {step, changed}; by thread the numbers of held locks. */
  after(end) {
    const nearest = Math.min(Math.floor(end / this.every), this.checkpoints.length - 1);
    let state = copyOf(this.checkpoints[nearest]);
    for (let i = nearest * this.every; i < end; i++) {
      if (i && i % this.every === 0 && this.checkpoints.length === i / this.every) this.checkpoints.push(copyOf(state));
      this.apply(state, i);
    }
    return state;
  }

  apply(state, i) {
    const { steps } = this;
    const operation = steps.operation(i);
    const target = steps.target[i];
    if (READING.has(operation) || WRITING.has(operation)) {
      if (steps.value[i] >= 0) state.values.set(target, i);
      else if (WRITING.has(operation) && state.values.has(target)) state.values.delete(target);
    } else if (operation === "acquire" || operation === "release") {
      const thread = steps.thread[i];
      const held = new Map(state.held.get(thread) || []);
      const depth = (held.get(target) || 0) + (operation === "acquire" ? 1 : -1);
      if (depth > 0) held.set(target, depth);
      else held.delete(target);
      state.held.set(thread, held);
    }
  }
}

function copyOf(state) {
  return { values: new Map(state.values), held: new Map(state.held) };
}
