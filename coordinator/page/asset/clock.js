// The gateway's clock as this page knows it, and spans in words. Points in time (`*_at`) are seconds of that clock.

export class Clock {
  #offset = -Infinity;
  #frozenAt = null;

  // The gateway says that it is `now`: the least delayed of all such words is the nearest to the truth.
  hear(now) {
    this.#offset = Math.max(this.#offset, now - performance.now() / 1000);
  }

  // Another process speaks, whose clock began elsewhere.
  reset() {
    this.#offset = -Infinity;
    this.#frozenAt = null;
  }

  // While nothing is heard nothing decays: field time stands still while the coordinator is down.
  freeze() {
    this.#frozenAt ??= this.now();
  }

  thaw() {
    this.#frozenAt = null;
  }

  now() {
    if (this.#frozenAt !== null) return this.#frozenAt;
    return this.#offset === -Infinity ? 0 : performance.now() / 1000 + this.#offset;
  }
}

// `8 s`, `4 m`, `2 h 5 m`, `3 d`.
export function span(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} m`;
  const h = Math.floor(s / 3600);
  if (h < 48) return `${h} h${Math.floor((s % 3600) / 60) ? ` ${Math.floor((s % 3600) / 60)} m` : ""}`;
  return `${Math.floor(h / 24)} d`;
}

export const wallAge = (utcSeconds) => span(Date.now() / 1000 - utcSeconds);
