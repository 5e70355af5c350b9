// The console: reads the model, and connects the tree, the editor, the history and the stream.

import { button, Failure, loadSession, make, notify, request, signOut, warn } from "./api.js";
import { draftCount, draftEvents, draftPaths, forgetDrafts, restoreDrafts } from "./drafts.js";
import { History, WatchLog } from "./history.js";
import { Live } from "./live.js";
import { Editor } from "./panes.js";
import { join, parentOf, readModel, segments, step, typeAt, unwrapped, urlOf, visible } from "./schema.js";
import { phone, Tree } from "./tree.js";

const byID = (id) => document.getElementById(id);

/** The revisions that this page has written, for Undo, each with the id of its history. */
const written = new Map();
/** The last undo. */
let undone = Promise.resolve();

async function start() {
  await loadSession();
  const model = readModel((await request("GET", "model.json")).value);
  restoreDrafts(model);
  document.title = `${visible(model.name ?? "State")} — Bindery console`;
  const live = new Live();
  const tree = new Tree(byID("tree"), model, live);
  const parts = { model, live, tree, open, watch, wrote };
  const editor = new Editor(byID("editor"), parts);
  const history = new History(byID("history"), parts);
  const log = new WatchLog(byID("watch-log"), parts);

  function wrote({ headers, revision }) {
    if (headers.get("State-Changed") === "?0" || !revision) return;
    const write = [revision, headers.get("State-History")];
    written.set(...write);
    notify(`Saved as r${revision}.`, () => { undo(write); tree.focusSelected(); }, "Undo");
  }

  /** Reverts a write of this page, by default the last one that is not undone when the undos before have ended. */
  function undo(write) {
    undone = undone.then(async () => {
      const [revision, id] = write ?? [...written].at(-1) ?? [];
      if (!revision) return warn("This page has written nothing that can be undone.");
      const reverted = await history.revert(revision, id);
      // Without an answer, it can be tried again. The next undo takes back the write before, not this undo.
      if (reverted !== undefined && written.delete(revision)) written.delete(reverted);
    });
  }

  async function open(path, { focus = false, replace = false } = {}) {
    // A URL and the dialog name the root so.
    if (path === "/") path = "";
    const hash = `#${encodeURI(path)}`;
    const method = replace ? "replaceState" : "pushState";
    if (location.hash !== hash) window.history[method]({ isOpened: !replace }, "", hash);
    showPage(Boolean(path));
    showPlace(path);
    await tree.reveal(path, { focus });
    watch();
  }

  function showPlace(path) {
    editor.show(path);
    history.select(path);
    byID("place").scrollTop = 0;
  }

  function watch() {
    live.watch(new Map([...tree.wanted(), ...editor.wanted()]));
  }

  function openPage(path) {
    window.history.pushState({ isOpened: true }, "", `#${encodeURI(path)}`);
    showPage(true);
  }

  function closePage() {
    // A page that was opened by a link has no tree to go back to.
    if (window.history.state?.isOpened) return window.history.back();
    window.history.replaceState(null, "", "#");
    showPage(false);
    tree.focusSelected();
  }

  function showPage(hasPlace) {
    document.body.classList.toggle("has-place", hasPlace);
    if (phone.matches) showTab("tab-state");
  }

  const openHash = async () => {
    let path = location.hash.slice(1);
    try { path = decodeURI(path); } catch { /* Typed by hand */ }
    const isBack = !path && phone.matches && tree.selected !== "";
    if (isBack) showPage(false);
    else await open(path, { replace: true });
    // The pane of the previous place is gone, and the focus with it.
    if (isBack || document.activeElement === document.body) tree.focusSelected();
  };
  addEventListener("popstate", openHash);
  tree.addEventListener("draw", watch);
  tree.addEventListener("select", ({ detail: { path, isOpened } }) => {
    if (!phone.matches) window.history.replaceState(null, "", `#${encodeURI(path)}`);
    else if (isOpened) {
      openPage(path);
      // The button Back is above the editor.
      editor.element.focus({ preventScroll: true });
    }
    showPlace(path);
    watch();
  });
  tree.addEventListener("edit", () => {
    if (phone.matches && tree.selected) openPage(tree.selected);
    editor.focus();
  });
  tree.addEventListener("toggle", () => editor.toggle() || tree.toggle(tree.selected));
  draftEvents.addEventListener("change", () => { showDrafts(); queueMicrotask(() => editor.render()); });
  live.addEventListener("status", () => showStatus(live));
  live.addEventListener("change", () => showStatus(live));

  byID("pause").addEventListener("click", () => {
    live.pause(!live.isPaused);
    byID("pause").setAttribute("aria-pressed", live.isPaused);
  });
  byID("sign-out").addEventListener("click", () => {
    if (draftPaths().length && !confirm("Discard the drafts?")) return;
    signOut().then(forgetDrafts, () => warn("You are still signed in: the server does not answer."));
  });
  byID("back").addEventListener("click", closePage);
  byID("drafts").addEventListener("click", async () => {
    const paths = draftPaths();
    await open(paths[(paths.indexOf(tree.selected) + 1) % paths.length]);
    editor.focus();
  });
  addEventListener("session", showDrafts);
  byID("search-open").addEventListener("click", () => jump(parts));

  const tabs = [["tab-state"], ["tab-history", byID("history")], ["tab-log", byID("watch-log")]];
  function showTab(chosen) {
    document.body.classList.toggle("shows-changes", chosen !== "tab-state");
    for (const [id, panel] of tabs) {
      byID(id).ariaSelected = id === chosen;
      byID(id).tabIndex = id === chosen ? 0 : -1;
      if (panel) panel.hidden = id !== chosen;
    }
    if (chosen === "tab-log") log.show();
    if (chosen === "tab-history") history.reload();
  }
  tabs.forEach(([id], index) => {
    byID(id).addEventListener("click", () => showTab(id));
    byID(id).addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const other = step && tabs[index + step]?.[0];
      if (!other || !byID(other).checkVisibility()) return;
      showTab(other);
      byID(other).focus();
    });
  });
  const showFirstTab = () => showTab(phone.matches ? "tab-state" : "tab-history");
  phone.addEventListener("change", showFirstTab);
  showFirstTab();

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.isComposing) return;
    const hasControl = event.ctrlKey || event.metaKey;
    const isInTree = byID("tree").contains(target);
    if (hasControl && key === "s") {
      event.preventDefault();
      editor.saveAll();
    } else if (key === "Escape" && !target.closest("dialog")) {
      if (phone.matches && byID("place").checkVisibility()) closePage();
      else tree.focusSelected();
    } else if (hasControl && key === "z" && isInTree) {
      event.preventDefault();
      undo();
    } else if (!hasControl && key === "/" && isInTree) {
      event.preventDefault();
      jump(parts);
    } else if (key === "?" && isInTree) {
      byID("help").showModal();
    }
  });
  showStatus(live);
  showDrafts();
  byID("app").hidden = false;
  tree.refresh();
  await openHash();
}

