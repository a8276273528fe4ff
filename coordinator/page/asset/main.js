// Puts the page together: what the stream tells goes into tables, and what a table shows is drawn anew when it changes.

import { Clock, span } from "./clock.js";
import { byId, element, setText } from "./dom.js";
import { Field } from "./field.js";
import { actorPanel, layerPanel, Outcomes, pairPanel, playbookPanel, thresholdPanel } from "./lesson.js";
import { auditPanel, failedPanel, heldPanel, refusedPanel, waitingPanel } from "./panel.js";
import { Quilt } from "./quilt.js";
import { rove } from "./roving.js";
import { Stream } from "./stream.js";
import { Tables } from "./tables.js";
import { Taking } from "./taking.js";
import { ACTORS, count, KIND_TITLES, KINDS, number } from "./words.js";

const TICK_MS = 1_000;
const clock = new Clock();
const tables = new Tables();
const about = { space: "", spaces: [], halfLives: {}, page: "" };
const token = { text: "", get: () => token.text, set: (text) => (token.text = text) };
const halfLives = () => about.halfLives;

const field = new Field(byId("field-rows-region"), byId("field-rows"), clock, halfLives);
const quilt = new Quilt(byId("quilt"), clock, halfLives, (name) => field.point(name));
const taking = new Taking(token, (text) => say(text));
const panels = {
  claims: heldPanel((row, opener) => taking.open(about.space, row, opener)),
  waiters: waitingPanel(),
  refusals: refusedPanel(),
  failures: failedPanel(),
  audit: auditPanel(),
  thresholds: thresholdPanel(),
  pairs: pairPanel(),
  layers: layerPanel(),
  playbook: playbookPanel(),
  actors: actorPanel(),
};
const outcomes = new Outcomes();
rove(byId("held"));

const stream = new Stream({
  event(name, told) {
    if (name === "whole") begin(told);
    else if (name === "change") draw(tables.change(told));
    clock.hear(told.now);
    if (name === "whole") draw(tables.whole(told.put));
  },
  state(state, why) {
    if (state === "denied") ask(why);
    else if (state === "lost") hold("lost", why);
    else resume();
  },
});

// After a gap the two clocks may have gone differently.
function resume() {
  if (document.body.dataset.state === "live") return;
  if (document.body.dataset.state === "lost") clock.reset();
  settle();
}

function begin(told) {
  clock.reset();
  if (about.page && about.page !== told.page) byId("newer").hidden = false;
  Object.assign(about, { space: told.space, spaces: told.spaces, halfLives: told.half_lives_s, page: about.page || told.page });
  const choice = byId("space");
  choice.closest("label").hidden = told.spaces.length < 2;
  choice.replaceChildren(...told.spaces.map((space) => new Option(space, space, false, space === told.space)));
}

function draw(changed) {
  const totals = tables.get("totals").get("field") ?? {};
  if (changed.has("signals")) {
    field.take(tables.get("signals"));
    quilt.take(field.targets);
    byId("field-empty").hidden = field.n > 0;
  }
  const leftOut = { claims: totals.n_claims_left_out, waiters: totals.n_waiters_left_out };
  for (const [name, panel] of Object.entries(panels)) {
    if (changed.has(name) || (name in leftOut && changed.has("totals"))) panel.take(tables.get(name), leftOut[name] ?? 0);
  }
  if (changed.has("outcomes") || changed.has("memory")) outcomes.take(tables.get("outcomes"), tables.get("memory"));
  if (changed.has("totals")) tally(totals);
  if (changed.has("trouble")) settle();
  tick();
}

function tally(totals) {
  setText(byId("n-claims"), number(totals.n_claims ?? 0));
  setText(byId("n-waiters"), number(totals.n_waiters ?? 0));
  setText(byId("n-agents"), number(totals.n_agents ?? 0));
  setText(byId("strictness"), totals.strictness ?? "–");
  const more = byId("field-more");
  more.hidden = !totals.n_signals_left_out;
  setText(more, totals.n_signals_left_out ? `and ${count(totals.n_signals_left_out, "weaker signal")} that are not shown` : "");
  document.title = totals.n_claims ? `${totals.n_claims} held · Scentfield` : "Scentfield";
}

// How it stands: live, or why not. While the field says nothing, what is shown stands still.
function settle() {
  const trouble = tables.get("trouble");
  if (trouble.has("scent_field")) return hold("silent", trouble.get("scent_field").why);
  clock.thaw();
  document.body.dataset.state = "live";
  setText(byId("state"), "live");
  const others = [...trouble].map(([name, { why }]) => `${ACTORS[name] ?? name}: ${why}`);
  warn(others.join(" · "));
}

function hold(state, why) {
  clock.freeze();
  document.body.dataset.state = state;
  setText(byId("state"), state === "lost" ? "not connected, trying again" : "the field does not answer");
  warn(why);
}

function warn(text) {
  setText(byId("trouble"), text);
  byId("trouble").hidden = !text;
}

let saying = 0;
function say(text) {
  setText(byId("state"), text);
  clearTimeout(saying);
  saying = setTimeout(settle, 6_000);
}

function ask(why) {
  hold("lost", "");
  setText(byId("asking-said"), why ? `No: ${why}.` : "");
  if (!byId("asking").open) byId("asking").showModal();
}

byId("asking").addEventListener("cancel", (event) => event.preventDefault());
byId("asking-form").addEventListener("submit", (event) => {
  event.preventDefault();
  token.set(byId("asking-token").value.trim());
  byId("asking-token").value = "";
  byId("asking").close();
  stream.start(about.space, token.get());
});

// Decay goes on between the gateway's words: once a second, and only for what can be seen.
function tick() {
  if (document.hidden) return;
  field.tick();
  const now = clock.now();
  for (const node of document.querySelectorAll(".age")) {
    const { at, utc, before, after, left, from } = node.dataset;
    const seconds = utc !== undefined ? Date.now() / 1000 - utc : left ? at - now : now - at;
    const text = from !== undefined && seconds < from ? "" : `${before}${span(seconds)}${after}`;
    setText(node, text);
  }
}

setInterval(() => {
  tick();
  quilt.draw();
}, TICK_MS);
setInterval(() => field.show(), 5 * TICK_MS);

byId("kinds").append(
  ...KINDS.map((kind) => {
    const button = element("button", "kind", element("i"), kind.toLowerCase());
    button.type = "button";
    button.dataset.kind = kind;
    button.title = KIND_TITLES[kind];
    button.ariaPressed = "true";
    button.addEventListener("click", () => {
      button.ariaPressed = String(button.ariaPressed !== "true");
      field.filter({ kinds: new Set(KINDS.filter((one) => byId("kinds").querySelector(`[data-kind=${one}]`).ariaPressed === "true")) });
    });
    return button;
  }),
);
byId("find").addEventListener("input", (event) => field.filter({ words: event.target.value }));
byId("order").addEventListener("change", (event) => field.filter({ order: event.target.value }));
byId("space").addEventListener("change", (event) => stream.start(event.target.value));
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, select, textarea") || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  byId("find").focus();
});
document.addEventListener("visibilitychange", tick);
stream.start();
