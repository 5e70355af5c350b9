extension ReferencePage {
  /// The style sheet of the page.
  static let style = """
    body { max-width: 75rem; margin: 0 auto; padding: 1.25rem clamp(1rem, 3vw, 2.5rem) 4rem }
    header { padding-bottom: 0.75rem; border-bottom: 1px solid var(--hair) }
    header p, nav, .kind, small { color: var(--soft) }
    h1, h2 { font-family: ui-serif, Georgia, "Noto Serif", serif; font-weight: 600 }
    h1 { margin: 0; font-size: 1.9rem }
    h2 { margin: 2.5rem 0 0.5rem; font-size: 1.4rem }
    h3 { margin: 0 0 0.5rem; font-size: 1rem }
    h3 code { font-size: 1rem }
    small { font: 400 0.9rem/1 system-ui, sans-serif }
    p, ul, dl { margin: 0.5rem 0 }
    header p { margin-bottom: 0 }
    code { padding: 0.05em 0.3em; border-radius: 0.3em; background: var(--tint) }
    a code, h3 code, th code { padding: 0; background: none }
    :root { --tint: light-dark(#f1ebe2, #2b2722) }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 0.3rem }

    nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 1rem 0; padding: 0; list-style: none }
    nav a { color: inherit; text-decoration: none }
    nav a:hover { color: var(--accent); text-decoration: underline }
    .names { font: 0.9em/1.6 ui-monospace, monospace }
    article { margin: 0.9rem 0; padding: 0.8rem 1rem; border: 1px solid var(--hair); border-radius: 0.9rem;
      background: var(--card) }
    article, section, details { scroll-margin-top: 1rem }
    :target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent) }
    section:target { box-shadow: none }

    details { margin: 0; border-top: 1px solid var(--hair) }
    details:first-of-type { border-top: 0 }
    summary { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; padding: 0.35rem 0;
      cursor: pointer }
    summary:hover { color: var(--accent) }
    summary b { flex: none; width: 4.2rem; padding: 0.1rem 0; border-radius: 0.4rem; background: var(--tint);
      font: 600 0.75rem/1.5 ui-monospace, monospace; text-align: center }
    summary span { flex: 1 1 12rem }
    summary::before { content: "▸" / ""; flex: none; width: 0.8rem; color: var(--soft) }
    [open] > summary::before { content: "▾" / "" }
    summary::-webkit-details-marker { display: none }
    b.get { color: light-dark(#2e6b3f, #8ed3a0) }
    b.post { color: light-dark(#1f5f99, #8cc2f0) }
    b.put, b.patch { color: var(--accent) }
    b.delete { color: var(--alarm) }
    details > p, details > dl, details > ul { margin-inline-start: 1.55rem }

    dl { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: 0.3rem 1rem;
      font-size: 0.95rem }
    dt { color: var(--soft) }
    dd { margin: 0 }
    .plain { margin: 0; padding: 0; list-style: none }
    .plain b { display: inline-block; min-width: 5rem; font-weight: 600 }
    pre { margin: 0.5rem 0 0; padding: 0.75rem; border-radius: 0.6rem; background: var(--tint); overflow-x: auto }
    table { width: 100%; border-collapse: collapse; font-size: 0.95rem }
    th, td { padding: 0.35rem 0.75rem 0.35rem 0; border-top: 1px solid var(--hair); text-align: start;
      vertical-align: baseline }
    tr:first-child > * { border-top: 0 }
    th { width: 30%; font-weight: 400 }
    th i { color: var(--soft); font-size: 0.85rem }

    @media (width >= 60rem) {
      .columns { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 2.5rem; align-items: start }
      nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1.5rem 0 }
      nav ul { display: grid; margin: 0 0 1rem }
      main > section:first-child > h2 { margin-top: 1.25rem }
    }
    @media (width < 40rem) {
      body { padding-inline: 0.9rem }
      dl { grid-template-columns: minmax(0, 1fr); gap: 0.1rem }
      dd { margin-bottom: 0.5rem }
      details > p, details > dl, details > ul { margin-inline-start: 0 }
      summary { padding: 0.6rem 0 }
      table, tbody, tr, th, td { display: block; width: auto }
      td { padding-top: 0; border-top: 0 }
    }

    """
}