function showDrafts() {
  const count = draftCount();
  byID("drafts").hidden = count === 0;
  byID("drafts").textContent = `${count} ${count === 1 ? "draft" : "drafts"}`;
}

let countdown = 0;
let wasOffline = false;

function showStatus(live) {
  clearTimeout(countdown);
  const status = byID("status");
  const state = status.dataset.state = live.isPaused ? "paused" : live.state;
  const seconds = Math.max(0, Math.ceil((live.retryAt - Date.now()) / 1000));
  const text = { live: "Live", connecting: "Connecting…", signedOut: "Signed out", offline: "Offline",
    paused: "Paused" }[state];
  if (status.textContent !== text) status.textContent = text;
  byID("status-detail").textContent = state === "paused" ? `${live.held.toLocaleString()} held`
    : state === "offline" ? `next try in ${seconds} s` : "";
  byID("revision").textContent = `r${live.revision}`;
  const isOffline = live.state === "offline";
  if (document.body.classList.toggle("offline", isOffline) !== wasOffline) {
    wasOffline = isOffline;
    for (const each of document.querySelectorAll("button.writes")) each.disabled = isOffline;
  }
  if (live.state === "offline") countdown = setTimeout(() => showStatus(live), 1000);
}

/**
 * Finds a text in the texts, numbers, keys and cases of a value. Yields the innermost elements and entries that have
 * it, each as `[place, title]`, or else the places.
 */
function* matches(value, type, text, path, owner) {
  if (value === null) return;
  const has = (each) => String(each).toLowerCase().includes(text);
  if (typeof value !== "object") {
    if (has(value)) yield owner ?? [path];
    return;
  }
  const { kind, element } = type.isNested ? type : unwrapped(type);
  // The parts of a JSON value are no places.
  if (kind === "json") owner ??= [path];
  const hasNames = !Array.isArray(value) && !["struct", "optional"].includes(kind);
  for (const [name, each] of Object.entries(value)) {
    const below = join(path, kind === "list" ? each[element.id] : name);
    const found = isCollection(kind) ? [below, each?.[element.title]] : owner;
    const part = step(type, name) ?? { kind: "json" };
    if ((hasNames || part.isFurther) && has(name)) yield found ?? [below];
    yield* matches(each, part, text, below, found);
  }
}

const isCollection = (kind) => ["list", "dictionary"].includes(kind);

/** Returns the collections below a place, and the places that contain none or are open, which are read one by one. */
function sourcesOf(type, path) {
  const { kind, members = [], cases = [], further } = unwrapped(type);
  if (isCollection(kind)) return [{ path, type, isCollection: true, isPaged: type.kind === "list" }];
  const parts = type.isNested ? [{ name: "some", type: type.of }]
    : [...members, ...cases.map(({ name, payload }) => ({ name, type: payload }))];
  const sources = parts.filter((part) => part.type && !part.type.isComputed).flatMap((part) =>
    sourcesOf(part.type, join(path, part.name)));
  return !further && sources.some((each) => each.isCollection) ? sources : [{ path, type }];
}

