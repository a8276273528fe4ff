// Server-sent events over fetch, which can show a token in a header where EventSource cannot. Comes back by itself, and
// goes on after what it heard last.

const SILENT_MS = 16_000; // the gateway says something every 5 s
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000];
const HIDDEN_MS = 60_000; // a page that nobody sees asks nobody anything
const MAX_CHARS = 64 * 2 ** 20;

export class Stream {
  #lastId = "";
  #token = "";
  #controller = null;
  #failures = 0;
  #timer = 0;
  #hideTimer = 0;
  #space = "";

  // `on` has event(name, document), state("live" | "lost" | "denied", why).
  constructor(on) {
    this.on = on;
    document.addEventListener("visibilitychange", () => this.#seen());
  }

  start(space = "", token = this.#token) {
    if (space !== this.#space) this.#lastId = "";
    this.#space = space;
    this.#token = token;
    this.#failures = 0;
    this.#connect();
  }

  #seen() {
    clearTimeout(this.#hideTimer);
    if (document.hidden) {
      this.#hideTimer = setTimeout(() => this.#drop("paused"), HIDDEN_MS);
    } else if (!this.#controller) {
      this.#failures = 0;
      this.#connect();
    }
  }

  #drop(why) {
    clearTimeout(this.#timer);
    this.#controller?.abort(why);
    this.#controller = null;
  }

  async #connect() {
    this.#drop("anew");
    const controller = (this.#controller = new AbortController());
    let watchdog = 0;
    const alive = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => controller.abort("silent"), SILENT_MS);
    };
    let why = "the gateway cannot be reached";
    try {
      alive();
      const answer = await fetch(this.#url(), { headers: this.#headers(), cache: "no-store", signal: controller.signal });
      if (answer.status === 401) {
        this.#controller = null;
        return this.on.state("denied", this.#token ? "this is not its token" : "");
      }
      if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `it answers ${answer.status}`);
      for await (const [name, id, document] of events(answer.body, alive)) {
        if (this.#controller !== controller) return;
        this.#failures = 0;
        if (id) this.#lastId = id;
        this.on.state("live", "");
        this.on.event(name, document);
      }
    } catch (error) {
      if (error instanceof Error && error.name === "Error") why = error.message;
    } finally {
      clearTimeout(watchdog);
    }
    if (this.#controller !== controller) return;
    this.#controller = null;
    this.on.state("lost", why);
    const wait = RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)] * (0.75 + Math.random() / 2);
    this.#timer = setTimeout(() => this.#connect(), wait);
  }

  #url() {
    return this.#space ? `/events?space=${encodeURIComponent(this.#space)}` : "/events";
  }

  #headers() {
    const headers = { accept: "text/event-stream" };
    if (this.#lastId) headers["last-event-id"] = this.#lastId;
    if (this.#token) headers.authorization = `Bearer ${this.#token}`;
    return headers;
  }
}

// [name, id, document] of each event of a body; `alive` is called for whatever arrives.
async function* events(body, alive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let parts = [];
  let size = 0;
  while (true) {
    const { value, done } = await reader.read();
    if (done) return;
    alive();
    parts.push(value);
    size += value.length;
    if (size > MAX_CHARS) throw new Error("an event is too large for this page");
    if (!value.includes("\n")) continue;
    const blocks = parts.join("").split("\n\n");
    parts = [blocks.pop()];
    size = parts[0].length;
    for (const block of blocks) yield read(block);
  }
}

function read(block) {
  const fields = {};
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
  }
  return [fields.event ?? "message", fields.id ?? "", JSON.parse(fields.data ?? "null")];
}
