import { printable } from '../../config/index.js';
import { type Command, configOption } from '../command.js';
import { readDocumentFile } from '../document-file.js';
import { exitCodes } from '../exit-codes.js';
import { withDesk } from '../with-desk.js';

/** Past this many lines nobody reads; `--json` has them all. */
const maxLines = 40;

export const accessImport: Command = {
  name: 'access import',
  summary: 'Take in a document of grants: all of it, or nothing where anything in it is wrong.',
  arguments: [{ name: '<file>', about: 'YAML or JSON as access export prints it; - reads standard input.' }],
  options: [
    configOption,
    { name: 'replace', about: 'What is stored and not in the document goes.' },
    { name: 'dry-run', about: 'Only say what would be done.' },
    { name: 'force', about: 'Also with profiles that do not exist here.' },
  ],
  examples: ['tidegate access import grants.yaml --dry-run', 'tidegate access import grants.yaml --replace'],
  async run(given, context) {
    const { output } = context;
    const [file = ''] = given.arguments;
    const document = await readDocumentFile(file, context);
    const options = {
      replace: given.options['replace'] === true,
      dryRun: given.options['dry-run'] === true,
      force: given.options['force'] === true,
    };
    return withDesk(given, context, async (desk) => {
      const imported = await desk.importAll(document, options);
      output.json(imported);
      const { removed, wrote, changed, isDryRun, revision, notes } = imported;
      const lines = [
        ...removed.map(({ says }) => `${output.paint('red', '-')} ${printable(says)}`),
        ...wrote.map(({ says }) => `${output.paint('green', '+')} ${printable(says)}`),
      ];
      for (const line of lines.slice(0, maxLines)) output.line(line);
      if (lines.length > maxLines) output.line(`… and ${String(lines.length - maxLines)} more`);
      if (!changed) output.line('Nothing changes: it is so already.');
      else if (isDryRun) output.line('Nothing was written: that is what would be done.');
      output.line(`Revision  ${String(revision)}`);
      for (const note of notes) output.note(note);
      return exitCodes.ok;
    });
  },
};
