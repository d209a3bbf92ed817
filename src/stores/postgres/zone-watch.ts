import { createListeners } from '../listeners.js';

/** Report changed zones: on NOTIFY and by polling. Runs only while there are listeners. */
export interface ZoneWatch {
  add(listener: (zone: string) => void): () => void;
  close(): void;
}

interface WatchParts {
  /** The latest point in the history of every zone. */
  readonly look: () => Promise<ReadonlyMap<string, string>>;
  readonly listen: (hear: () => void) => () => void;
}

const everyMs = 1000;

export function createZoneWatch({ look, listen }: WatchParts): ZoneWatch {
  const listeners = createListeners();
  let known: ReadonlyMap<string, string> | undefined;
  let stop: (() => void) | undefined;
  let isLooking = false;
  let isWanted = false;
  const lookOnce = async (): Promise<void> => {
    const now = await look();
    const before = known;
    known = now;
    if (before === undefined) return;
    for (const [zone, history] of now) if (before.get(zone) !== history) listeners.tell(zone);
  };
  const lookAgain = async (): Promise<void> => {
    isWanted = true;
    if (isLooking) return;
    isLooking = true;
    while (isWanted && listeners.size > 0) {
      isWanted = false;
      // Ignored here: the next query reports the error.
      await lookOnce().catch(() => {});
    }
    isLooking = false;
  };
  const start = (): (() => void) => {
    const hear = (): void => void lookAgain();
    const timer = setInterval(hear, everyMs);
    timer.unref();
    const unlisten = listen(hear);
    hear();
    return () => {
      clearInterval(timer);
      unlisten();
      known = undefined;
    };
  };
  const stopIfAlone = (): void => {
    if (listeners.size > 0) return;
    stop?.();
    stop = undefined;
  };
  return {
    add(listener) {
      const remove = listeners.add(listener);
      stop ??= start();
      return () => {
        remove();
        stopIfAlone();
      };
    },
    close() {
      listeners.clear();
      stopIfAlone();
    },
  };
}
