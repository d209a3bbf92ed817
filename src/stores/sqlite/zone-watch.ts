import type { StoreLog } from '../log.js';
import { createListeners } from '../listeners.js';
import type { Reader } from './reader.js';

/** Report zones changed by any process. Polls while there are listeners. */
export interface ZoneWatch {
  add(listener: (zone: string) => void): () => void;
  /** This process wrote something. */
  look(): void;
  close(): void;
}

const everyMs = 500;

export function createZoneWatch(reader: Pick<Reader, 'dataVersion' | 'histories'>, log: StoreLog): ZoneWatch {
  const listeners = createListeners();
  let known: ReadonlyMap<string, string> = new Map();
  let seen: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;
  /** The zones that changed since the last call. */
  const moved = (): readonly string[] => {
    try {
      const version = reader.dataVersion();
      if (version === seen) return [];
      const now = reader.histories();
      const zones = [...now].flatMap(([zone, history]) => (known.get(zone) === history ? [] : [zone]));
      [known, seen, isFailing] = [now, version, false];
      return zones;
    } catch (error) {
      if (!isFailing) log('warn', 'cannot check the store for changes', { reason: String(error) });
      isFailing = true;
      return [];
    }
  };
  const look = (): void => {
    if (listeners.size === 0) return;
    for (const zone of moved()) listeners.tell(zone);
  };
  const stopIfAlone = (): void => {
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(listener) {
      if (timer === undefined) {
        // Set the starting point, without reporting it.
        moved();
        timer = setInterval(look, everyMs);
        timer.unref();
      }
      const remove = listeners.add(listener);
      return () => {
        remove();
        stopIfAlone();
      };
    },
    look,
    close() {
      listeners.clear();
      stopIfAlone();
    },
  };
}