/** The dialog that goes to a place by its pointer or the id of an element, or searches for a text. */
function jump({ model, live, open }) {
  const dialog = byID("jump");
  const field = byID("jump-field");
  const list = byID("jump-list");
  let search = null;

  const places = (text) => {
    const pointer = text.startsWith("/") ? text : `/${text}`;
    const parent = parentOf(pointer);
    const type = typeAt(model, parent);
    const found = [];
    const exact = text && typeAt(model, pointer);
    // An open object has a place for each text.
    if (exact && (text[0] === "/" || !exact.isFurther)) found.push(pointer);
    const base = type && unwrapped(type);
    const prefix = pointer.slice(parent.length + 1).toLowerCase();
    for (const { name } of base?.members ?? base?.cases?.filter((each) => each.payload) ?? []) {
      if (name.toLowerCase().startsWith(prefix)) found.push(join(parent, name));
    }
    return [...new Set(found)].slice(0, 20);
  };

  byID("jump-close").onclick = () => dialog.close();
  const go = (path) => {
    search?.abort();
    dialog.close();
    open(path, { focus: true });
  };
  const item = (path, text) => make("li", {}, make("button", { type: "button", onclick: () => go(path) },
    make("span", { textContent: visible(path) }), text ? make("small", { textContent: visible(text) }) : ""));

  const showPlaces = () => {
    search?.abort();
    list.replaceChildren(...places(field.value.trim()).map((path) => item(path)));
    byID("jump-progress").textContent = "";
  };

  const showSearching = (isSearching) => { byID("jump-search").textContent = isSearching ? "Stop" : "Search"; };

  /** Reads the state in parts, and lists the elements and places that contain the text, or opens that with an id. */
  const runSearch = async (id) => {
    search?.abort();
    const text = field.value.trim().toLowerCase();
    if (!text) return;
    const own = (search = new AbortController());
    const { signal } = own;
    showSearching(true);
    list.replaceChildren();
    let read = 0;
    let found = 0;
    // What an optional or a case contains is absent while that is nil or not active.
    const get = (method, { path, isPaged }, query) => request(method, urlOf(path) + (isPaged ? `?limit=${query}` : ""),
      { signal }).catch((error) => { if (error.status !== 404) throw error; });
    const countIn = (response) => Number(response?.headers.get("Collection-Count") ?? 0);
    try {
      const sources = sourcesOf(model, "");
      await Promise.all(sources.map(async (each) => {
        each.count = each.isPaged ? countIn(await get("HEAD", each, 1)) : 1;
      }));
      for (const each of sources) {
        const { path, type, isPaged } = each;
        for (let after = ""; ;) {
          const response = await get("GET", each, `1000${after}`);
          const value = response?.value ?? null;
          for (const [place, title] of new Set(matches(value, type, text, path))) {
            if (id && segments(place).at(-1) === id) return go(place);
            found += 1;
            if (found <= 200) list.append(item(place, title));
          }
          const count = each.isCollection ? Object.keys(value ?? {}).length : 1;
          read += count;
          each.count = isPaged ? countIn(response) : count;
          const total = sources.reduce((sum, { count }) => sum + count, 0);
          byID("jump-progress").textContent =
            `${read.toLocaleString()} of ${total.toLocaleString()} places read, ${found} found`;
          if (!response?.headers.get("Link")?.includes('rel="next"')) break;
          after = `&after=${encodeURIComponent(value.at(-1)[type.element.id])}`;
        }
      }
    } catch (error) {
      if (!signal.aborted && error instanceof Failure) byID("jump-progress").textContent = error.message;
    } finally {
      if (search === own) {
        search = null;
        showSearching(false);
      }
    }
  };

  const openID = async (text) => {
    for (const { path, isCollection } of sourcesOf(model, "")) {
      const place = join(path, text);
      if (isCollection && await request("HEAD", urlOf(place)).then(() => true, () => false)) return go(place);
    }
    return runSearch(text);
  };

  field.value = "";
  field.oninput = showPlaces;
  byID("jump-search").onclick = () => (search ? search.abort() : runSearch());
  dialog.querySelector("form").onsubmit = (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text === "/" || text.startsWith("/") && typeAt(model, text)) return go(text);
    const [first] = places(text);
    if (first && (text[0] === "/" || segments(first).at(-1) === text || first === `/${text}`)) return go(first);
    if (text) openID(text);
  };
  dialog.onclose = () => search?.abort();
  showPlaces();
  dialog.showModal();
  field.focus();
}

start().catch((error) => {
  byID("status").dataset.state = "offline";
  byID("status").textContent = "Offline";
  byID("failed").hidden = false;
  byID("failed").querySelector("span").textContent = error instanceof Failure ? error.message : String(error);
  byID("failed").append(button("Try again", () => location.reload()));
});
