// The panel of the rollout: an enum, whose cases have different controls.

import { send } from "./api.js";
import { create } from "./dom.js";

/** Shows the rollout. */
export function showRollout(panel, rollout, summary) {
  if (panel.rollout === rollout && panel.updated === summary.updated && panel.devices === summary.devices) return;
  // Keep the form while the user types into it.
  const isTyping = panel.contains(document.activeElement) && document.activeElement.tagName === "INPUT";
  Object.assign(panel, { rollout, updated: summary.updated, devices: summary.devices });
  if (isTyping && rollout === "idle") return;
  panel.replaceChildren(...parts(rollout, summary));
}

function parts(rollout, summary) {
  if (rollout === "idle") return [create("p", "No rollout is running.", { className: "hint" }), startForm()];
  if (rollout.finished) {
    const { version } = rollout.finished;
    return [create("p", `All devices have been asked to install ${version}.`), updated(summary), startForm()];
  }
  const { version, percent } = rollout.running ?? rollout.paused.wave;
  const progress = create("progress", "", { max: 100, value: percent });
  progress.setAttribute("aria-label", "Progress of the rollout");
  const title = rollout.running ? `${version} to ${percent} % of the devices` : `${version} is paused at ${percent} %`;
  const reason = rollout.paused ? [create("p", rollout.paused.reason, { className: "hint" })] : [];
  return [create("p", title, { className: "lead" }), progress, ...reason, updated(summary), buttons(rollout)];
}

const updated = ({ updated, devices }) => create("p", `${updated} of ${devices} devices have it.`, { className: "hint" });

function buttons(rollout) {
  const wave = rollout.running ?? rollout.paused.wave;
  const actions = create("div", "", { className: "actions" });
  const button = (text, action, className = "") =>
    actions.append(create("button", text, { type: "button", className, onclick: action }));
  if (rollout.running) {
    const percent = Math.min(100, wave.percent + 20);
    if (wave.percent < 100) {
      button(`Go to ${percent} %`, () => send("PATCH", "/rollout/running/percent", percent), "primary");
    }
    button("Pause", () => send("PUT", "/rollout/paused", { wave, reason: "Paused on the page" }));
  } else {
    button("Resume", () => send("PUT", "/rollout/running", wave), "primary");
  }
  button("End", () => send("PUT", "/targetVersion", null));
  return actions;
}

function startForm() {
  const form = create("form", "", { className: "actions" });
  const version = create("input", "", { name: "version", placeholder: "Version, such as 1.1.0", required: true, maxLength: 40 });
  version.setAttribute("aria-label", "Version");
  form.append(version, create("button", "Start", { className: "primary" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    version.blur();
    send("PUT", "/targetVersion", version.value.trim());
  });
  return form;
}
