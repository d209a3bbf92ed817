import { expect, it } from 'vitest';
import { createNoPlugins } from '../../ports/no-plugins.js';
import type { PluginEvent } from '../../ports/plugins.js';
import { notifyPlugins } from './notify-plugins.js';

it('sends facts under the names plugins expect, without secrets', () => {
  const told: PluginEvent[] = [];
  const plugins = { ...createNoPlugins(), publish: (event: PluginEvent) => void told.push(event) };
  const redact = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('hush', '[redacted]')) as unknown;
  const facts = { workflow_id: 'r', step_name: 's', error: 'no hush' };
  notifyPlugins({ plugins, redact }, 'step.failed', facts, { name: 's', said: 'hush' });
  expect(told).toEqual([
    {
      type: 'step.failed',
      source: 'workflow',
      metadata: { workflow_id: 'r', step_name: 's', error: 'no [redacted]' },
      payload: '{"name":"s","said":"[redacted]"}',
    },
  ]);
});
