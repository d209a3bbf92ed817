import type { Catalog } from './catalog.js';
import type { Desktop } from './desktop.js';
import type { Files } from './files.js';
import type { Runner } from './runner.js';
import type { Search } from './search.js';
import type { PortName, Session } from '../core/index.js';
import type { Shell } from './shell.js';
import type { Web } from './web.js';

/** The ports that a tool can request. Add a port together with its first user. */
export interface ToolPorts extends Record<PortName, object> {
  readonly catalog: Catalog;
  readonly files: Files;
  readonly search: Search;
  readonly shell: Shell;
  readonly runner: Runner;
  readonly web: Web;
  readonly desktop: Desktop;
}

/** Whether the port can be used now. */
export type Readiness =
  | { readonly state: 'ready' }
  | { readonly state: 'starting'; readonly reason: string; readonly retryAfterMs: number }
  | { readonly state: 'unavailable'; readonly reason: string; readonly suggestion: string };

/** The implementation of a port. Opened on first use; a slow or dead one must not delay others. */
export interface PortService<Port> {
  readiness(): Readiness | Promise<Readiness>;
  serve(session: Session): Port | Promise<Port>;
  /** Releases everything that belongs to an ended session. Session ids are never reused. */
  forget?(session: Session): Promise<void>;
  close(): Promise<void>;
}

/** A port without a service is disabled. */
export type PortServices = { readonly [Name in PortName]?: PortService<ToolPorts[Name]> };
