import { legacyDefinition } from './stateful/codec.js';
import { modernVersion } from './stateless/codec.js';
import { createPager, type Pager } from './list-pages.js';

/** What a modern client may choose from. Legacy versions are chosen by the handshake, never by a request. */
export const supportedVersions: readonly string[] = [modernVersion];

/** What all connections of one gate have in common. */
export interface WireCommon {
  readonly server: { readonly name: string; readonly title: string; readonly version: string };
  readonly pagers: { readonly legacy: Pager; readonly modern: Pager };
  readonly newRequestId: () => string;
}

/** One message, one HTTP body: nothing longer is read. */
export const maxMessageBytes = 16 * 1024 * 1024;

/** Requests of one connection that run at once, and that may wait for their turn. */
export const maxRunning = 128;
export const maxWaiting = 4096;

export function createWireCommon(version: string, runId: string): WireCommon {
  let count = 0;
  return {
    server: { name: 'tidegate', title: 'Tidegate', version },
    pagers: { legacy: createPager(legacyDefinition), modern: createPager((definition) => definition.text) },
    newRequestId: () => {
      count += 1;
      return `${runId}-${String(count)}`;
    },
  };
}

/** Names the client's folder, percent-encoded where it has characters that a header cannot have. */
export const workspaceHeader = 'tidegate-workspace';
