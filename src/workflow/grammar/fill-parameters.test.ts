import { describe, expect, it } from 'vitest';
import type { TreeNode } from '../../lib/tree.js';
import { renderTemplate } from '../template/render.js';
import { fillParameters } from './fill-parameters.js';

const scalar = (value: string | number | boolean): TreeNode => ({
  kind: 'scalar',
  value,
  source: String(value),
  start: 0,
  end: 0,
});

function rendered(text: string, value: string | number | boolean): string {
  const filled = fillParameters(text, new Map([['x', scalar(value)]]));
  return renderTemplate(filled, { values: { inputs: { who: "a 'b'" } }, readFile: () => '' });
}

describe('parameters of a template', () => {
  it.each([
    ['{{.parameters.x}}', 'a b', 'a b'],
    ['{{parameters.x}}!', 'a', 'a!'],
    ['{{escape .parameters.x}}', "it's", "'it'\\''s'"],
    ['{{escape parameters.x}} {{escape $.parameters.x}}', '"', `'"' '"'`],
    ['{{.parameters.x | escape}}', 'a\nb', "'a\nb'"],
    ['{{escape .parameters.x}}', '{{.inputs.who}}', "'a '\\''b'\\'''"],
    ['{{escape .parameters.x}}', 'to {{trimSpace .inputs.who}}!', "'to a '\\''b'\\''!'"],
    ['{{if eq .parameters.x 3}}three{{end}}', 3, 'three'],
    ['{{if .parameters.x}}yes{{else}}no{{end}}', false, 'no'],
    ['{{print "parameters.x"}} {{.parameters.x}}', 'a', 'parameters.x a'],
  ])('%s with %j', (text, value, wanted) => {
    expect(rendered(text, value)).toBe(wanted);
  });

  it('that do not exist are left for validation', () => {
    expect(fillParameters('{{escape .parameters.y}}', new Map())).toBe('{{escape .parameters.y}}');
  });
});
