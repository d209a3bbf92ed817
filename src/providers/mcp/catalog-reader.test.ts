import { describe, expect, it } from 'vitest';
import { readCatalogue } from './catalog-reader.js';
import type { KeptCatalogue } from './memory-port.js';

const nothing: KeptCatalogue = { tools: [], prompts: [], resources: [], templates: [], hasResources: false };

function read(kept: Partial<KeptCatalogue>, more: { prefix?: string; checksHeaders?: boolean } = {}) {
  const warnings: unknown[] = [];
  const catalogue = readCatalogue(
    { ...nothing, ...kept },
    {
      source: 'server:s',
      prefix: 's_',
      offers: (name) => name !== 'unwanted',
      checksHeaders: false,
      log: (_level, _message, fields) => void warnings.push(fields),
      ...more,
    },
  );
  return { catalogue, warnings };
}

describe('reading the definitions of a server', () => {
  it('changes only the name of a definition', () => {
    const text =
      '{ "vendor": 12345678901234567890, "name" : "a","title":"A\\u0041", "inputSchema":{"x":1.0} }';
    const { catalogue } = read({ tools: [text] });
    expect(catalogue.tools[0]).toMatchObject({ name: 's_a', localName: 'a', source: 'server:s' });
    expect(catalogue.tools[0]?.definition.text).toBe(text.replace('"a",', '"s_a",'));
  });

  it('keeps a definition unchanged without a prefix', () => {
    const text = '{"name":"a" }';
    expect(read({ tools: [text] }, { prefix: '' }).catalogue.tools[0]?.definition.text).toBe(text);
  });

  it('drops names that are empty, not strings, too long or taken, with a warning each', () => {
    const tools = ['{"name":""}', '{"name":5}', '{}', '"text"', '{"name":"a"}', '{"name":"a"}'];
    const long = JSON.stringify({ name: 'x'.repeat(127) });
    const { catalogue, warnings } = read({ tools: [...tools, long] });
    expect(catalogue.tools.map(({ name }) => name)).toEqual(['s_a']);
    expect(warnings).toHaveLength(6);
  });

  it('leaves out what the operator excludes, without a warning', () => {
    const { catalogue, warnings } = read({ tools: ['{"name":"unwanted"}'] });
    expect(catalogue.tools).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it.each([
    [{ readOnlyHint: true }, 'read'],
    [{ readOnlyHint: false, openWorldHint: false }, 'write'],
    [{ destructiveHint: false }, 'execute'],
    [undefined, 'execute'],
    ['nonsense', 'execute'],
  ])('derives from the hints %j the effect %s', (annotations, effect) => {
    const { catalogue } = read({ tools: [JSON.stringify({ name: 'a', annotations })] });
    expect(catalogue.tools[0]?.effect).toBe(effect);
  });

  it('drops tools with invalid header marks only where parameters become headers', () => {
    const tools = [
      JSON.stringify({
        name: 'a',
        inputSchema: { properties: { x: { type: 'number', 'x-mcp-header': 'X' } } },
      }),
    ];
    expect(read({ tools }).catalogue.tools).toHaveLength(1);
    expect(read({ tools }, { checksHeaders: true }).catalogue.tools).toHaveLength(0);
  });

  it('prefixes prompts and leaves addresses unchanged', () => {
    const { catalogue } = read({
      prompts: ['{"name":"p"}'],
      resources: ['{"uri":"a://1"}', '{"uri":"a://1"}', '{"name":"none"}'],
      templates: ['{"uriTemplate":"a://{x}"}'],
      instructions: 'Be kind.',
    });
    expect(catalogue.prompts[0]?.name).toBe('s_p');
    expect(catalogue.resources.map(({ uri }) => uri)).toEqual(['a://1']);
    expect(catalogue.templates[0]?.uriTemplate).toBe('a://{x}');
    expect(catalogue.instructions).toBe('Be kind.');
  });
});
