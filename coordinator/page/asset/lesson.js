// What was learned, and whether it pays.

import { age, byId, element, said } from "./dom.js";
import { KeyedList } from "./keyed.js";
import { Panel, wall } from "./panel.js";
import { ACTORS, count, LAYERS, number, percent } from "./words.js";

const byName = (a, b) => (a[0] < b[0] ? -1 : 1);
const line = (...parts) => element("div", "line", ...parts);
const dim = (...parts) => element("div", "line dim", ...parts);
const MIN_READS = 20; // with fewer, a difference is chance
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

export const efficacyPanel = () =>
  new Panel(
    "efficacy",
    (layer, row) => element("li", "row", line(element("b", "", LAYERS[layer] ?? layer)), ...comparison(row)),
    byName,
  );

function comparison({ treated, held_out }) {
  const told = [bars("with it", treated), bars("held out", held_out)];
  if (Math.min(treated.n_reads, held_out.n_reads) < MIN_READS) {
    return [...told, dim(`too few reads to tell: ${number(treated.n_reads)} with it, ${number(held_out.n_reads)} held out`)];
  }
  const difference = perRead(treated) - perRead(held_out);
  const verdict = `${number(Math.abs(difference))} tokens a read ${difference < 0 ? "lost" : "saved"} by it`;
  const bounces = `${bounced(treated)} bounce with it, ${bounced(held_out)} without`;
  return [...told, dim(`${verdict}; ${bounces} (${count(held_out.n_reads, "read")} held out)`)];
}

const bounced = (sum) => (sum.n_compressed ? percent(sum.n_bounces / sum.n_compressed) : "none");
const perRead = (sum) => (sum.n_reads ? sum.n_net_tokens / sum.n_reads : 0);

function bars(title, sum) {
  const whole = sum.n_tokens + sum.n_saved_tokens;
  const share = whole > 0 ? Math.max(0, Math.min(1, sum.n_net_tokens / whole)) : 0;
  const bar = element("i");
  bar.style.setProperty("--share", share.toFixed(3));
  const track = element("span", "share", bar);
  track.ariaHidden = "true";
  const told = sum.n_reads ? percent(share) : "no reads";
  return element("div", "compare", element("span", "arm", title), track, element("span", "told", told));
}

export class Outcomes {
  #rows = new Map();
  #list = new KeyedList(byId("outcomes"), (_, text) => element("li", "row", dim(text)));

  take(outcomes, memory, totals) {
    const facts = [];
    const reads = outcomes.get("reads");
    if (reads?.n_reads) {
      facts.push(`${number(reads.n_net_tokens)} tokens saved net of bounces and retries; ${number(reads.n_tokens)} were sent`);
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
    this.#rows = new Map(facts.map((text) => [text, text]));
    this.#list.show([...this.#rows]);
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
