// The field as a list of targets: each with its signals, which fade as you watch.

import { age, element, path, said, setText } from "./dom.js";
import { KeyedList } from "./keyed.js";
import { intensity, KINDS } from "./words.js";

const WIDTH_OF_ONE = 30; // pixels for an intensity of 1.0
const MAX_WIDTH = 90;
const ORDER_MS = 4_000;

export class Field {
  #targets = new Map();
  #kinds = new Set(KINDS);
  #words = "";
  #order = "strength";
  #orderedAt = -Infinity;
  #keys = [];
  #visible = new Set();

  constructor(region, list, clock, halfLives) {
    this.region = region;
    this.clock = clock;
    this.halfLives = halfLives;
    this.list = new KeyedList(list, (_, target) => this.#make(target), (node, target) => this.#update(node, target));
    this.observer = new IntersectionObserver((seen) => this.#see(seen), { root: region, rootMargin: "200px" });
  }

  get n() {
    return this.#targets.size;
  }

  // Targets with their signals by kind, by path.
  get targets() {
    return this.#targets;
  }

  strength(target) {
    const now = this.clock.now();
    return target.rows.reduce((sum, row) => sum + Math.max(0, intensity(row, this.halfLives(), now)), 0);
  }

  take(signals) {
    const targets = new Map();
    for (const row of signals.values()) {
      const known = targets.get(row.target);
      if (known) known.rows.push(row);
      else targets.set(row.target, { name: row.target, rows: [row] });
    }
    for (const [name, target] of targets) {
      target.rows.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
      const before = this.#targets.get(name);
      if (before && same(before.rows, target.rows)) targets.set(name, before);
    }
    this.#targets = targets;
    this.show();
  }

  filter({ kinds = this.#kinds, words = this.#words, order = this.#order }) {
    [this.#kinds, this.#words, this.#order] = [kinds, words.toLowerCase(), order];
    this.#orderedAt = -Infinity;
    this.show();
  }

  // Which targets are shown; their order changes now and then only, and never under somebody's hand.
  show() {
    const wanted = [...this.#targets.values()].filter((target) => this.#isWanted(target));
    const isBusy = this.region.matches(":hover, :focus-within") && this.#orderedAt !== -Infinity;
    if (this.#order === "path") {
      wanted.sort((a, b) => (a.name < b.name ? -1 : 1));
    } else if (!isBusy && performance.now() - this.#orderedAt > ORDER_MS) {
      const strengths = new Map(wanted.map((target) => [target, this.strength(target)]));
      wanted.sort((a, b) => strengths.get(b) - strengths.get(a) || (a.name < b.name ? -1 : 1));
      this.#orderedAt = performance.now();
    } else {
      const places = new Map(this.#keys.map((name, at) => [name, at]));
      wanted.sort((a, b) => (places.get(a.name) ?? -1) - (places.get(b.name) ?? -1)); // what is new stands first
    }
    this.#keys = wanted.map((target) => target.name);
    this.list.show(wanted.map((target) => [target.name, target]));
  }

  #isWanted(target) {
    return target.rows.some((row) => this.#kinds.has(row.kind)) && target.name.toLowerCase().includes(this.#words);
  }

  // Bring a target into view and mark it for a moment.
  point(name) {
    const node = this.list.node(name);
    if (!node) return;
    node.scrollIntoView({ block: "center" });
    node.classList.remove("pointed");
    requestAnimationFrame(() => node.classList.add("pointed"));
  }

  #make(target) {
    const node = element("li", "target", path(target.name), element("span", "signals"), element("span", "who"), element("span", "when"));
    this.#update(node, target);
    this.observer.observe(node);
    return node;
  }

  #update(node, target) {
    node.target = target;
    const [, signals, who, when] = node.children;
    signals.replaceChildren(...target.rows.map(signal));
    const first = target.rows.find((row) => row.kind === "CLAIMED") ?? target.rows[0];
    const others = first.n_agents - 1;
    who.replaceChildren(said(first.agent), others > 0 ? ` +${others}` : "");
    who.title = first.intent;
    when.replaceChildren(age(first.since_at));
    node.dataset.kind = first.kind;
    this.#fade(node);
  }

  #see(seen) {
    for (const { target: node, isIntersecting } of seen) {
      if (isIntersecting) {
        this.#visible.add(node);
        this.#fade(node);
      } else {
        this.#visible.delete(node);
      }
    }
  }

  // A second has passed: only what can be seen is drawn.
  tick() {
    for (const node of this.#visible) {
      if (node.isConnected) this.#fade(node);
      else this.#visible.delete(node);
    }
  }

  #fade(node) {
    const now = this.clock.now();
    let strongest = 0;
    node.target.rows.forEach((row, at) => {
      const strength = Math.max(0, intensity(row, this.halfLives(), now));
      strongest = Math.max(strongest, strength);
      const shown = node.children[1].children[at];
      if (!shown) return;
      const [, bar, number] = shown.children;
      bar.style.setProperty("--width", `${Math.min(MAX_WIDTH, strength * WIDTH_OF_ONE).toFixed(1)}px`);
      setText(number, ` ${strength.toFixed(1)}`);
    });
    node.style.setProperty("--glow", Math.min(1, strongest / 2).toFixed(2));
  }
}

function signal(row) {
  const bar = element("i");
  bar.ariaHidden = "true";
  const made = element("span", "signal", element("b", "", row.kind.toLowerCase()), bar, element("span", "strength"));
  made.dataset.kind = row.kind;
  return made;
}

const same = (before, after) => before.length === after.length && before.every((row, at) => row === after[at]);
