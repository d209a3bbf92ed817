import { type Frame, type JsonText, type Log, logLevels, type RawId } from '../../kernel/index.js';
import type { InFlight } from './in-flight.js';
import { isRecord, type PeerEvents } from './peer.js';

type NotificationFrame = Extract<Frame, { readonly kind: 'notification' }>;

export interface NoticeParts {
  readonly inFlight: InFlight;
  readonly events: PeerEvents;
  readonly log: Log;
  /** The server takes back a request of its own, or ends a subscription. */
  readonly onCancelled: (id: RawId) => void;
  readonly onAcknowledged: (subscription: number) => void;
}

/** What a server tells us, in both eras; progress is handled with the request that it belongs to. */
export function createNotices(
  parts: NoticeParts,
): (frame: NotificationFrame, carrier: number | undefined) => void {
  const { events } = parts;

  /** A log line goes to the caller that it surely belongs to, else to the operator. */
  function logged(params: JsonText, carrier: number | undefined): void {
    const value = isRecord(params.value) ? params.value : {};
    const at = logLevels.findIndex((known) => known === value['level']);
    const level = logLevels[at];
    const owner = parts.inFlight.lateOwnerOf(carrier);
    if (owner.kind !== 'one' || level === undefined) {
      parts.log('debug', 'server log', { level: value['level'], data: params.text.slice(0, 2000) });
      return;
    }
    const wanted = owner.exchange.logLevel;
    if (wanted !== undefined && at >= logLevels.indexOf(wanted)) owner.exchange.log(level, params);
  }

  return ({ method, params }, carrier) => {
    const value = params !== undefined && isRecord(params.value) ? params.value : {};
    if (method === 'notifications/message' && params) return logged(params, carrier);
    if (method === 'notifications/tools/list_changed') return events.listChanged('tools');
    if (method === 'notifications/prompts/list_changed') return events.listChanged('prompts');
    if (method === 'notifications/resources/list_changed') return events.listChanged('resources');
    if (method === 'notifications/resources/updated' && params && typeof value['uri'] === 'string') {
      return events.resourceUpdated(value['uri'], params);
    }
    if (method === 'notifications/cancelled') return parts.onCancelled(idText(value['requestId']));
    if (method === 'notifications/subscriptions/acknowledged') {
      return parts.onAcknowledged(subscriptionOf(value) ?? carrier ?? 0);
    }
    parts.log('debug', 'a notification of the server is unknown', { method });
  };
}

/** An id as it would be written. Numbers beyond 2^53 are not told apart: the question then simply stays open. */
function idText(id: unknown): RawId {
  return typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : '';
}

function subscriptionOf(params: Readonly<Record<string, unknown>>): number | undefined {
  const meta = params['_meta'];
  const id = isRecord(meta) ? meta['io.modelcontextprotocol/subscriptionId'] : undefined;
  return typeof id === 'number' ? id : undefined;
}
