import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../test/support/tree-of.js';
import { optionFields } from '../fields/option-fields.js';
import type { Finding } from '../finding.js';
import { readWorkflow } from './read-workflow.js';

function findingsOf(provider: string, options: object, isNested = false): readonly Finding[] {
  const agent = { provider, prompt: 'go', options };
  const a = isNested ? { type: 'step', agent } : { type: 'agent', ...agent };
  const states = { initial: 'a', a: { ...a, on_success: 'done' }, done: { type: 'terminal' } };
  const source = { file: 'x.yaml', text: '', root: treeOf({ name: 'x', states }) };
  return readWorkflow(source, () => undefined).findings;
}

describe('the options of an agent', () => {
  it.each(Object.keys(optionFields))('%s: suggests the nearest name for an unknown one', (provider) => {
    for (const isNested of [false, true]) {
      const [finding, ...more] = findingsOf(provider, { modle: 'x' }, isNested);
      expect(more).toEqual([]);
      expect(finding).toMatchObject({
        code: 'WORKFLOW.PARSE.UNKNOWN_FIELD',
        message: 'Unknown key "modle".',
        remedy: 'Did you mean `model`?',
      });
    }
  });

  it('are read with the table of their provider, in any spelling', () => {
    const cli = { model: 'm', program: '/bin/x', base_url: 'http://127.0.0.1', api_key_env: 'K' };
    for (const provider of ['claude', 'Gemini', 'codex', 'opencode'])
      expect(findingsOf(provider, cli)).toEqual([]);
    expect(findingsOf('openai-compatible', { model: 'm', temperature: 1 })).toEqual([]);
    expect(findingsOf('claude', { temperature: 1 })).toHaveLength(1);
    expect(findingsOf('openai', { program: '/bin/x' })).toHaveLength(1);
  });

  it('are not checked for a provider that cannot be run or is chosen later', () => {
    expect(findingsOf('mistral_vibe', { modle: 'x' })).toEqual([]);
    expect(findingsOf('{{.inputs.provider}}', { modle: 'x' })).toEqual([]);
  });
});
