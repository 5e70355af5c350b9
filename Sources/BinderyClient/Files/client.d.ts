// The types of client.js. `bindery types --typescript` writes the types of a model, to be given to `connect`.

declare const tag: unique symbol;
declare const access: unique symbol;
/** The id of an element. */
export type ID<Name extends string> = string & { readonly [tag]: Name };
/** An integer; a bigint beyond ±(2^53 − 1). */
export type Integer = number | bigint;
/** Elements with ids. `N` is a new element, without the members that the server fills. */
export type List<E, I = string, N = E> = readonly E[] & { readonly [tag]?: ["list", I, N] };
/** A value that clients cannot write. */
export type ReadOnly<T> = T extends null | undefined ? T : T & { readonly [access]?: "readOnly" };

// Paths are resolved segment by segment.
type ElementFor<E, I, K> = K extends { readonly [tag]: any } ? (K extends I ? E : never) : E;
type IsAny<T> = 0 extends 1 & T ? true : false;
/** The type at a key. What is below a read-only place is read-only, too. */
export type Step<T, K extends string> = IsAny<T> extends true ? any
  : IsReadOnly<T> extends true ? ReadOnly<Part<T, K>> : Part<T, K>;
type Part<T, K extends string> = T extends null | undefined ? never
  : T extends readonly (infer E)[]
  ? (T extends { readonly [tag]?: ["list", infer I, any] } ? ElementFor<E, I, K> : never)
  : T extends object
  ? (K extends keyof T ? Exclude<T[K], undefined> : string extends keyof T ? T[keyof T & string] : never) : never;
export type At<T, P extends string> = P extends "" ? T
  : P extends `/${infer H}/${infer R}` ? At<Step<T, H>, `/${R}`> : P extends `/${infer H}` ? Step<T, H> : never;
type Known<T, P> = [T] extends [never] ? never : P;
type IsReadOnly<T> = unknown extends T ? false
  : [NonNullable<T>] extends [{ readonly [access]?: infer X }]
  // `X` is unknown for a dictionary, which does not have the property.
  ? (unknown extends X ? false : "readOnly" extends X ? true : false) : false;
type Writable<T, F> = IsReadOnly<T> extends true ? never : F;
type Element<T> = T extends { readonly [tag]?: ["list", any, any] } & readonly (infer E)[] ? E : never;
type NewElement<T> = IsAny<T> extends true ? any
  : T extends { readonly [tag]?: ["list", any, infer N] } ? (unknown extends N ? never : N) : never;

/** An operation of a JSON Patch (RFC 6902). Paths may name elements by their ids. */
export interface Operation {
  op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  path: string;
  value?: unknown;
  from?: string;
  /** The new position of an element with an id; for `add` and `move`. */
  at?: number;
}
/** The result of a commit; `changed` is false if the state was already so. */
export interface Receipt { revision: number; changed: boolean }
/** A revision of the history. */
export interface Revision { revision: number; at: string; by?: string; patch: Operation[]; undo: Operation[] }
export interface Page { after?: number; limit?: number }
/** Why a write failed: the members of a problem document (RFC 9457), the refused value, and what is there now. */
export interface Problem {
  kind: "refused" | "conflict" | "absent" | "offline" | "signedOut" | "forbidden" | "tooManyPlaces";
  type?: string; title?: string; status?: number; detail?: string; pointer?: string; value?: unknown; current?: unknown;
  currentETag?: string;
}
/** Why a place has no value. */
export interface Absence { reason: string; activeCase?: string }
/** Writes never reject: test `problem`. */
export type Result<T> = { ok: T; problem?: undefined } | { problem: Problem; ok?: undefined };

/** Opens bindings to the state of a server. Without a URL, to the server of this module. */
export function connect<M = any>(url?: string | URL, options?: Options): Client<M>;
export interface Options {
  /** A bearer token; not needed with a session. */
  token?: string;
  /** Whether to close the stream when all pages are hidden for a minute. The default is "release". */
  hidden?: "release" | "keep";
  fetch?: typeof fetch;
}
/** A value that changes. `subscribe` calls `run` at once and after each change, as Svelte's stores do. */
export interface Readable<T> { readonly value: T; readonly subscribe: (run: (value: T) => void) => () => void }
export interface Client<M> {
  /** Returns the binding at a JSON Pointer, in which elements are named by their ids. */
  readonly at: <P extends string>(path: Known<At<M, P>, P>) => Binding<At<M, P>>;
  /** Applies a JSON Patch atomically. */
  readonly commit: (operations: Operation[]) => Promise<Result<Receipt>>;
  readonly history: (options?: Page) => AsyncIterable<Revision>;
  /** Undoes a revision, unless something else has changed its places since. */
  readonly revert: (revision: number) => Promise<Result<Receipt>>;
  readonly status: Readable<Status>;
  readonly signIn: (token: string) => Promise<Result<void>>;
  readonly signOut: () => Promise<void>;
  readonly close: () => void;
}
/** The value at a place, which can be read and watched. */
export interface Place<T> extends Readable<T | undefined>, AsyncIterable<T | undefined> {
  readonly snapshot: Snapshot<T>;
  readonly status: Snapshot<T>["status"];
}
/** What is known about a value that is not read. */
export interface Shallow {
  /** The number of elements of a list or dictionary. */
  readonly count: number;
  /** Changes with the value. */
  readonly etag: string;
}
/** A place in the state: the confirmed value with the writes of this client that are not confirmed yet. */
export interface Binding<T> extends Place<T> {
  /** The size and the ETag of the value, without the value: for lists of which only a part is shown. */
  readonly shallow: Place<Shallow>;
  /** Returns the binding of a member, case, element or key. */
  readonly at: <K extends string>(key: Known<Step<T, K>, K>) => Binding<Step<T, K>>;
  /** Replaces an existing value; creates it, or switches to its case, with `create`. */
  readonly set: Writable<T, (value: T, options?: { create?: boolean; ifMatch?: string }) => Promise<Result<T>>>;
  /** Replaces the value by that of a pure function, which runs again after a conflict. `undefined` cancels. */
  readonly update: Writable<T, (change: (value: T) => T | undefined) => Promise<Result<T>>>;
  readonly remove: Writable<T, () => Promise<Result<void>>>;
  readonly append: Writable<T, (element: NewElement<T>) => Promise<Result<Element<T>>>>;
}
export interface Snapshot<T> {
  status: "loading" | "present" | "absent";
  absent?: Absence;
  value?: T;
  /** The value without the writes of this client that are not confirmed yet. */
  confirmed?: T;
  etag?: string;
  revision?: number;
  /** The problem of the last write, until the next one. */
  problem?: Problem;
  write: "confirmed" | "pending" | "inFlight" | "refused" | "conflict";
  /** The model has kept another value than the one that was written. */
  outcome?: "adjusted" | "dropped";
}
export interface Status {
  state: "connecting" | "live" | "offline" | "signedOut";
  /** The number of writes without an outcome. */
  pending: number;
  reason?: string;
  retryAt?: Date;
}
