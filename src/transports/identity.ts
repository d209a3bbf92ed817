import { legacyDefinition } from './stateful/codec.js';
import { modernVersion } from './stateless/codec.js';
import { createPager, type Pager } from './list-pages.js';

/** The versions for stateless clients. Older versions are negotiated in the handshake, never per request. */
export const supportedVersions: readonly string[] = [modernVersion];

/** Shared by all connections of one gateway. */
export interface WireCommon {
  readonly server: { readonly name: string; readonly title: string; readonly version: string };
  readonly pagers: { readonly legacy: Pager; readonly modern: Pager };
  readonly newRequestId: () => string;
}

/** Limit for one message or HTTP body. */
export const maxMessageBytes = 16 * 1024 * 1024;

/** How many requests of one connection may run at once, and how many may wait. */
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
