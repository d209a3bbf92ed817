import type { ActiveTools } from '../../exposure/index.js';
import type { LiveParts } from './context-session.js';

export interface SessionTelling {
  /** Starts publishing the active tools of this process's sessions. */
  begin(): void;
  close(): Promise<void>;
}

/** Loads no code until a session has active tools. */
export function createSessionTelling(exposure: ActiveTools, parts: LiveParts): SessionTelling {
  let published: Promise<{ close(): void }> | undefined;
  let stop: (() => void) | undefined;
  return {
    begin() {
      stop ??= exposure.onActivity(() => {
        published ??= import('./live-sessions.js').then(({ publishSessions }) =>
          publishSessions(exposure, parts),
        );
      });
    },
    async close() {
      stop?.();
      (await published)?.close();
    },
  };
}
