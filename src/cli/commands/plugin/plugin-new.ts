import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { printable, shellWord } from '../../../config/index.js';
import type { Command, Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { newPluginFiles } from './new-plugin.js';
import { placeNotes } from '../../place-notes.js';

export const pluginNew: Command = {
  name: 'plugin new',
  summary: 'Create a plugin in this workspace: a manifest, TypeScript code and a launcher.',
  arguments: [{ name: '<name>', about: 'Name of the plugin: lowercase letters, digits and -.' }],
  examples: ['tidegate plugin new hello'],
  async run(given, context) {
    const [name = ''] = given.arguments;
    if (!/^[a-z][a-z0-9-]{0,40}$/.test(name)) {
      const message = `"${printable(name)}" is not a valid plugin name. Use lowercase letters, digits and -, such as my-plugin.`;
      throw new Failure('usage.bad_value', message, 'tidegate plugin new hello');
    }
    for (const line of placeNotes(context.cwd)) context.output.note(line);
    const folder = join(await folderOf(context), '.tidegate', 'plugins', name);
    if (existsSync(folder)) throw new Failure('plugin.exists', `Plugin already exists: ${printable(folder)}`);
    await mkdir(folder, { recursive: true });
    const texts = Object.entries(newPluginFiles(name, context.version));
    for (const [file, text] of texts) await writeFile(join(folder, file), text, { flag: 'wx' });
    await chmod(join(folder, `awf-plugin-${name}`), 0o755);
    tellOf(
      texts.map(([file]) => join(folder, file)),
      name,
      context,
    );
    return exitCodes.ok;
  },
};

async function folderOf({ cwd, env }: Context): Promise<string> {
  const { locateConfig, openState } = await import('../../../app/index.js');
  return (await locateConfig({ cwd, env }, openState(env).trust)).folder;
}

function tellOf(files: readonly string[], name: string, { output, cwd }: Context): void {
  output.json({ files });
  for (const file of files) output.line(`Wrote ${printable(relative(cwd, file))}`);
  output.line('');
  output.line('Next: edit plugin.ts, then run');
  output.line(`  tidegate plugin trust ${shellWord(name)}`);
  output.line(`  tidegate plugin call ${shellWord(name)} count_words text="hello there"`);
}
