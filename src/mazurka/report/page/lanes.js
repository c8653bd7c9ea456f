/* The geometry of lanes, and the drawing of what joins them: a line per thread, arrows between steps. */

const ROW = 26;
const GUTTER = 58;
const PLACE = 130;
const TEXT = 340;
const PALETTE = 8;
const ARROWS_DRAWN = 160;

/** Where the lanes are in `width` pixels. With room the text of a step is beside its dot; else all texts are in one
    column after the lanes, with the thread's name. */
class Lanes {
  constructor(threads, width) {
    this.threads = threads; // numbers of threads in the order of their lanes
    this.at = new Map(threads.map((thread, lane) => [thread, lane]));
    const room = Math.max(width - GUTTER - PLACE - TEXT, 60);
    const apart = threads.length > 1 ? room / (threads.length - 1) : 0;
    this.beside = threads.length === 1 || apart >= 56;
    this.step = this.beside ? Math.min(apart, 190) : Math.max(Math.min(apart, 16), 2);
  }

  x(thread) {
    return GUTTER + 12 + (this.at.get(thread) ?? 0) * this.step;
  }

  textX(thread) {
    return this.beside ? this.x(thread) + 13 : GUTTER + 12 + (this.threads.length - 1) * this.step + 16;
  }
}

function hue(thread) {
  return `var(--thread-${thread % PALETTE})`;
}

/** The lines of the threads in a window of rows, each from its first to its last step there. */
function drawThreads(layer, lanes, spans, top, bottom) {
  for (const thread of lanes.threads) {
    const span = spans.get(thread);
    if (!span) continue;
    const y1 = Math.max(span.first * ROW + ROW / 2, top);
    const y2 = Math.min(span.last * ROW + ROW / 2, bottom);
    if (y2 <= y1) continue;
    const x = lanes.x(thread);
    const line = s("line", { x1: x, x2: x, y1: y1 - top, y2: y2 - top, class: "lifeline" });
    line.style.stroke = hue(thread);
    layer.append(line);
  }
}

const ARROW_CLASS = { read: "read", lock: "lock", fork: "life", join: "life", "wake-up": "wake" };

/** The arrows with an end in a window of rows; `rowOf` gives the row of a step's number, or -1. */
function drawArrows(layer, arrows, rowOf, xOf, top, bottom, chosen) {
  let drawn = 0;
  for (const arrow of arrows) {
    const from = rowOf(arrow.from);
    const to = rowOf(arrow.to);
    if (from < 0 || to < 0) continue;
    const y1 = from * ROW + ROW / 2 - top;
    const y2 = to * ROW + ROW / 2 - top;
    const height = bottom - top;
    if ((y1 < 0 && y2 < 0) || (y1 > height && y2 > height)) continue;
    const isChosen = arrow.from === chosen || arrow.to === chosen;
    if (!isChosen && ((y1 < 0 && y2 > height) || drawn >= ARROWS_DRAWN)) continue;
    drawn++;
    layer.append(arrowPath(xOf(arrow.from), y1, xOf(arrow.to), y2, arrow, isChosen));
  }
}

function arrowPath(x1, y1, x2, y2, arrow, isChosen) {
  const kind = ARROW_CLASS[arrow.reason] || "life";
  const down = y2 > y1 ? 1 : -1; // in a predicted order an arrow may point upward
  const [start, end, half] = [y1 + 5 * down, y2 - 7 * down, (y2 - y1) / 2];
  const bend = x1 === x2 ? -Math.min(14 + Math.abs(y2 - y1) / 12, 40) : 0;
  const d = `M ${x1} ${start} C ${x1 + bend} ${start + half}, ${x2 + bend} ${end - half}, ${x2} ${end}`;
  const path = s("path", { d, class: `arrow ${kind}${isChosen ? " chosen" : ""}`, "marker-end": `url(#head-${kind})` });
  path.append(s("title", {}, `${arrow.reason}: step ${arrow.from} to step ${arrow.to}, ${show(arrow.target)}`));
  return path;
}

function arrowHeads() {
  const heads = ["read", "lock", "life", "wake"].map((kind) =>
    s(
      "marker",
      { id: `head-${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 10, markerHeight: 10, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse", class: `head ${kind}` },
      s("path", { d: "M0 0.6 L8 4 L0 7.4 z" })
    )
  );
  return s("defs", {}, ...heads);
}
