import { type Command, configOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { withDesk } from '../with-desk.js';

export const accessExport: Command = {
  name: 'access export',
  summary: 'Print every grant of this zone as a document: YAML, or JSON with --json.',
  options: [configOption],
  examples: ['tidegate access export > grants.yaml', 'tidegate access export --json'],
  run(given, context) {
    const { output } = context;
    return withDesk(given, context, async (desk) => {
      const { formatDocument } = await import('../../app/document-text.js');
      const document = await desk.exportAll();
      output.json(document);
      if (!output.isJson) output.line(formatDocument(document).trimEnd());
      return exitCodes.ok;
    });
  },
};
