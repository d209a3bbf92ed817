import { expect, it } from 'vitest';
import { createNoPlugins, type PluginEvent } from '../../kernel/index.js';
import { tellPlugins } from './tell-plugins.js';

it('tells plugins facts by the names that they look for, without secrets', () => {
  const told: PluginEvent[] = [];
  const plugins = { ...createNoPlugins(), publish: (event: PluginEvent) => void told.push(event) };
  const redact = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('hush', '[redacted]')) as unknown;
  const facts = { workflow_id: 'r', step_name: 's', error: 'no hush' };
  tellPlugins({ plugins, redact }, 'step.failed', facts, { name: 's', said: 'hush' });
  expect(told).toEqual([
    {
      type: 'step.failed',
      source: 'workflow',
      metadata: { workflow_id: 'r', step_name: 's', error: 'no [redacted]' },
      payload: '{"name":"s","said":"[redacted]"}',
    },
  ]);
});
