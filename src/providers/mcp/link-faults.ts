import { createFault, type Fault } from '../../kernel/index.js';
import type { LinkFailure } from './link.js';

export function cancelledFault(server: string): Fault {
  return createFault('call.cancelled', `The call to ${server} was cancelled.`);
}

export function timeoutFault(server: string, timeoutMs: number): Fault {
  const seconds = String(Math.round(timeoutMs / 100) / 10);
  return createFault('call.timeout', `The server ${server} gave no answer within ${seconds} s.`);
}

export function tooManyFault(server: string): Fault {
  return createFault(
    'call.too_many',
    `The server ${server} has too many unanswered requests: wait for answers.`,
  );
}

export function slowFault(server: string): Fault {
  return createFault(
    'provider.unavailable',
    `The server ${server} does not read what it is sent: try later.`,
  );
}

export function loginFault(server: string): Fault {
  return createFault('provider.login', `The server ${server} wants a login.`, {
    detail: 'it wants a login',
    suggestion: `Ask a person to run \`tidegate login ${server}\`, then call again.`,
  });
}

export function failureFault(server: string, failure: Exclude<LinkFailure, { kind: 'stale' }>): Fault {
  if (failure.kind === 'login') return loginFault(server);
  const { detail } = failure;
  if (failure.kind === 'malformed') {
    return createFault('provider.malformed', `The server ${server} answered with something unreadable.`, {
      detail,
    });
  }
  if (failure.kind === 'refused') {
    return createFault('provider.unavailable', `The server ${server} could not be reached.`, { detail });
  }
  const message = `The server ${server} went away before it answered; check what happened before you call again.`;
  return createFault('provider.lost', message, { detail });
}
