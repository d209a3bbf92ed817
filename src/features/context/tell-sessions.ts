import type { ActiveTools } from '../../exposure/index.js';
import type { LiveParts } from './context-session.js';

export interface SessionTelling {
  /** Starts publishing the active tools of this process's sessions. */
  begin(): void;
  close(): Promise<void>;
}

/** Loads no code until a session has active tools. */
export function createSessionTelling(surface: ActiveTools, parts: LiveParts): SessionTelling {
  let published: Promise<{ close(): void }> | undefined;
  let stop: (() => void) | undefined;
  return {
    begin() {
      stop ??= surface.onActivity(() => {
        published ??= import('./live-sessions.js').then(({ publishSessions }) =>
          publishSessions(surface, parts),
        );
      });
    },
    async close() {
      stop?.();
      (await published)?.close();
    },
  };
}
