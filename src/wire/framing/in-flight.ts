import { idKey, type RawId } from '../../kernel/index.js';

/** The requests of one connection that have no answer yet. */
export interface InFlight {
  /** Undefined when that id is in use. */
  begin(id: RawId): AbortController | undefined;
  end(id: RawId): void;
  /** Cancels one; an unknown or finished id is nothing. */
  cancel(id: RawId): void;
  cancelAll(): void;
  readonly size: number;
}

export function createInFlight(): InFlight {
  const running = new Map<string, AbortController>();
  return {
    begin(id) {
      const key = idKey(id);
      if (running.has(key)) return undefined;
      const controller = new AbortController();
      running.set(key, controller);
      return controller;
    },
    end(id) {
      running.delete(idKey(id));
    },
    cancel(id) {
      running.get(idKey(id))?.abort();
    },
    cancelAll() {
      for (const controller of running.values()) controller.abort();
      running.clear();
    },
    get size() {
      return running.size;
    },
  };
}
