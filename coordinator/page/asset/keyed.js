// A list whose elements belong to keys: what stays is not touched, so focus, selection and scrolling stay too.
// Many new rows are made a few at a time, so that nothing stutters.

const BUDGET_MS = 6;

export class KeyedList {
  #nodes = new Map();
  #wanted = [];
  #work = 0;

  // `make(key, row)` gives an element, and `update(node, row)` changes it; without `update` it is made anew.
  constructor(list, make, update = null) {
    this.list = list;
    this.make = make;
    this.update = update;
  }

  get size() {
    return this.#wanted.length;
  }

  node(key) {
    return this.#nodes.get(key)?.node;
  }

  // Show these [key, row] pairs in this order; rows that are the same object as before are left as they are.
  show(pairs) {
    this.#wanted = pairs;
    const focused = this.list.contains(document.activeElement) ? document.activeElement : null;
    this.#drop(new Set(pairs.map(([key]) => key)));
    cancelAnimationFrame(this.#work);
    this.#place(0, this.list.firstElementChild, focused);
  }

  #drop(keys) {
    for (const [key, { node }] of this.#nodes) {
      if (!keys.has(key)) {
        if (node.contains(document.activeElement)) this.#focusBeside(node);
        node.remove();
        this.#nodes.delete(key);
      }
    }
  }

  // The row that had the focus goes: its neighbour has it, else the list's region.
  #focusBeside(node) {
    const beside = node.nextElementSibling ?? node.previousElementSibling;
    (beside?.querySelector("button") ?? this.list.closest("[tabindex]") ?? document.body).focus({ preventScroll: true });
  }

  #place(at, cursor, focused) {
    const until = performance.now() + BUDGET_MS;
    for (; at < this.#wanted.length; at++) {
      if (performance.now() > until) {
        const mark = cursor;
        this.#work = requestAnimationFrame(() => this.#place(at, mark, focused));
        return;
      }
      const [key, row] = this.#wanted[at];
      const before = this.#nodes.get(key)?.node;
      const node = this.#current(key, row, focused);
      if (cursor && cursor === before) cursor = node;
      if (node === cursor) cursor = cursor.nextElementSibling;
      else this.list.insertBefore(node, cursor);
    }
    if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
  }

  #current(key, row, focused) {
    const known = this.#nodes.get(key);
    if (known?.row === row) return known.node;
    if (known && this.update) {
      this.update(known.node, row);
      known.row = row;
      return known.node;
    }
    const node = this.make(key, row);
    if (known) {
      if (known.node.contains(focused)) queueMicrotask(() => node.querySelector("button")?.focus({ preventScroll: true }));
      known.node.replaceWith(node);
    }
    this.#nodes.set(key, { node, row });
    return node;
  }
}
