import { describe, expect, it } from 'vitest';
import { choosersIn, isHostFixed } from './endpoint.js';

describe('the host of a URL', () => {
  it.each([
    'https://api.example.com/{{.inputs.x}}',
    'https://api.example.com:8443/a?b={{.inputs.x}}',
    'HTTPS://api.example.com?{{.states.a.Output}}',
    'https://{{.env.HOST}}/{{.inputs.x}}',
    '{{.env.BASE}}/{{.inputs.x}}',
    '{{.env.BASE}}:8080/{{.inputs.x}}',
    '{{.env.URL}}',
    'https://[::1]:9/{{.loop.Item}}',
    'https://api.example.com/ {{- .inputs.x}}',
  ])('is fixed in %s', (url) => expect(choosersIn(url)).toEqual([]));

  it.each([
    '{{.inputs.x}}',
    'https://{{.inputs.x}}/',
    'https://api.example.com{{.inputs.x}}',
    'https://api.example.com{{/* none */}}{{.inputs.x}}/',
    'https://api.example.com:{{.inputs.x}}/',
    'https://api.example.com\\{{.inputs.x}}',
    'https:/{{.inputs.x}}',
    'https:{{.inputs.x}}',
    'https:///{{.inputs.x}}',
    'https://me@{{.inputs.x}}/',
    '{{.env.SCHEME}}//{{.inputs.x}}/',
    '{{.env.SCHEME}}://{{.inputs.x}}/',
    '{{.env.A}}{{.inputs.x}}/',
    '{{if .inputs.x}}https://a/{{end}}',
    '{{if .env.A}}https://a/{{.inputs.x}}{{end}}',
    '{{$y := .inputs.x}}https://{{$y}}/',
    '{{printf "https://a/{{" }}{{.inputs.x}}',
    '{{index $ "inputs" "x"}}',
    '{{with $}}{{.inputs.x}}{{end}}',
    '/{{.inputs.x}}',
  ])('is chosen by an external value in %s', (url) => expect(choosersIn(url)).not.toEqual([]));

  it('is checked again with the values of the environment', () => {
    const fill = (base: string) => (text: string) => text.replace('{{.env.BASE}}', base);
    const url = '{{.env.BASE}}/{{.inputs.x}}';
    expect(isHostFixed(url, fill('https://a.example'))).toBe(true);
    for (const base of ['https:', 'https:/', '', 'file:///etc', 'https://'])
      expect(isHostFixed(url, fill(base)), base).toBe(false);
    expect(isHostFixed('{{.env.BASE}}', fill('anything'))).toBe(true);
  });
});
