import type { Catalog } from './catalog-port.js';
import type { Files } from './files-port.js';
import type { Runner } from './runner-port.js';
import type { Search } from './search-port.js';
import type { Session } from './session.js';
import type { Shell } from './shell-port.js';

/** What a tool can be given to work with. A port is declared here with its first user. */
export interface ToolPorts {
  readonly catalog: Catalog;
  readonly files: Files;
  readonly search: Search;
  readonly shell: Shell;
  readonly runner: Runner;
}

export type PortName = keyof ToolPorts;

/** 1 code intelligence, 2 model-assisted exploration, 3 tasks, git and commands, 4 people, 5 mail. */
export type Tier = 1 | 2 | 3 | 4 | 5;

/** The tier that follows from a need; a tool is in the highest of its needs. */
export const portTiers = { catalog: 1, files: 1, search: 1, shell: 3, runner: 3 } as const satisfies Record<
  PortName,
  Tier
>;

/** Whether a tool that needs this can work now. */
export type Readiness =
  | { readonly state: 'ready' }
  | { readonly state: 'starting'; readonly reason: string; readonly retryAfterMs: number }
  | { readonly state: 'unavailable'; readonly reason: string; readonly suggestion: string };

/** What stands behind a port. It is opened at its first use, and one that is slow or dead delays nobody else. */
export interface PortService<Port> {
  readiness(): Readiness | Promise<Readiness>;
  serve(session: Session): Port | Promise<Port>;
  /** The session is over, and with it whatever was to live as long. Its id does not come again. */
  forget?(session: Session): Promise<void>;
  close(): Promise<void>;
}

/** A port without a service is switched off. */
export type PortServices = { readonly [Name in PortName]?: PortService<ToolPorts[Name]> };
