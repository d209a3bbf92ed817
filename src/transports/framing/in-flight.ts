import { type CancellationSource, createCancellation } from '../../lib/cancellation.js';
import { idKey, type RawId } from '../../lib/json-rpc.js';

/** The unanswered requests of one connection. */
export interface InFlight {
  /** Undefined if the id is in use. */
  begin(id: RawId): CancellationSource | undefined;
  end(id: RawId): void;
  /** Cancel one request; ignores an unknown or finished id. */
  cancel(id: RawId): void;
  cancelAll(): void;
  readonly size: number;
}

export function createInFlight(): InFlight {
  const running = new Map<string, CancellationSource>();
  return {
    begin(id) {
      const key = idKey(id);
      if (running.has(key)) return undefined;
      const cancellation = createCancellation();
      running.set(key, cancellation);
      return cancellation;
    },
    end(id) {
      running.delete(idKey(id));
    },
    cancel(id) {
      running.get(idKey(id))?.cancel();
    },
    cancelAll() {
      for (const cancellation of [...running.values()]) cancellation.cancel();
      running.clear();
    },
    get size() {
      return running.size;
    },
  };
}
