import type { Log } from '../../ports/log.js';
import { withMembers } from '../../lib/json-text.js';
import { type Discovery, modernVersion, ownEnvelope } from './discovery.js';
import type { Clock } from './options.js';
import { listMethods, ownRequestMs, type Peer } from './peer.js';
import { type CallSenderParts, createCallSender } from './stateless-call.js';
import { openSubscription, type Subscription } from './subscription.js';

export interface ModernParts extends CallSenderParts {
  readonly clock: Clock;
  readonly log: Log;
}

export interface ModernPeer extends Peer {
  readonly subscription: Subscription;
}

/** A server with protocol version 2026-07-28: every request carries everything about the caller. */
export function openModernPeer(
  parts: ModernParts,
  found: Extract<Discovery, { readonly kind: 'modern' }>,
): ModernPeer {
  const { rpc } = parts;
  rpc.transport.agree('modern', modernVersion);
  const envelope = ownEnvelope(parts.version, parts.roots);
  const lists = found.abilities.listChanged;
  const subscription = openSubscription({ ...parts, envelope, lists });

  return {
    protocol: 'modern',
    protocolVersion: modernVersion,
    pid: rpc.transport.pid,
    abilities: found.abilities,
    instructions: found.instructions,
    subscription,
    call: createCallSender(parts),
    listPage(list, cursor) {
      const page = cursor === undefined ? undefined : JSON.stringify(cursor);
      const params = withMembers(`{"_meta":${envelope}}`, { cursor: page });
      return rpc.request(listMethods[list], params, { timeoutMs: ownRequestMs });
    },
    watchOnly: (uris) => (found.abilities.resources ? subscription.watchOnly(uris) : Promise.resolve()),
    isBusy: () => rpc.inFlight.isBusy(),
    lastUse: () => rpc.lastUse,
    async close() {
      subscription.close();
      await rpc.close();
    },
  };
}
