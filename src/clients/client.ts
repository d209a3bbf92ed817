import type { DocumentFormat } from './document.js';
import type { JsonObject } from './json-value.js';

/** Where files are looked for. */
export interface ClientPlace {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The folders of the project, the nearest first: where we are, and those above up to its root. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Scope = 'user' | 'project';

export interface ClientFile {
  readonly path: string;
  readonly scope: Scope;
  /** The folder of the project that it belongs to. */
  readonly folder?: string;
}

/** An object of the file whose keys are names of servers. */
export interface Section {
  readonly path: readonly string[];
  /** The folder that relative paths of its servers start from. */
  readonly folder?: string;
  /** What the file says elsewhere about which of them are used. */
  readonly isOff?: (name: string) => boolean;
}

/** How the gate is started. */
export interface GateStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type ServerStart =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** A server as a client has it, its texts in our notation. */
export interface ClientServer {
  readonly start: ServerStart;
  readonly isEnabled: boolean;
  /** Which tools are used, as `tools` of tidegate.yaml says it. */
  readonly tools?: readonly string[];
  readonly timeoutMs?: number;
  /** What has no counterpart here. */
  readonly notes: readonly string[];
}

/** A program that uses MCP servers: a new one is a file with one of these, and a line in `clients.ts`. */
export interface Client {
  /** As it is typed. */
  readonly name: string;
  readonly title: string;
  /** Whose files these are too: who names that client means this one as well. */
  readonly belongsTo?: string;
  readonly format: DocumentFormat;
  /** The user's own first; that one is made where there is none. */
  files(place: ClientPlace): readonly ClientFile[];
  /** Where servers stand in a file. The gate goes to the first, unless it takes somebody's place. */
  sections(root: JsonObject, file: ClientFile, place: ClientPlace): readonly Section[];
  /** Throws `CannotRead` where the gate could not start such a server. */
  read(entry: JsonObject, section: Section, place: ClientPlace): ClientServer;
  /** The gate as this client writes a server. */
  gate(start: GateStart): JsonObject;
  /**
   * Keys that the gate gets from a server that it replaces, each with the only value that is taken: the strict one. Leave
   * to call without asking was given to the tools of one server, and would hold for all that the gate ever has.
   */
  readonly keeps?: Readonly<Record<string, boolean | string>>;
}

/** A server that cannot be started by the gate: the message says why, as the end of "it …". */
export class CannotRead extends Error {
  override readonly name = 'CannotRead';
}

export type { JsonObject };
