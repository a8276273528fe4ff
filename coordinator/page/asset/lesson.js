// What was learned, and whether it pays.

import { age, byId, element, said } from "./dom.js";
import { KeyedList } from "./keyed.js";
import { Panel, wall } from "./panel.js";
import { ACTORS, count, LAYERS, MEASURES, number, percent, VERDICTS } from "./words.js";

const byName = (a, b) => (a[0] < b[0] ? -1 : 1);
const line = (...parts) => element("div", "line", ...parts);
const dim = (...parts) => element("div", "line dim", ...parts);
const MAX_DELTA = 0.15; // as much as can be learned

export const thresholdPanel = () =>
  new Panel(
    "thresholds",
    (_, row) => {
      const rounded = Math.round(row.delta * 1000) / 1000;
      const effect = !row.applies ? "" : rounded === 0 ? "as by default" : rounded > 0 ? "compresses more" : "backs off";
      const evidence = row.applies
        ? `${count(row.n_signals, "signal")} of ${count(row.n_origins, "machine")}, ${effect}`
        : `warming up: ${row.n_signals} of ${row.n_needed} signals`;
      const needle = element("i", row.applies ? "needle" : "needle unsure");
      needle.style.setProperty("--delta", (Math.max(-MAX_DELTA, Math.min(MAX_DELTA, row.delta)) / MAX_DELTA).toFixed(3));
      const scale = element("span", "scale", needle);
      scale.ariaHidden = "true";
      return element(
        "li",
        "row threshold",
        element("span", "ext", said(`.${row.extension}`)),
        scale,
        element("span", "delta", `${rounded < 0 ? "−" : "+"}${Math.abs(rounded).toFixed(3)}`),
        dim(evidence),
      );
    },
    byName,
  );

export const pairPanel = () =>
  new Panel(
    "pairs",
    (_, row) =>
      element(
        "li",
        "row",
        line(element("b", "", said(`.${row.extension}`), ` ${row.mode}`), row.risky ? element("span", "mark stuck", "risky → full") : ""),
        dim(`${row.n_fails} of ${row.n_fails + row.n_successes} edits failed (${percent(row.fail_rate)})`),
      ),
    byName,
  );

export const layerPanel = () =>
  new Panel(
    "layers",
    (layer, row) => {
      const most = Math.max(row.treatment ?? 0, row.holdout ?? 0);
      return element(
        "li",
        "row",
        line(element("b", "", LAYERS[layer] ?? layer), element("span", `mark ${row.verdict}`, VERDICTS[row.verdict] ?? row.verdict)),
        ...(most > 0 ? [bar("with it", row.treatment, most), bar("held out", row.holdout, most)] : []),
        dim(MEASURES[row.measure] ?? row.measure, evidence(row)),
      );
    },
    () => 0,
  );

// One side of a layer; the longer of the two fills its track.
function bar(title, value, most) {
  const filled = element("i");
  filled.style.setProperty("--share", most > 0 && value !== null ? (value / most).toFixed(3) : "0");
  const track = element("span", "share", filled);
  track.ariaHidden = "true";
  return element("div", "compare", element("span", "arm", title), track, element("span", "told", value === null ? "–" : percent(value)));
}

function evidence(row) {
  const units = `${number(row.n_treatment_units)} with it, ${number(row.n_holdout_units)} held out`;
  if (row.low === null) return `; ${count(row.n_missing, "more case")} needed (${units})`;
  const missing = row.n_missing ? `, ${count(row.n_missing, "more case")} needed` : "";
  return `; difference ${points(row.difference)}, 95 % between ${points(row.low)} and ${points(row.high)} (${units}${missing})`;
}

const points = (share) => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)} points`;

export class Outcomes {
  #list = new KeyedList(byId("outcomes"), (_, text) => element("li", "row", dim(text)));

  take(outcomes, memory) {
    const facts = [];
    const tokens = outcomes.get("tokens");
    if (tokens && (tokens.n_sent || tokens.n_net)) {
      facts.push(`${number(tokens.n_net)} tokens saved in ${tokens.n_days} days, net of bounces and retries; ${number(tokens.n_sent)} were sent`);
    }
    const bounces = outcomes.get("bounces");
    if (bounces) {
      const before = bounces.before === null ? "the week before is not known" : `${percent(bounces.before)} the week before`;
      facts.push(bounces.now === null ? "bounce rate: not yet known" : `bounce rate: ${percent(bounces.now)} this week, ${before}`);
    }
    const survival = memory.get("survival");
    if (survival) {
      facts.push(
        survival.n_became_lasting
          ? `playbook: of ${count(survival.n_became_lasting, "entry", "entries")} that came to be ten turns old, ${number(survival.n_lasting)} are there and ${number(survival.n_lasting_helpful)} help`
          : "playbook survival: not yet known",
      );
    }
    this.#list.show(facts.map((text) => [text, text]));
  }
}

export const playbookPanel = () =>
  new Panel(
    "playbook",
    (_, row) => {
      const votes = element("span", "votes", `▲ ${row.n_helpful}  ▼ ${row.n_harmful}`);
      votes.setAttribute("role", "img");
      votes.setAttribute("aria-label", `helped ${row.n_helpful}, harmed ${row.n_harmful}`);
      return element(
        "li",
        "row entry",
        line(element("span", `mark ${row.kind.toLowerCase()}`, row.kind), votes),
        line(said(row.content)),
        dim(
          row.about ? said(row.about) : "",
          row.about ? ", " : "",
          said(row.agent, "agent"),
          ", ",
          wall(row.at_utc_s, "", " ago"),
          `, ${count(row.n_turns, "turn")} old, confirmed ${count(row.n_confirmed, "time")}`,
        ),
      );
    },
    (a, b) => b[1].n_helpful - b[1].n_harmful - (a[1].n_helpful - a[1].n_harmful) || Number(b[0]) - Number(a[0]),
  );

export const actorPanel = () =>
  new Panel(
    "actors",
    (name, row) =>
      row.trouble
        ? element("li", "row actor bad", line(element("b", "", ACTORS[name] ?? name), element("span", "mark stuck", "in trouble")), dim(row.trouble))
        : element(
            "li",
            "row actor",
            line(element("b", "", ACTORS[name] ?? name), element("span", "mark done", "serves")),
            dim("up for ", age(row.since_at), `, ${count(row.n_commits, "commit")}, ${number(row.n_queued)} queued, process ${row.pid}`),
          ),
    () => 0,
  );
