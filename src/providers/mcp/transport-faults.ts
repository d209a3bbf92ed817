import { createFault, type Fault } from '../../core/index.js';
import type { TransportFailure } from './transport.js';

export function cancelledFault(server: string): Fault {
  return createFault('call.cancelled', `The call to ${server} was cancelled.`);
}

export function heldFault(server: string): Fault {
  const message = `The server ${server} asked a question that was not answered in time, and other callers were waiting. Retry the call.`;
  return createFault('ask.expired', message);
}

export function timeoutFault(server: string, timeoutMs: number): Fault {
  const seconds = String(Math.round(timeoutMs / 100) / 10);
  return createFault('call.timeout', `The server ${server} did not answer within ${seconds} s.`);
}

export function tooManyFault(server: string, why: 'full' | 'share'): Fault {
  const whose = why === 'share' ? ' from you' : '';
  return createFault(
    'call.too_many',
    `The server ${server} has too many open requests${whose}. Wait for some of them to finish.`,
  );
}

export function slowFault(server: string): Fault {
  return createFault(
    'provider.unavailable',
    `The server ${server} is not reading its input. Try again later.`,
  );
}

export function loginFault(server: string): Fault {
  return createFault('provider.login', `The server ${server} requires a login.`, {
    detail: 'it requires a login',
    suggestion: `Ask the user to run \`tidegate login ${server}\`, then call again.`,
  });
}

export function failureFault(server: string, failure: Exclude<TransportFailure, { kind: 'stale' }>): Fault {
  if (failure.kind === 'login') return loginFault(server);
  const { detail } = failure;
  if (failure.kind === 'malformed') {
    return createFault('provider.malformed', `The server ${server} returned an invalid response.`, {
      detail,
    });
  }
  if (failure.kind === 'refused') {
    return createFault('provider.unavailable', `The server ${server} could not be reached.`, { detail });
  }
  const message = `The connection to the server ${server} was lost before it answered. The call may have run: check before you retry it.`;
  return createFault('provider.lost', message, { detail });
}

export function startingFault(server: string): Fault {
  return createFault(
    'provider.starting',
    `The server ${server} is still starting. Call again in a few seconds.`,
  );
}

export function unavailableFault(server: string, detail: string, pauseMs = 0): Fault {
  const when = pauseMs > 0 ? ` It restarts in ${String(Math.ceil(pauseMs / 1000))} s.` : '';
  return createFault('provider.unavailable', `The server ${server} is not available.${when}`, { detail });
}
