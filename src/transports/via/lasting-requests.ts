import { requestText } from '../../lib/json-rpc.js';
import type { RequestFrame } from './carrier.js';

/** The lasting requests of a client: its log level and its subscriptions. */
export interface LastingRequests {
  granted(frame: RequestFrame): void;
  /** The same requests, to be sent again by us. */
  texts(): readonly string[];
}

const maxRequests = 1000;

export function createLastingRequests(): LastingRequests {
  const requests = new Map<string, RequestFrame>();
  return {
    granted(frame) {
      const uri = `uri ${String((frame.params?.value as { readonly uri?: unknown } | undefined)?.uri)}`;
      if (frame.method === 'logging/setLevel') requests.set('level', frame);
      else if (frame.method === 'resources/unsubscribe') requests.delete(uri);
      else if (frame.method === 'resources/subscribe' && requests.size < maxRequests)
        requests.set(uri, frame);
    },
    texts: () =>
      [...requests.values()].map(({ method, params }, i) =>
        requestText(`"tidegate-bridge-${String(i)}"`, method, params?.text),
      ),
  };
}
