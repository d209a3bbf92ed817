import type { StoreLog } from '../log.js';
import { createListeners } from '../listeners.js';
import type { Reader } from './reader.js';

/** Tells of zones that moved, from whichever process. Looks now and then while anybody listens. */
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
  /** Gives the zones that moved since it was asked last. */
  const moved = (): readonly string[] => {
    try {
      const version = reader.dataVersion();
      if (version === seen) return [];
      const now = reader.histories();
      const zones = [...now].flatMap(([zone, history]) => (known.get(zone) === history ? [] : [zone]));
      [known, seen, isFailing] = [now, version, false];
      return zones;
    } catch (error) {
      if (!isFailing) log('warn', 'the store cannot be watched', { reason: String(error) });
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
        // Where we start from; nobody needs to hear of it.
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
