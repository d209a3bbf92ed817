import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Command, Context } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { printable } from '../../config/index.js';
import { placeNotes } from '../place-notes.js';
import { newTestText, newToolText } from '../new-tool.js';

export const toolsNew: Command = {
  name: 'tools new',
  summary: 'Start a tool of this workspace: one file, and a test for it.',
  arguments: [{ name: '<name>', about: 'The name of the tool, in snake_case.' }],
  examples: ['tidegate tools new count_words'],
  async run(given, context) {
    const [name = ''] = given.arguments;
    if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name)) {
      const message = `A tool has a name like count_words, not "${printable(name)}".`;
      throw new Failure('usage.bad_value', message, 'tidegate tools new count_words');
    }
    for (const line of placeNotes(context.cwd)) context.output.note(line);
    const folder = join(await folderOf(context), '.tidegate', 'tools');
    const base = join(folder, name.replaceAll('_', '-'));
    await writeNew(`${base}.tool.ts`, newToolText(name));
    // Beside the folder: what stands in it is part of what is trusted.
    const test = join(dirname(folder), 'tests', `${name.replaceAll('_', '-')}.test.ts`);
    await writeNew(test, newTestText(name));
    tellOf([`${base}.tool.ts`, test], name, context);
    return exitCodes.ok;
  },
};

async function folderOf({ cwd, env }: Context): Promise<string> {
  const { locateConfig, openState } = await import('../../app/index.js');
  return (await locateConfig({ cwd, env }, openState(env).trust)).folder;
}

async function writeNew(file: string, text: string): Promise<void> {
  if (existsSync(file)) throw new Failure('tool.exists', `There is a file already: ${printable(file)}`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { flag: 'wx' });
}

function tellOf(files: readonly string[], name: string, { output, cwd }: Context): void {
  output.json({ files });
  for (const file of files) output.line(`Wrote ${printable(relative(cwd, file))}`);
  output.line('');
  output.line('Next: edit it, then');
  output.line('  tidegate trust');
  output.line(`  tidegate tools call ${name} text="hello there"`);
}
