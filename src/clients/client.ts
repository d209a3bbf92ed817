import type { DocumentFormat } from './document.js';
import type { JsonObject } from './json-value.js';

/** Where client files are searched. */
export interface ClientPlace {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The project folders from the current folder up to the project root. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Scope = 'user' | 'project';

export interface ClientFile {
  readonly path: string;
  readonly scope: Scope;
  /** The project folder that the file belongs to. */
  readonly folder?: string;
}

/** An object in the file whose keys are server names. */
export interface Section {
  readonly path: readonly string[];
  /** Base folder for relative paths of its servers. */
  readonly folder?: string;
  /** Whether another part of the file disables the server. */
  readonly isOff?: (name: string) => boolean;
}

/** How the client starts the gateway. */
export interface TidegateStart {
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

/** A server of a client, with references written as `${NAME}`. */
export interface ClientServer {
  readonly start: ServerStart;
  readonly isEnabled: boolean;
  /** Tool patterns in the format of `tools` in tidegate.yaml. */
  readonly tools?: readonly string[];
  readonly timeoutMs?: number;
  /** Settings that Tidegate does not support. */
  readonly notes: readonly string[];
}

/** A program that uses MCP servers. To add one, write a file with a `Client` and list it in `clients.ts`. */
export interface Client {
  /** The name on the command line. */
  readonly name: string;
  readonly title: string;
  /** Another client that also uses these files; naming that client includes this one. */
  readonly belongsTo?: string;
  readonly format: DocumentFormat;
  /** The user's file comes first; it is created if it does not exist. */
  files(place: ClientPlace): readonly ClientFile[];
  /** The sections with servers. The gateway goes into the first one, unless it replaces servers elsewhere. */
  sections(root: JsonObject, file: ClientFile, place: ClientPlace): readonly Section[];
  /** Throws `CannotRead` if the gateway could not start the server. */
  read(entry: JsonObject, section: Section, place: ClientPlace): ClientServer;
  /** The gateway in this client's server format. */
  tidegateEntry(start: TidegateStart): JsonObject;
  /**
   * Keys that the gateway entry copies from replaced servers, each only with its strict value. A permission to call
   * without asking was given to one server and must not extend to every tool of the gateway.
   */
  readonly keeps?: Readonly<Record<string, boolean | string>>;
}

/** The gateway cannot start this server. The message completes a sentence that begins with "it". */
export class CannotRead extends Error {
  override readonly name = 'CannotRead';
}

export type { JsonObject };
