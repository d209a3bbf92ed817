import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../support/gate.js';
import { runGate } from '../support/run-program.js';

const folder = fileURLToPath(new URL('../fixtures/workflows/', import.meta.url));
const flows = `${folder}flows/`;
const expected = JSON.parse(readFileSync(`${folder}expected.json`, 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;

interface Found {
  readonly file: string;
  readonly valid: boolean;
  readonly findings: readonly {
    readonly severity: string;
    readonly code: string;
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly path: string;
    readonly message: string;
    readonly remedy: string;
  }[];
}

describe('the workflow corpus', () => {
  let place: Place;
  let found: ReadonlyMap<string, Found>;

  beforeAll(async () => {
    place = openPlace({});
    const { stdout, status } = await runGate(place, ['validate', flows, '--json'], { cwd: folder });
    expect(status).toBe(2);
    const { workflows } = JSON.parse(stdout) as { readonly workflows: readonly Found[] };
    found = new Map(workflows.map((one) => [one.file.replace(flows, ''), one]));
  });
  afterAll(() => place.close());

  it('is complete: every file has expected findings, and there are more than sixty files', () => {
    const files = readdirSync(flows).filter((name) => name.endsWith('.yaml'));
    expect(Object.keys(expected).sort()).toEqual(files.sort());
    expect(files.length).toBeGreaterThan(60);
  });

  it.each(Object.keys(expected))('has exactly the expected findings in %s, at their positions', (name) => {
    const one = found.get(name);
    const lines = one?.findings.map(({ severity, code, file, line, column, path }) => {
      const other = file === one.file ? '' : `${file.replace(flows, '')}:`;
      return `${severity} ${code} ${other}${line}:${column} ${path}`.trim();
    });
    expect(lines).toEqual(expected[name]);
    expect(one?.valid).toBe(expected[name]?.every((line) => line.startsWith('warning')));
    for (const { message, remedy } of one?.findings ?? []) {
      expect(message).toMatch(/\.$/);
      expect(remedy).not.toBe('');
    }
  });

  it('has errors for unknown keys with --strict, and skipped checks with --skip-plugins', async () => {
    const strict = await runGate(place, ['validate', `${flows}bad-unknown-top.yaml`, '--strict'], {
      cwd: folder,
    });
    expect(strict.status).toBe(2);
    expect(strict.stdout).toContain('error WORKFLOW.PARSE.UNKNOWN_FIELD');
    const skipped = await runGate(place, ['validate', `${flows}bad-unknown-plugin.yaml`, '--skip-plugins'], {
      cwd: folder,
    });
    expect(skipped.status).toBe(0);
    expect(skipped.stdout).toContain('warning WORKFLOW.VALIDATION.CHECK_SKIPPED');
  });

  it('is found by workflow name, with a message for unknown names', async () => {
    const { stdout } = await runGate(place, ['validate', 'good-command.yaml', '--json'], { cwd: flows });
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, workflows: [{ workflow: 'good-command' }] });
    const missing = await runGate(place, ['validate', 'no-such-flow'], { cwd: folder });
    expect(missing.status).toBe(1);
    expect(missing.stderr).toContain('workflow.not_found');
  });
});
