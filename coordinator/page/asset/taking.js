// Taking a claim away: asks why, shows the token in a header, and says what came of it. The token is kept in memory only.

import { byId, setText, shown } from "./dom.js";

export class Taking {
  #claim = null;
  #opener = null;

  // `token` has get() and set(text); `say` tells people who cannot see the dialog close.
  constructor(token, say) {
    this.token = token;
    this.say = say;
    this.dialog = byId("taking");
    byId("taking-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    byId("taking-cancel").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => this.#opener?.isConnected && this.#opener.focus({ preventScroll: true }));
  }

  open(space, claim, opener) {
    this.#claim = { space, target: claim.targets[0] };
    this.#opener = opener;
    setText(byId("taking-target"), shown(claim.targets[0]));
    setText(byId("taking-holder"), shown(claim.holder));
    setText(byId("taking-said"), "");
    byId("taking-reason").value = "";
    byId("taking-alive").checked = false;
    this.#askForToken();
    this.dialog.showModal();
    byId("taking-reason").focus();
  }

  async #send() {
    const go = byId("taking-go");
    const token = this.token.get() || byId("taking-token").value.trim();
    go.disabled = true;
    setText(byId("taking-said"), "");
    try {
      const [ok, text] = await this.#ask(token);
      if (!ok) return setText(byId("taking-said"), text);
      this.dialog.close();
      this.say(text);
    } catch {
      setText(byId("taking-said"), "The gateway cannot be reached: nothing was taken away.");
    } finally {
      go.disabled = false;
    }
  }

  async #ask(token) {
    const answer = await fetch("/api/v1/page/release", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({
        ...this.#claim,
        reason: byId("taking-reason").value,
        even_if_alive: byId("taking-alive").checked,
        by: byId("taking-by").value,
      }),
    });
    const told = await answer.json();
    if (answer.status === 401) {
      this.#forget();
      return [false, "This is not the gateway's token."];
    }
    if (!answer.ok) return [false, told.error];
    this.token.set(token);
    this.#askForToken();
    if (told.not_released.length) return [false, shown(told.not_released[0].why).replace("say even_if_alive", "tick the box")];
    return [true, `Taken away: ${shown(this.#claim.target)}`];
  }

  // Only while it is not known.
  #askForToken() {
    const isKnown = this.token.get() !== "";
    byId("taking-token").value = "";
    byId("taking-token").required = !isKnown;
    byId("taking-token-label").hidden = isKnown;
  }

  #forget() {
    this.token.set("");
    this.#askForToken();
    byId("taking-token").focus();
  }
}
