/* Small plots of a search, in SVG: lines over time, and the phases of the check as bars. */

const PLOT_WIDTH = 420;
const PLOT_HEIGHT = 150;
const PLOT_LEFT = 52;
const PLOT_BOTTOM = 22;

function searchPlots(search) {
  const plots = [];
  if (search.seconds.length > 1 && search.executions.at(-1) > 2) {
    plots.push(linePlot("Executions", search.seconds, [["executions", search.executions], ...(search.estimate.some((each) => each !== null) ? [["estimate of the whole search", search.estimate]] : [])]));
    const [times, rates] = ratesOf(search.executions, search.seconds);
    if (times.length > 1) plots.push(linePlot("Executions per second", times, [["executions per second", rates]]));
    if (search.frontier?.some(Boolean)) plots.push(linePlot("Frontier: executions known to be left", search.seconds, [["executions", search.frontier]]));
    plots.push(linePlot("New behaviour: scheduling points learnt, failures", search.seconds, [["scheduling points", search.points], ["failures", search.failures]]));
  }
  const phases = Object.entries(search.phases);
  if (phases.length) plots.push(phasesCard(phases));
  return [h("div", { class: "plots" }, ...plots)];
}

/** The rate over intervals of at least a fortieth of the whole time: between close samples it only shows noise. */
function ratesOf(counts, times) {
  const least = times.at(-1) / 40;
  const [ends, rates] = [[], []];
  let from = 0;
  for (let k = 1; k < times.length; k++) {
    if (times[k] - times[from] < least || times[k] === times[from]) continue;
    ends.push(times[k]);
    rates.push((counts[k] - counts[from]) / (times[k] - times[from]));
    from = k;
  }
  return [ends, rates];
}

/** `series` are [name, values]; a value may be null. The last values are in the heading, for those who can't see lines. */
function linePlot(title, times, series) {
  const most = Math.max(1, ...series.flatMap(([, values]) => values.filter((each) => each !== null)));
  const end = times.at(-1) || 1;
  const x = (time) => PLOT_LEFT + (time / end) * (PLOT_WIDTH - PLOT_LEFT - 8);
  const y = (value) => PLOT_HEIGHT - PLOT_BOTTOM - (value / most) * (PLOT_HEIGHT - PLOT_BOTTOM - 10);
  const last = series.map(([label, values]) => `${label}: ${roundedText(values.findLast((each) => each !== null) ?? 0)}`).join("; ");
  const plot = s("svg", { viewBox: `0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`, role: "img", "aria-label": `${title} over ${seconds(end)}; at the end ${last}` });
  for (const share of [0, 0.5, 1]) {
    const height = y(most * share);
    plot.append(s("line", { x1: PLOT_LEFT, x2: PLOT_WIDTH - 8, y1: height, y2: height, class: "axis" }));
    plot.append(s("text", { x: PLOT_LEFT - 6, y: height + 4, "text-anchor": "end" }, roundedText(Number((most * share).toPrecision(2)))));
    plot.append(s("text", { x: x(end * share), y: PLOT_HEIGHT - 6, "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle" }, seconds(end * share)));
  }
  series.forEach(([label, values], k) => {
    const points = values.map((value, at) => [times[at], value]).filter(([, value]) => value !== null);
    const d = points.map(([time, value], at) => `${at ? "L" : "M"} ${x(time).toFixed(1)} ${y(value).toFixed(1)}`).join(" ");
    const line = s("path", { d, class: `series${k ? " second" : ""}` });
    line.append(s("title", {}, label));
    plot.append(line);
  });
  return card(title, `plot-${title.toLowerCase().replace(/\W+/g, "-")} plot`, plot, h("p", { class: "hint" }, last));
}

function phasesCard(phases) {
  const whole = phases.reduce((sum, [, each]) => sum + each, 0) || 1;
  const rows = phases.map(([phase, each]) => {
    const bar = h("div", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max((100 * each) / whole, 0.5)}%`;
    return h("tr", {}, h("th", { scope: "row" }, show(phase)), h("td", {}, seconds(each)), h("td", {}, bar));
  });
  return card("Time by phase", "phases shared", h("table", { class: "bars" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "phase"), h("th", { scope: "col" }, "time"), h("th", { scope: "col" }, "share"))), h("tbody", {}, ...rows)));
}
