import { printable } from '../../../config/index.js';
import { type Command, configOption } from '../../command.js';
import { readDocumentFile } from './document-file.js';
import { exitCodes } from '../../exit-codes.js';
import { withAdmin } from './with-admin.js';

/** Longer output is hard to read; `--json` prints every line. */
const maxLines = 40;

export const accessImport: Command = {
  name: 'access import',
  summary: 'Import grants from a file. If the file has errors, nothing is imported.',
  arguments: [
    { name: '<file>', about: 'YAML or JSON file in the format of `access export`; - reads standard input.' },
  ],
  options: [
    configOption,
    { name: 'replace', about: 'Remove stored grants that are not in the file.' },
    { name: 'dry-run', about: 'Show what would change without writing anything.' },
    { name: 'force', about: 'Allow profiles that do not exist here.' },
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
    return withAdmin(given, context, async (service) => {
      const imported = await service.importAll(document, options);
      output.json(imported);
      const { removed, wrote, changed, isDryRun, revision, notes } = imported;
      const lines = [
        ...removed.map(({ says }) => `${output.paint('red', '-')} ${printable(says)}`),
        ...wrote.map(({ says }) => `${output.paint('green', '+')} ${printable(says)}`),
      ];
      for (const line of lines.slice(0, maxLines)) output.line(line);
      if (lines.length > maxLines) output.line(`… and ${String(lines.length - maxLines)} more`);
      if (!changed) output.line('No change: the stored grants already match.');
      else if (isDryRun) output.line('Dry run: nothing was written.');
      output.line(`Revision  ${String(revision)}`);
      for (const note of notes) output.note(note);
      return exitCodes.ok;
    });
  },
};
