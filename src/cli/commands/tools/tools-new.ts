import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Command, Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { printable, shellWord } from '../../../config/index.js';
import { placeNotes } from '../../place-notes.js';
import { newTestText, newToolText } from './new-tool.js';

export const toolsNew: Command = {
  name: 'tools new',
  summary: 'Create a tool in this workspace: one file and a test.',
  arguments: [{ name: '<name>', about: 'Name of the tool, in snake_case.' }],
  examples: ['tidegate tools new count_words'],
  async run(given, context) {
    const [name = ''] = given.arguments;
    if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name)) {
      const message = `"${printable(name)}" is not a valid tool name. Use snake_case, such as count_words.`;
      throw new Failure('usage.bad_value', message, 'tidegate tools new count_words');
    }
    for (const line of placeNotes(context.cwd)) context.output.note(line);
    const folder = join(await folderOf(context), '.tidegate', 'tools');
    const base = join(folder, name.replaceAll('_', '-'));
    await writeNew(`${base}.tool.ts`, newToolText(name));
    // Outside the tools folder, because everything in it is part of what is trusted.
    const test = join(dirname(folder), 'tests', `${name.replaceAll('_', '-')}.test.ts`);
    await writeNew(test, newTestText(name));
    tellOf([`${base}.tool.ts`, test], name, context);
    return exitCodes.ok;
  },
};

async function folderOf({ cwd, env }: Context): Promise<string> {
  const { locateConfig, openState } = await import('../../../app/index.js');
  return (await locateConfig({ cwd, env }, openState(env).trust)).folder;
}

async function writeNew(file: string, text: string): Promise<void> {
  if (existsSync(file)) throw new Failure('tool.exists', `File already exists: ${printable(file)}`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { flag: 'wx' });
}

function tellOf(files: readonly string[], name: string, { output, cwd }: Context): void {
  output.json({ files });
  for (const file of files) output.line(`Wrote ${printable(relative(cwd, file))}`);
  output.line('');
  output.line('Next: edit it, then run');
  output.line('  tidegate trust');
  output.line(`  tidegate tools call ${shellWord(name)} text="hello there"`);
}
