import { describe, expect, it } from 'vitest';
import { createFault, faulted } from '../core/index.js';
import { answerOf } from './result-text.js';

describe('the text of a refused call', () => {
  it.each(['input_schema', 'inputSchema'])(
    'contains the schema, so that the model can correct the call (%s)',
    (key) => {
      const data = { [key]: { required: ['path'] } };
      const { text, isError } = answerOf(
        faulted(createFault('input.invalid', 'Invalid arguments.', { data })),
      );
      expect(isError).toBe(true);
      expect(text).toContain('The schema is {"required":["path"]}');
    },
  );
});
