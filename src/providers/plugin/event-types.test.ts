import { expect, it } from 'vitest';
import { matchesEvent } from './event-types.js';

it.each([
  ['*', 'workflow.started', true],
  ['workflow.*', 'workflow.started', true],
  ['workflow.*', 'workflow.step.started', false],
  ['workflow.*', 'workflow', false],
  ['*.failed', 'step.failed', true],
  ['step.failed', 'step.failed', true],
  ['step.failed', 'step.failedx', false],
  ['step*', 'steps', false],
])('the pattern %s and the event %s: %s', (pattern, type, fits) => {
  expect(matchesEvent(pattern, type)).toBe(fits);
});
