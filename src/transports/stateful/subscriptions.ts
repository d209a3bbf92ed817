import { errorText, notificationText, resultText } from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import { tooMany } from '../answers.js';
import type { Asked, CallRunnerParts } from '../call-runner.js';
import { faultText, protocolError } from '../faults.js';

/** The resources that a client watches. */
export interface Subscriptions {
  add(asked: Asked): Promise<void>;
  remove(asked: Asked): void;
  close(): void;
}

export interface SubscriptionParts extends Pick<CallRunnerParts, 'gateway' | 'session'> {
  /** Send a message that belongs to no request. */
  readonly push: (text: string) => void;
}

/** Far above what a real client needs; more is a mistake or an attack. */
const maxSubscriptions = 1000;

export function openSubscriptions({ gateway, session, push }: SubscriptionParts): Subscriptions {
  const watches = new Map<string, () => void>();
  let isClosed = false;
  return {
    async add({ frame, line }) {
      const uri = uriOf(frame.params);
      if (uri === undefined)
        return line.end(protocolError(frame.id, -32602, 'Invalid params: uri must be a string'));
      if (!watches.has(uri) && watches.size >= maxSubscriptions) return line.end(tooMany(frame.id));
      await gateway.registry.settle(session);
      const stop = await gateway.registry.watch(session, uri, (params) =>
        push(notificationText('notifications/resources/updated', params.text)),
      );
      if (typeof stop !== 'function')
        return line.end(errorText(frame.id, faultText(stop, 'resource', 'legacy').text));
      // In the meantime the client may have left, or reached its limit of subscriptions.
      const isWelcome = !isClosed && (watches.has(uri) || watches.size < maxSubscriptions);
      if (!isWelcome) {
        stop();
        return line.end(tooMany(frame.id));
      }
      watches.get(uri)?.();
      watches.set(uri, stop);
      line.end(resultText(frame.id, '{}'));
    },
    remove({ frame, line }) {
      const uri = uriOf(frame.params);
      if (uri !== undefined) {
        watches.get(uri)?.();
        watches.delete(uri);
      }
      line.end(resultText(frame.id, '{}'));
    },
    close() {
      isClosed = true;
      for (const stop of watches.values()) stop();
      watches.clear();
    },
  };
}

function uriOf(params: JsonText | undefined): string | undefined {
  const uri = (params?.value as { readonly uri?: unknown } | undefined)?.uri;
  return typeof uri === 'string' ? uri : undefined;
}
