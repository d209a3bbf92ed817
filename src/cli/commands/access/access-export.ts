import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { withAdmin } from './with-admin.js';

export const accessExport: Command = {
  name: 'access export',
  summary: 'Export all grants in this zone as YAML, or as JSON with --json.',
  options: [configOption],
  examples: ['tidegate access export > grants.yaml', 'tidegate access export --json'],
  run(given, context) {
    const { output } = context;
    return withAdmin(given, context, async (service) => {
      const { formatDocument } = await import('../../../workspace/document-text.js');
      const document = await service.exportAll();
      output.json(document);
      if (!output.isJson) output.line(formatDocument(document).trimEnd());
      return exitCodes.ok;
    });
  },
};
