/* The exploration tree of a small search: nested, collapsible; a node is drawn when the one above it is opened. */

const OPEN_AT_FIRST = 3;

function explorationTree(tree) {
  const children = tree.nodes.map(() => []);
  tree.nodes.forEach((node, k) => node.parent >= 0 && children[node.parent].push(k));
  const leaves = tree.nodes.map((node) => (node.execution === null ? 0 : 1));
  for (let k = tree.nodes.length - 1; k > 0; k--) leaves[tree.nodes[k].parent] += leaves[k];
  const view = { ...tree, children, leaves };
  const much = tree.whole ? "all" : "the first";
  const hint = h("p", { class: "hint" }, `The paths of ${much} ${counted(tree.executions, "execution")} with the scheduling points that are known in the end. They fork where another thread moves.`);
  const body = h("ul", { class: "tree" }, treeNode(view, 0, OPEN_AT_FIRST));
  const whole = h("button", { type: "button", class: "small", onclick: () => body.replaceChildren(treeNode(view, 0, 1e6)) }, "open all");
  const none = h("button", { type: "button", class: "small", onclick: () => body.replaceChildren(treeNode(view, 0, 1)) }, "close all");
  return card("Exploration tree", "exploration", hint, h("p", {}, whole, " ", none), h("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": "Exploration tree" }, body));
}

function treeNode(view, k, depth) {
  const node = view.nodes[k];
  if (node.execution !== null) return h("li", { class: node.failing ? "leaf failing" : "leaf" }, treeSteps(view, node), " ", h("span", { class: node.failing ? "chip bad" : "chip open" }, `execution ${node.execution}`), " ", name(node.ending || "ended", 160));
  const box = h("details", { open: depth > 0 });
  box.append(h("summary", {}, treeSteps(view, node), " ", h("span", { class: "fork" }, counted(view.leaves[k], "execution")), forkWords(view, node, k)));
  let drawn = false;
  const draw = (deeper) => {
    if (drawn) return;
    drawn = true;
    box.append(h("ul", { class: "tree" }, ...view.children[k].map((each) => treeNode(view, each, deeper))));
  };
  if (depth > 0) draw(depth - 1);
  box.addEventListener("toggle", () => box.open && draw(0));
  return h("li", {}, box);
}

/** The threads that could move at a fork and have no path from there, with the reason. */
function forkWords(view, node, k) {
  const first = new Set(view.children[k].map((each) => view.nodes[each].steps[0]?.[0]));
  const left = node.enabled.filter((thread) => !first.has(thread) && !node.asleep.includes(thread));
  const words = (threads, reason) => (threads.length ? h("span", { class: "cut" }, "; ", ...threads.flatMap((thread, at) => [at ? ", " : "", name(view.labels[thread] || (thread === "0" ? "main" : `thread ${thread}`), 40)]), ` ${reason}`) : null);
  return h("span", {}, words(node.asleep, "asleep: leads to nothing new"), words(left, "not tried here"));
}

function treeSteps(view, node) {
  if (!node.steps.length) return h("span", { class: "none" }, node.parent < 0 ? "start" : "(no further step)");
  const label = (thread) => view.labels[thread] || (thread === "0" ? "main" : `thread ${thread}`);
  const runs = [];
  for (const [thread, operation, location] of node.steps) {
    if (runs.at(-1)?.thread === thread) runs.at(-1).steps.push([operation, location]);
    else runs.push({ thread, steps: [[operation, location]] });
  }
  const shown = runs.length > 8 ? [...runs.slice(0, 4), null, ...runs.slice(-4)] : runs;
  const texts = shown.flatMap((run, at) => {
    if (!run) return [" \u2192 ", h("span", { class: "none" }, `${runs.length - 8} more turns`)];
    const [operation, location] = run.steps[0];
    const more = run.steps.length > 1 ? `, ${run.steps.length - 1} more` : "";
    return [at ? " \u2192 " : "", h("span", { class: "turn", style: { "--hue": hue(threadHue(run.thread)) } }, name(label(run.thread), 40)), " ", operation, location ? h("span", { class: "where" }, " ", name(location, 60)) : "", more];
  });
  return h("span", {}, ...texts);
}

/** A colour for a thread by its name: births are numbered. */
function threadHue(thread) {
  return thread.split(".").slice(1).reduce((sum, each) => sum + Number(each), 0) || 0;
}
