import { requestText } from '../../lib/json-rpc.js';
import type { RequestFrame } from './carrier.js';

/** What a client asked for that outlives the asking: its log level and its subscriptions. */
export interface LastingWishes {
  granted(frame: RequestFrame): void;
  /** The same wishes as requests of our own. */
  texts(): readonly string[];
}

const maxWishes = 1000;

export function createLastingWishes(): LastingWishes {
  const wishes = new Map<string, RequestFrame>();
  return {
    granted(frame) {
      const uri = `uri ${String((frame.params?.value as { readonly uri?: unknown } | undefined)?.uri)}`;
      if (frame.method === 'logging/setLevel') wishes.set('level', frame);
      else if (frame.method === 'resources/unsubscribe') wishes.delete(uri);
      else if (frame.method === 'resources/subscribe' && wishes.size < maxWishes) wishes.set(uri, frame);
    },
    texts: () =>
      [...wishes.values()].map(({ method, params }, i) =>
        requestText(`"tidegate-bridge-${String(i)}"`, method, params?.text),
      ),
  };
}
