/* Building the document: every name and value of the program goes through `show`, never through HTML.

   Control characters, direction marks and other invisible characters are written as escapes, and each text is isolated,
   so that it can't reorder its surroundings. Long texts are cut; the whole is in the report. */

const LONGEST = 400;

// C0, C1, soft hyphen, direction marks and isolates, zero-width, line and paragraph separators, byte order mark, lone
// surrogates.
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function escaped(text, keepLines) {
  return String(text).replace(INVISIBLE, (each) => {
    if (keepLines && (each === "\n" || each === "\t")) return each;
    if (each === "\n") return "\\n";
    if (each === "\t") return "\\t";
    return "\\u" + each.charCodeAt(0).toString(16).padStart(4, "0");
  });
}

function cutTo(text, longest) {
  const whole = String(text ?? "");
  if (whole.length <= longest) return whole;
  return whole.slice(0, longest) + "\u2026 (" + count(whole.length) + " characters)";
}

function show(text, longest = LONGEST) {
  return escaped(cutTo(text, longest));
}

function brief(text, longest) {
  const whole = escaped(text);
  return whole.length <= longest ? whole : whole.slice(0, longest - 1) + "\u2026";
}

function showLines(text, longest = 20000) {
  return escaped(cutTo(text, longest), true);
}

function count(number) {
  return Number(number).toLocaleString("en-US");
}

function counted(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** An element; properties that start with `on` are listeners, `class` and others are attributes. Children are elements
    or texts of the page itself; `name()` makes one of the program's texts. */
function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [name, set] of Object.entries(value)) element.style.setProperty(name, set);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

function s(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A text of the program: isolated, escaped, cut. */
function name(text, longest) {
  return h("bdi", {}, show(text, longest));
}

/** A path of the program (`bank.accounts['alice']`): broken at its dots and brackets where it does not fit, never within
    words. */
function pathName(text, longest) {
  const parts = show(text, longest).split(/(?<=[.\])])(?=.)|(?=[[(])/);
  return h("bdi", {}, ...parts.flatMap((each) => [h("wbr"), each]).slice(1));
}

function code(text, longest) {
  return h("code", {}, name(text, longest));
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "offscreen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function copyButton(label, text) {
  const button = h("button", { type: "button", class: "small" }, label);
  button.addEventListener("click", async () => {
    await copyText(text);
    button.textContent = "copied";
    announce(`${label}: copied`);
    setTimeout(() => (button.textContent = label), 1200);
  });
  return button;
}

function announce(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = escaped(text);
}

/** Focus an element of a new view; in the frame of a notebook only if the frame has the focus. */
function takeFocus(element) {
  if (parent === self || document.hasFocus()) element?.focus({ preventScroll: true });
}
