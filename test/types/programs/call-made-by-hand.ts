import type { Call, Request, Target } from '../../../src/core/index.js';

export function smuggle(request: Request, target: Target): Call {
  const { session, client, params } = request;
  const fields = { requestId: 'r', principal: session.principal, session, client, target, params };
  return { ...fields, providerId: 'one', input: {}, resumed: false }; // wrong: only admit makes a call
  // right: throw new Error(`calls are made by admit, not from ${Object.keys(fields).join()}`);
}
