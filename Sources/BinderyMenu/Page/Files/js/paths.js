// The path of each component. The page shows the paths on demand, and copies a command that reads the value.

import { needsToken } from "./access.js";
import { cloneTemplate, onClick } from "./dom.js";
import { showNotice } from "./notice.js";

let areShown = false;

/** Shows or hides the paths of all components. */
export function showPaths(show) {
  areShown = show;
  document.documentElement.toggleAttribute("data-paths", show);
  if (show) labelPaths();
  else for (const label of document.querySelectorAll(".path")) label.remove();
}

/** Adds the paths of new components, if paths are shown. */
export function labelPaths() {
  if (!areShown) return;
  for (const component of document.querySelectorAll("[data-path]")) {
    if (component.querySelector(":scope > .path")) continue;
    const label = pathLabel(component.dataset.path);
    // The path of a container is above its content.
    if (component.matches(".container")) component.prepend(label);
    else component.append(label);
  }
}

function pathLabel(path) {
  const label = cloneTemplate("path-template");
  const url = new URL(`state${encodeURI(path)}`, document.baseURI);
  label.querySelector("code").textContent = url.pathname;
  label.title = label.ariaLabel = `Copy a curl command for ${url.pathname}`;
  onClick(label, () => copy(curlCommand(url)));
  return label;
}

/** Returns a command that reads a URL. The shell inserts the token, which the page does not know. */
function curlCommand(url) {
  const credential = needsToken() ? '-H "Authorization: Bearer $TOKEN" ' : "";
  return `curl ${credential}'${url.href.replaceAll("'", "%27")}'`;
}

async function copy(command) {
  try {
    await navigator.clipboard.writeText(command);
    showNotice("Copied:", { code: command });
  } catch {
    // Browsers give insecure pages no access to the clipboard.
    showNotice("Copy this command:", { code: command });
  }
}
