import { agentChecks } from './agent-checks.js';
import type { Check } from './check.js';
import { clientCheck } from './client-checks.js';
import { homeChecks } from './home-checks.js';
import { machineChecks } from './machine-checks.js';
import { outsideChecks } from './outside-checks.js';
import { placeChecks } from './place-checks.js';
import { pluginCheck } from './plugin-checks.js';
import { rightsChecks } from './rights-checks.js';
import { serverChecks } from './server-checks.js';
import { trustCheck } from './trust-checks.js';

/** The only list of the checks of `tidegate doctor`, in group order. */
export const checks: readonly Check[] = [
  ...machineChecks,
  ...homeChecks,
  ...placeChecks,
  trustCheck,
  ...serverChecks,
  pluginCheck,
  ...rightsChecks,
  ...agentChecks,
  clientCheck,
  ...outsideChecks,
];
