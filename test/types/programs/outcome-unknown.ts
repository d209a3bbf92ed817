import type { Stage, Outcome } from '../../../src/core/index.js';

const allowed: Outcome = { kind: 'allowed' }; // wrong: content, asks or fault
// right: const allowed: Outcome = { kind: 'fault', fault: { code: 'internal', message: 'no' } };

export const allow: Stage['handle'] = () => Promise.resolve(allowed);
