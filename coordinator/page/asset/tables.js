// The tables that the gateway tells of, as maps of rows by key.

export class Tables {
  #tables = new Map();

  get(name) {
    if (!this.#tables.has(name)) this.#tables.set(name, new Map());
    return this.#tables.get(name);
  }

  // Take everything anew; returns the names of all tables.
  whole(put) {
    const names = new Set([...this.#tables.keys(), ...Object.keys(put)]);
    for (const name of names) this.#tables.set(name, new Map(Object.entries(put[name] ?? {})));
    return names;
  }

  // Take what has changed; returns the names of the tables that have.
  change({ put, drop }) {
    for (const [name, rows] of Object.entries(put)) {
      const table = this.get(name);
      for (const [key, row] of Object.entries(rows)) table.set(key, row);
    }
    for (const [name, keys] of Object.entries(drop)) {
      const table = this.get(name);
      for (const key of keys) table.delete(key);
    }
    return new Set([...Object.keys(put), ...Object.keys(drop)]);
  }
}
