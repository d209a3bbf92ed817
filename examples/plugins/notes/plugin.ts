import { defineOperation, definePlugin, z } from 'tidegate/plugin';

// Kept in memory. A real plugin would use a database or a service.
const notes = new Map<string, string>();

export default definePlugin({
  name: 'notes',
  version: '1.0.0',
  description: 'Stores short notes in memory.',

  operations: {
    // Tidegate exposes these as the tools notes_add and notes_find.
    add: defineOperation({
      description: 'Stores a note under a title. Replaces a note with the same title.',
      input: z.object({
        title: z.string().min(1).describe('Title of the note.'),
        text: z.string().describe('Text of the note.'),
        pinned: z.boolean().default(false).describe('Mark the note as important.'),
      }),
      output: z.object({
        count: z.int().describe('Number of notes.'),
      }),
      run({ title, text, pinned }) {
        notes.set(title, pinned ? `* ${text}` : text);
        return { data: { count: notes.size }, text: `Kept "${title}".` };
      },
    }),
    find: defineOperation({
      description: 'Finds notes that contain a word in their title or text.',
      input: z.object({
        word: z.string().describe('Word to search for.'),
        limit: z.int().min(1).max(100).default(10).describe('Maximum number of notes to return.'),
      }),
      output: z.object({
        titles: z.array(z.string()).describe('Titles of the notes that contain the word.'),
      }),
      run({ word, limit }) {
        const found = [...notes].filter(([title, text]) => `${title} ${text}`.includes(word));
        return { data: { titles: found.map(([title]) => title).slice(0, limit) } };
      },
    }),
  },

  // In a workflow: `type: notes.remember`.
  stepTypes: {
    remember: {
      description: 'Stores the inputs of the step as a note.',
      run({ stepName, config, inputs }) {
        const title = typeof config['title'] === 'string' ? config['title'] : stepName;
        notes.set(title, JSON.stringify(inputs));
        return { output: `Kept "${title}".`, data: { count: notes.size }, exitCode: 0 };
      },
    },
  },

  validators: {
    step: (workflow, stepName) =>
      workflow.steps?.[stepName]?.['timeout'] === undefined
        ? [{ severity: 'warning', message: 'The step has no timeout.', step: stepName, field: 'timeout' }]
        : [],
  },

  onEvent({ type, payload }) {
    notes.set(`event ${type}`, JSON.stringify(payload));
    return type === 'workflow.failed' ? [{ type: 'notes.kept', payload: { count: notes.size } }] : [];
  },
});
