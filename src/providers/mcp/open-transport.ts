import { HeldStart, UntrustedStart } from './line.js';
import type { UpstreamLogin } from './login/upstream-login.js';
import type { Clock, McpProviderOptions } from './options.js';
import { openStdioTransport } from './stdio-transport.js';
import type { Transport, TransportEvents } from './transport.js';

/** HTTP code is loaded only if it is used. */
export async function openTransport(
  options: McpProviderOptions,
  clock: Clock,
  events: TransportEvents,
  login: UpstreamLogin | undefined,
): Promise<Transport> {
  const { transport, log, name } = options;
  const refused = await options.recheck?.();
  if (refused !== undefined) throw new (refused.isPassing ? HeldStart : UntrustedStart)(refused.why);
  if (transport.kind === 'http') {
    const { openHttpTransport } = await import('./http-transport.js');
    const { url, headers } = transport;
    return openHttpTransport({ url, headers, events, clock, log, ...(login && { login }) });
  }
  const { command, args, cwd, env } = transport;
  const order = { owner: name, command, args, cwd, env };
  return openStdioTransport({
    processes: options.processes,
    order,
    events,
    clock,
    log,
    redact: options.createRedactor(),
  });
}
