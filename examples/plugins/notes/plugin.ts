import { defineOperation, definePlugin, z } from 'tidegate/plugin';

// What this process remembers. A real plugin would ask a database or a service.
const notes = new Map<string, string>();

export default definePlugin({
  name: 'notes',
  version: '1.0.0',
  description: 'Keeps short notes while it runs.',

  operations: {
    // At the gate these are the tools notes_add and notes_find.
    add: defineOperation({
      description: 'Keeps a note under a title. A note of the same title is replaced.',
      input: z.object({
        title: z.string().min(1).describe('What the note is found by.'),
        text: z.string().describe('The note itself.'),
        pinned: z.boolean().default(false).describe('Whether it comes first.'),
      }),
      output: z.object({
        count: z.int().describe('How many notes there are now.'),
      }),
      run({ title, text, pinned }) {
        notes.set(title, pinned ? `* ${text}` : text);
        return { data: { count: notes.size }, text: `Kept "${title}".` };
      },
    }),
    find: defineOperation({
      description: 'Finds notes by a word in their title or text.',
      input: z.object({
        word: z.string().describe('What to look for.'),
        limit: z.int().min(1).max(100).default(10).describe('How many at most.'),
      }),
      output: z.object({
        titles: z.array(z.string()).describe('The titles of the notes that have the word.'),
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
      description: 'Keeps what the step before gave.',
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
