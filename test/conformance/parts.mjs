// What is run. A part is one suite run against one arrangement of gate and upstream.

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';

/** Server scenarios: `upstream` says what stands behind the gate, `protocol` in which era the gate may speak to it. */
export const SERVER_PARTS = [
  ...over({ upstream: 'stdio', era: 'legacy' }),
  ...over({ upstream: 'stdio', era: 'modern' }),
  ...over({ upstream: 'stdio', era: 'dual' }),
  ...over({ upstream: 'http', era: 'legacy' }),
  ...over({ upstream: 'http', era: 'modern' }),
  ...over({ upstream: 'bridge', era: 'legacy', protocol: 'legacy' }),
  ...over({ upstream: 'bridge', era: 'modern', protocol: 'modern' }),
];

function over(arrangement) {
  return [LEGACY, MODERN].map((revision) => ({ revision, ...arrangement }));
}

/** Client scenarios: `protocol` is the gate's setting for the upstream, `client` the era of the client before the gate. */
export const CLIENT_PARTS = [
  { revision: LEGACY, protocol: 'legacy', client: 'legacy' },
  { revision: LEGACY, protocol: 'auto', client: 'modern' },
  { revision: MODERN, protocol: 'modern', client: 'modern' },
  { revision: MODERN, protocol: 'auto', client: 'legacy' },
];

/** The fixture and the driver without a gate: shows that a failure with the gate is the gate's. */
export const REFERENCE_PARTS = [
  ...over({ upstream: 'none', era: 'dual' }),
  { revision: LEGACY, protocol: 'none', client: 'legacy' },
  { revision: MODERN, protocol: 'none', client: 'modern' },
];

const BEHIND = { stdio: 'over stdio', http: 'over HTTP', bridge: 'behind tidegate mcp over stdio' };

export function nameOf({ revision, upstream, era, protocol, client }) {
  if (protocol === 'none') return `driver alone, ${revision}`;
  if (upstream === 'none') return `fixture alone, ${revision}`;
  if (upstream !== undefined) return `server ${revision}, ${era} upstream ${BEHIND[upstream]}`;
  return `client ${revision}, upstream protocol ${protocol}, behind a ${client} client`;
}

/** Extensions that the suite does not score and the gate does not have: other grants, and proof of possession. */
const OTHER_GRANTS = [
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/enterprise-managed-authorization',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
];

/** Who stands before the gate makes no difference to a login behind it: those run once for each revision. */
export function isInScope({ protocol, client }, scenario) {
  if (OTHER_GRANTS.includes(scenario)) return false;
  return !scenario.startsWith('auth/') || protocol === client;
}

const KEY_IS_LOST =
  'the scenario asks for the key "user_name"; a legacy elicitation/create has no key that the gate could repeat';

const ROOTS_STAY =
  'the gateway never gives the roots of a caller to a legacy server, which all sessions share';

const CROSSED = new Map([
  ['input-required-result-basic-elicitation', KEY_IS_LOST],
  ['input-required-result-basic-list-roots', ROOTS_STAY],
  ['input-required-result-multiple-input-requests', ROOTS_STAY],
]);

/** Why a scored scenario says nothing about this arrangement, or undefined when it does. */
export function inapplicable({ revision, era, client }, scenario) {
  const isCrossed = client === undefined && revision === MODERN && era === 'legacy';
  return isCrossed ? CROSSED.get(scenario) : undefined;
}
