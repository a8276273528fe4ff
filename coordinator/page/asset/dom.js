// Elements from text. Names, targets and intents are chosen by agents: they are never read as HTML, only set as text.

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

// Characters that cannot be seen, or that turn the text around them, are shown as such.
export const shown = (text) => String(text).replace(UNSEEN, "\ufffd");

export function element(tag, name = "", ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

// Text that somebody else has chosen: kept apart from what stands around it, also if it is written from right to left.
export const said = (text, name = "") => {
  const made = element("bdi", name);
  setText(made, shown(text));
  return made;
};

// `src/parser/` dim, `walk.py` bright.
export function path(target) {
  const text = shown(target);
  const at = text.replace(/\/$/, "").lastIndexOf("/") + 1;
  const made = element("bdi", "path", element("span", "folder", text.slice(0, at)), element("span", "name", text.slice(at)));
  made.title = text;
  return made;
}

export function paths(targets, nMore) {
  const made = element("span", "paths");
  targets.forEach((target, at) => made.append(...(at ? [", "] : []), path(target)));
  if (nMore) made.append(` and ${nMore} more`);
  return made;
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// A span of time that goes on: `tick` writes it anew each second.
export function age(at, before = "", after = "", left = false) {
  const made = element("span", "age");
  made.dataset.at = at;
  made.dataset.before = before;
  made.dataset.after = after;
  if (left) made.dataset.left = "1";
  return made;
}

export const byId = (id) => document.getElementById(id);
