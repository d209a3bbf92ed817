import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openPlace } from '../support/gate.js';
import { runGate } from '../support/run-program.js';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));

/** YAML blocks whose first line names a file. */
const named = /```yaml\n# (\S+\.yaml)\b[^\n]*\n[\s\S]*?```/g;

interface Block {
  readonly page: string;
  readonly file: string;
  readonly text: string;
}

const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /^(?:start|guides|jobs)\//.test(file) && file.endsWith('.md'),
);
const blocks: readonly Block[] = pages
  .flatMap((page) =>
    [...readFileSync(join(docs, page), 'utf8').matchAll(named)].map(([text, file = '']) => ({
      page,
      file,
      text: text.slice('```yaml\n'.length, -'```'.length),
    })),
  )
  .filter(({ file, text }) => wordsFor(file, text) !== undefined);

describe('files shown in the docs', () => {
  const withFiles = [...new Set(blocks.map(({ page }) => page))];
  it.each(withFiles)('are all valid, on the page %s', async (page) => {
    const place = openPlace({ servers: {} });
    try {
      const env = { ...place.env, GITHUB_TOKEN: 'x', DATABASE_URL: 'postgres://u@127.0.0.1/x' };
      const shown = blocks.filter((block) => block.page === page);
      for (const { file, text } of shown) {
        const path = join(place.directory, 'workspace', file);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
      await runGate(place, ['trust', '--yes'], { env });
      for (const { file, text } of shown) {
        const { status, stdout, stderr } = await runGate(place, wordsFor(file, text) ?? [], { env });
        expect({ file, status, said: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({
          file,
          status: 0,
          said: '',
        });
      }
    } finally {
      place.close();
    }
  });
});

/** The command that validates such a file; none if only one command reads it. */
function wordsFor(file: string, text: string): readonly string[] | undefined {
  if (/^states:/m.test(text)) return ['validate', file];
  return /(?:tidegate|profiles)\.yaml$/.test(file) ? ['config', 'check'] : undefined;
}
