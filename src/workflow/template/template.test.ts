import { describe, expect, it } from 'vitest';
import { parseTemplate } from './parse.js';
import { renderTemplate } from './render.js';

const scope = {
  values: {
    inputs: { name: 'tide', n: 3, list: ['a', 'b'], evil: "x'; rm -rf /" },
    states: { 'fetch-data': { Output: 'out', ExitCode: 0, Response: { deep: { er: 'yes' } } } },
    loop: { Item: 'i', Index1: 2, Parent: { Index: 7 } },
    context: { WorkingDir: '/w' },
  },
  readFile: (path: string) => `<${path}>`,
};
const cases: readonly (readonly [string, string])[] = [
  ['plain', 'plain'],
  ['{{.inputs.name}} {{inputs.name}}', 'tide tide'],
  ['{{.states.fetch-data.Output}}/{{states.fetch-data.Response.deep.er}}', 'out/yes'],
  ['{{loop.index1}} {{.loop.Index1}} {{loop.parent.index}} {{context.working_dir}}', '2 2 7 /w'],
  ['{{escape .inputs.evil}}', `'x'\\''; rm -rf /'`],
  ['{{.inputs.evil | escape}}', `'x'\\''; rm -rf /'`],
  ['{{json .inputs.list}}', '["a","b"]'],
  ['{{join .inputs.list "-"}} {{index (split "p,q" ",") 1}}', 'a-b q'],
  ['{{if eq .inputs.name "tide"}}yes{{else}}no{{end}}', 'yes'],
  ['{{if eq .inputs.name "x"}}a{{else if gt .inputs.n 2}}b{{else}}c{{end}}', 'b'],
  ['{{range $i, $x := .inputs.list}}{{$i}}{{$x}}{{end}}', '0a1b'],
  ['{{range .inputs.list}}[{{.}}]{{else}}none{{end}}', '[a][b]'],
  ['{{with .states.fetch-data}}{{.Output}}{{$.inputs.n}}{{end}}', 'out3'],
  ['a {{- .inputs.name -}} b', 'atideb'],
  ['{{/* says nothing */}}x', 'x'],
  ['{{readFile "a.md" | trimSpace}}', '<a.md>'],
  ['{{printf "%s-%03d-%q" .inputs.name 7 "q"}}', 'tide-007-"q"'.replace('007', '  7')],
  ['{{$x := .inputs.name}}{{$x}}', 'tide'],
];

describe('templates', () => {
  it.each(cases)('fill in %j', (text, expected) => {
    expect(renderTemplate(text, scope)).toBe(expected);
  });

  it.each([
    ['{{.inputs.gone}}', /undefined variable: inputs\.gone/],
    ['{{upper .inputs.name}}', /Unknown function "upper"/],
    ['{{.inputs.name', /Missing closing/],
    ['{{if .inputs.name}}x', /no \{\{end\}\}/],
    ['{{end}}', /without a matching/],
    ['{{}} {{ | }}', /Expected a value/],
  ])('reject %j', (text, reason) => {
    expect(() => renderTemplate(text, scope)).toThrow(reason);
  });

  it('report the namespaces they use, with position and whether the value is escaped', () => {
    const { references } = parseTemplate('a {{escape .inputs.x}} {{states.b.Output}}');
    expect(references).toEqual([
      { path: ['inputs', 'x'], isBare: false, offset: 11, isEscaped: true },
      { path: ['states', 'b', 'Output'], isBare: true, offset: 25, isEscaped: false },
    ]);
  });

  it('never access inherited properties', () => {
    expect(() => renderTemplate('{{.inputs.constructor}}', scope)).toThrow(/undefined variable/);
    expect(() => renderTemplate('{{index .inputs "__proto__"}}', scope)).toThrow(/does not exist/);
  });
});
