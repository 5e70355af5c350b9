/** Connects to a Bindery server, by default the one that this module comes from. */
export function connect(url?: string | URL, options?: Options): Client;

export interface Options {
  /** A token, unless the page has a session. */
  token?: string;
  fetch?: typeof fetch;
}

export interface Client {
  /** A place of the state by its JSON Pointer, such as `/time`. */
  at<T = unknown>(path: string): Binding<T>;
  /** Closes the connection. */
  close(): void;
}

/** A live value. It is `undefined` until it is received, and while the place is absent. */
export interface Binding<T> {
  readonly value: T | undefined;
  /** Calls a function with the value now and after each change. Returns a function that ends this. */
  subscribe(run: (value: T | undefined) => void): () => void;
}
