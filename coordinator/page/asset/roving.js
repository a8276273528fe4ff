// A list of buttons as one stop of the Tab key: the arrow keys, Home and End go from one to the next (WAI-ARIA practices).

export function rove(list) {
  const buttons = () => [...list.querySelectorAll("button")];
  const mark = (chosen) => {
    for (const button of buttons()) button.tabIndex = button === chosen ? 0 : -1;
  };
  list.addEventListener("focusin", (event) => event.target.matches("button") && mark(event.target));
  list.addEventListener("keydown", (event) => {
    const all = buttons();
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, to))].focus();
  });
  new MutationObserver(() => {
    const all = buttons();
    if (all.length && all.filter((button) => button.tabIndex === 0).length !== 1) {
      mark(all.includes(document.activeElement) ? document.activeElement : all[0]);
    }
  }).observe(list, { childList: true, subtree: true });
}
