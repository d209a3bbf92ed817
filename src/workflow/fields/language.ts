import type { Language } from '../../lib/schema-table/context.js';
import type { WorkflowCode } from '../codes.js';

/**
 * How workflow files are read. AWF files may have keys and empty entries that Tidegate doesn't know, so only the blocks
 * that grant tools refuse unknown keys.
 */
export const workflowLanguage: Language<WorkflowCode> = {
  codes: {
    unknownKey: { refuse: 'USER.MCP_PROXY.UNKNOWN_KEY', warn: 'WORKFLOW.PARSE.UNKNOWN_FIELD' },
    missing: 'WORKFLOW.PARSE.MISSING_FIELD',
    exclusive: 'WORKFLOW.PARSE.CONFLICTING_FIELDS',
    wrongType: 'WORKFLOW.PARSE.INVALID_VALUE',
    badValue: 'WORKFLOW.PARSE.INVALID_VALUE',
    badName: 'WORKFLOW.PARSE.INVALID_VALUE',
    unsupported: 'WORKFLOW.PARSE.INVALID_VALUE',
  },
  formats: {},
  nameRules: {},
  unknownKeys: 'warn',
  emptyEntries: 'keep',
  reading: 'partial',
};
