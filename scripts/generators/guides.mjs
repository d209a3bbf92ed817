// Copies compiled and tested files into the guides that show them: the code block after a line
// `<!-- file: path -->` holds that file, whole.
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../..', import.meta.url);
const folder = 'docs/guides';
const shown = /(<!-- file: (\S+) -->\n)```\w*\n(?:[\s\S]*?\n)??```/g;

export async function outputs() {
  const names = (await readdir(fileURLToPath(new URL(folder, root)))).filter((name) => name.endsWith('.md'));
  const files = await Promise.all(names.sort().map((name) => withFiles(`${folder}/${name}`)));
  return files.filter((file) => file !== undefined);
}

async function withFiles(path) {
  const text = await readFile(new URL(path, root), 'utf8');
  const matches = [...text.matchAll(shown)];
  if (matches.length === 0) return undefined;
  const contents = new Map();
  for (const [, , file] of matches) contents.set(file, await readFile(new URL(file, root), 'utf8'));
  const filled = text.replace(
    shown,
    (_whole, head, file) => `${head}\`\`\`${extname(file).slice(1)}\n${contents.get(file).trimEnd()}\n\`\`\``,
  );
  return { path, text: filled };
}
