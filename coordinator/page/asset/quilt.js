// The whole field at a glance: a patch for each target, by path, so that neighbours in the tree are neighbours here.
// It repeats what the list says, for the eye alone.

import { intensity, KINDS } from "./words.js";

const GAP = 3;
const SIZES = [14, 12, 10, 9, 8, 7, 6];
const MAX_HEIGHT = 88;
const RIPPLE_MS = 1_400;

export class Quilt {
  #patches = [];
  #fresh = new Map();
  #size = SIZES[0];
  #columns = 1;
  #frame = 0;

  constructor(canvas, clock, halfLives, onPoint) {
    this.canvas = canvas;
    this.clock = clock;
    this.halfLives = halfLives;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    canvas.addEventListener("pointermove", (event) => (canvas.title = this.#at(event)?.name ?? ""));
    canvas.addEventListener("click", (event) => {
      const patch = this.#at(event);
      if (patch) onPoint(patch.name);
    });
  }

  take(targets) {
    const known = new Set(this.#patches.map((patch) => patch.name));
    this.#patches = [...targets.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    if (known.size && !this.calm.matches) {
      const now = performance.now();
      for (const patch of this.#patches) if (!known.has(patch.name)) this.#fresh.set(patch.name, now);
    }
    this.draw();
  }

  draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    const { canvas } = this;
    const width = canvas.clientWidth;
    if (!width) return;
    this.#lay(width);
    const rows = Math.max(1, Math.ceil(this.#patches.length / this.#columns));
    const height = rows * (this.#size + GAP) - GAP;
    const scale = devicePixelRatio || 1;
    const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.#paint(pen);
  }

  #lay(width) {
    for (const size of SIZES) {
      this.#size = size;
      this.#columns = Math.max(1, Math.floor((width + GAP) / (size + GAP)));
      if (Math.ceil(this.#patches.length / this.#columns) * (size + GAP) <= MAX_HEIGHT) return;
    }
  }

  #paint(pen) {
    const style = getComputedStyle(document.documentElement);
    const colours = Object.fromEntries(KINDS.map((kind) => [kind, style.getPropertyValue(`--${kind.toLowerCase()}-fill`).trim()]));
    const [now, wall, size] = [this.clock.now(), performance.now(), this.#size];
    const ground = style.getPropertyValue("--patch").trim();
    this.#patches.forEach((patch, at) => {
      const x = (at % this.#columns) * (size + GAP);
      const y = Math.floor(at / this.#columns) * (size + GAP);
      const [kind, strength] = strongest(patch.rows, this.halfLives(), now);
      square(pen, x, y, size, ground, 1);
      square(pen, x, y, size, colours[kind], Math.min(1, 0.1 + 0.4 * strength));
      const born = this.#fresh.get(patch.name);
      if (born !== undefined) this.#ripple(pen, x, y, colours[kind], (wall - born) / RIPPLE_MS, patch.name);
    });
    if (this.#fresh.size) this.draw();
  }

  #ripple(pen, x, y, colour, part, name) {
    if (part >= 1) {
      this.#fresh.delete(name);
      return;
    }
    pen.globalAlpha = 0.7 * (1 - part) ** 2;
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(x + this.#size / 2, y + this.#size / 2, this.#size * (0.6 + 1.6 * part), 0, 2 * Math.PI);
    pen.stroke();
    pen.globalAlpha = 1;
  }

  #at(event) {
    const step = this.#size + GAP;
    const column = Math.floor(event.offsetX / step);
    return column < this.#columns ? this.#patches[Math.floor(event.offsetY / step) * this.#columns + column] : undefined;
  }
}

function strongest(rows, halfLives, now) {
  let [kind, most] = [rows[0].kind, 0];
  for (const row of rows) {
    const strength = intensity(row, halfLives, now);
    if (strength > most) [kind, most] = [row.kind, strength];
  }
  return [kind, most];
}

function square(pen, x, y, size, colour, alpha) {
  pen.globalAlpha = alpha;
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x, y, size, size, size > 10 ? 3 : 2);
  pen.fill();
  pen.globalAlpha = 1;
}
