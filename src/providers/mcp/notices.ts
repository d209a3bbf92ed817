import type { Frame, RawId } from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import type { Log } from '../../ports/log.js';
import { logLevels } from '../../core/index.js';
import { cutText } from './cut-text.js';
import type { InFlight } from './in-flight.js';
import type { Clock } from './options.js';
import { isRecord, type PeerEvents } from './peer.js';
import { createPacedLog } from './rate-limited-log.js';

type NotificationFrame = Extract<Frame, { readonly kind: 'notification' }>;

export interface NoticeParts {
  readonly inFlight: InFlight;
  readonly events: PeerEvents;
  readonly clock: Clock;
  readonly log: Log;
  /** The server cancelled its own request, or ended a subscription. */
  readonly onCancelled: (id: RawId) => void;
  readonly onAcknowledged: (subscription: number) => void;
}

/** Handles notifications for all protocol versions. Progress is handled with its request. */
export function createNotices(
  parts: NoticeParts,
): (frame: NotificationFrame, carrier: number | undefined) => void {
  const { events } = parts;
  const tell = createPacedLog(parts.log, parts.clock, 'server log');

  /** A log message goes to the caller if its owner is certain, otherwise to the operator. */
  function logged(params: JsonText, carrier: number | undefined): void {
    const value = isRecord(params.value) ? params.value : {};
    const at = logLevels.findIndex((known) => known === value['level']);
    const level = logLevels[at];
    const owner = parts.inFlight.lateOwnerOf(carrier);
    if (owner.kind !== 'one' || level === undefined) {
      tell({ level: cutText(String(value['level']), 50), data: params.text.slice(0, 2000) });
      return;
    }
    const wanted = owner.exchange.logLevel;
    if (wanted !== undefined && at >= logLevels.indexOf(wanted)) {
      owner.pending.feed?.log(level, params);
    }
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
    parts.log('debug', 'the server sent an unknown notification', { method: cutText(method, 200) });
  };
}

/** An id as JSON text. Numbers beyond 2^53 are ambiguous; the question then stays open. */
function idText(id: unknown): RawId {
  return typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : '';
}

function subscriptionOf(params: Readonly<Record<string, unknown>>): number | undefined {
  const meta = params['_meta'];
  const id = isRecord(meta) ? meta['io.modelcontextprotocol/subscriptionId'] : undefined;
  return typeof id === 'number' ? id : undefined;
}
