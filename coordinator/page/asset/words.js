// What codes mean, in words.

export const KINDS = ["CLAIMED", "HOT", "STUCK", "DONE", "AVOID"];

export const KIND_TITLES = {
  CLAIMED: "somebody holds it; fades since the holder's last progress",
  HOT: "read or worked on lately",
  STUCK: "edits failed, or views were too short",
  DONE: "finished lately",
  AVOID: "somebody advises against it",
};

export const REASONS = {
  claimed: (row) => ["held by ", row.holder],
  queued: (row) => ["", row.holder, " waits for it before"],
  lock_delay: (row) => ["", row.holder, " has just died: lock delay"],
  timeout: (row) => ["waited in vain; held by ", row.holder],
  would_deadlock: () => ["waiting would close a ring"],
};

export const CAUSES = {
  not_shown: "the view had not shown this text",
  never_there: "this text was never in the file",
  claimed: "somebody else holds the file",
  already_applied: "it is in the file already",
  changed: "the file had changed since",
  ambiguous: "the text is there more than once",
  create: "the file is there already",
  create_conflict: "somebody else made the file meanwhile",
  empty_old: "no text to replace was given",
  identical: "old and new text are the same",
  binary: "the file is not text",
  missing_file: "there is no such file",
  unread: "the file had not been read",
  overlap: "its edits overlap",
  partly_applied: "some of it is in the file already",
  marker: "it would write a view's marker into the file",
  stale_hash: "the file is another than the agent believes",
  encoding: "the file's encoding cannot hold it",
  disk: "the disk refused",
};

export const LAYERS = {
  entropy_delta: "entropy thresholds",
  edit_penalty: "risky views → full",
  expected_cost: "views by expected cost",
  unit_ranking: "ranking of units",
  begin_share: "placement in wakeups",
  lessons: "lessons from playbooks",
  feedback_strategy: "strategies for weak answers",
};

// What a layer is judged by; less is better.
export const MEASURES = {
  cost_share: "tokens spent for each token of the files",
  loss_rate: "bounces and failed edits for each view",
  miss_rate: "items asked for again",
  failure_rate: "edits that missed",
  unmet_rate: "answers that stayed weak",
};

export const VERDICTS = { helps: "helps", harms: "harms", no_difference: "no difference", not_yet_known: "not yet known" };

export const ACTORS = {
  scent_field: "scent field",
  quality_store: "quality store",
  thresholds: "thresholds",
  memory: "memory",
};

const DEAD_BELOW = 0.05;

// The intensity of a signal row now: what shares a half-life decays as one (forward decay).
export const intensity = (row, halfLives, now) => DEAD_BELOW * 2 ** ((row.dead_at - now) / halfLives[row.kind]);

export const number = (n) => Math.round(n).toLocaleString("en");
export const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
export const count = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
