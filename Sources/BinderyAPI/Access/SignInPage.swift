import BinderyHTTP

/// The page that a browser gets instead of a page that needs a token.
enum SignInPage {
  static let document = StaticDocument(isPublic: true, rendering: { rendering })

  /// Rendered once, because the page is also the response to requests without a token.
  private static let rendering = StaticDocument.Rendering(
    HTMLPage(title: "Sign in", style: style, script: script, body: body))

  /// Returns whether a request is that of a browser for a page: a read whose `Accept` names HTML.
  static func isWanted(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    guard head.method == .get || head.method == .head else { return false }
    return ResponseFormat.ranges(head, bytes).contains { $0.type == "text/html" }
  }

  // All URLs are relative, so that the page works below any base path.
  private static let body = """
    <main>
    <h1>Sign in</h1>
    <p>This page needs a token of the service.</p>
    <form novalidate>
    <input type="text" autocomplete="username" value="bindery" hidden>
    <label for="token">Token</label>
    <input id="token" type="password" autocomplete="current-password" spellcheck="false" required autofocus
      aria-describedby="error">
    <p id="error" role="alert"></p>
    <button>Sign in</button>
    </form>
    <noscript><p>The form needs JavaScript.</p></noscript>
    <p class="hint">The token is kept as a session cookie that scripts cannot read. Other programs send it with each
    request, as <code>Authorization: Bearer TOKEN</code>: see <a href="problems/unauthorized">unauthorized</a>.</p>
    </main>
    """

  private static let style = """
    body { max-width: 26rem; margin-top: 4rem }
    form { display: grid; gap: 0.6rem; padding: 1.25rem; border: 1px solid var(--hair); border-radius: 0.9rem;
      background: var(--card) }
    label { font-weight: 600 }
    input, button { min-height: 2.75rem; padding: 0.3rem 0.9rem; border: 1px solid var(--line); border-radius: 0.6rem;
      background: var(--paper); color: inherit; font: inherit }
    button { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600;
      cursor: pointer }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
    #error { margin: 0; color: var(--alarm) }
    #error:empty { display: none }
    [hidden] { display: none }
    .hint { color: var(--soft); font-size: 0.9rem }

    """

  private static let script = """

    const form = document.querySelector("form");
    const field = document.getElementById("token");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      document.getElementById("error").textContent = await signIn(field.value.trim());
      field.select();
    });
    // Reloads the page, or returns an error message.
    async function signIn(token) {
      // Other characters are not allowed in a bearer token (RFC 6750 §2.1), and some not even in a header.
      if (!/^[\\w.~+/-]+=*$/.test(token)) return "This is not a valid token.";
      try {
        const response = await fetch("session", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
        if (response.status === 401) return "The server does not accept this token.";
        if (!response.ok) return `The server returned status ${response.status}.`;
      } catch {
        return "The server does not respond.";
      }
      location.reload();
      return "";
    }

    """
}
