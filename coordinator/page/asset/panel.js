// The lists beside the field: who holds what, who waits, who was refused, which edits failed.

import { age, byId, element, path, paths, said } from "./dom.js";
import { KeyedList } from "./keyed.js";
import { CAUSES, count, REASONS } from "./words.js";

const IDLE_S = 300;

// A list that says so when it is empty, and how much of it is not shown.
export class Panel {
  constructor(id, make, compare) {
    this.id = id;
    this.compare = compare;
    this.list = new KeyedList(byId(id), make);
  }

  take(table, nLeftOut = 0) {
    this.list.show([...table].sort((a, b) => this.compare(a, b)));
    byId(`${this.id}-empty`).hidden = table.size > 0;
    const more = byId(`${this.id}-more`);
    if (more) {
      more.hidden = !nLeftOut;
      more.textContent = nLeftOut ? `and ${count(nLeftOut, "other")} that are not shown` : "";
    }
  }
}

const newestFirst = (a, b) => Number(b[0]) - Number(a[0]);
const line = (...parts) => element("div", "line", ...parts);
const dim = (...parts) => element("div", "line dim", ...parts);

export const heldPanel = (onTake) =>
  new Panel(
    "held",
    (_, row) => {
      const take = element("button", "quiet", "Take away");
      take.type = "button";
      take.setAttribute("aria-label", `Take away ${row.targets[0]} from ${row.holder}`);
      take.addEventListener("click", () => onTake(row, take));
      const node = element(
        "li",
        "row claim",
        element(
          "div",
          "text",
          line(paths(row.targets, row.n_more)),
          dim(
            said(row.holder, "agent"),
            " for ",
            age(row.since_at),
            row.mode === "shared" ? ", shared" : "",
            ...ending(row),
            ...idle(row),
            ...purpose(row),
          ),
        ),
        take,
      );
      return node;
    },
    newestFirst,
  );

const purpose = (row) => (row.intent ? [", to ", said(row.intent)] : []);
const ending = (row) => (row.ends_at === null ? [] : [", fades in ", age(row.ends_at, "", "", true)]);

function idle(row) {
  const made = age(row.progress_at, ", no progress for ");
  made.dataset.from = IDLE_S;
  return [made];
}

export const waitingPanel = () =>
  new Panel(
    "waiting",
    (_, row) =>
      element(
        "li",
        "row",
        line(said(row.waiter, "agent"), row.any_of ? " wants any of " : " wants ", paths(row.targets, row.n_more)),
        dim("since ", age(row.since_at), ", gives up in ", age(row.until_at, "", "", true), ...purpose(row)),
      ),
    (a, b) => a[1].place - b[1].place,
  );

export const refusedPanel = () =>
  new Panel(
    "refused",
    (_, row) => {
      const [before, holder, after] = REASONS[row.reason]?.(row) ?? [row.reason];
      return element(
        "li",
        "row",
        line(said(row.asker, "agent"), " ", row.target ? path(row.target) : "", row.n_more ? ` and ${row.n_more} more` : ""),
        dim(
          before,
          holder ? said(holder, "agent") : "",
          after ?? "",
          ...purpose(row),
          row.n_times > 1 ? `, ${row.n_times} times` : "",
          ", ",
          age(row.last_at, "", " ago"),
        ),
      );
    },
    (a, b) => b[1].last_at - a[1].last_at,
  );

export const failedPanel = () =>
  new Panel(
    "failed",
    (_, row) =>
      element(
        "li",
        "row",
        line(path(row.path)),
        line(element("span", "cause", CAUSES[row.cause] ?? row.cause)),
        dim(said(row.agent, "agent"), row.mode ? ` after a view in mode ${row.mode}` : "", ", ", wall(row.at_utc_s, "", " ago")),
      ),
    newestFirst,
  );

// The same as `age` for points in time of the wall clock.
export function wall(utcSeconds, before = "", after = "") {
  const made = age("", before, after);
  made.dataset.utc = utcSeconds;
  return made;
}

export const auditPanel = () =>
  new Panel(
    "audit",
    (_, row) =>
      element(
        "li",
        "row",
        line(path(row.target)),
        dim(said(row.by, "agent"), " took it from ", said(row.from_session, "agent"), row.was_alive ? ", which was alive, " : " ", wall(row.at_utc_s, "", " ago")),
        line(said(row.reason)),
      ),
    (a, b) => b[1].at_utc_s - a[1].at_utc_s,
  );
