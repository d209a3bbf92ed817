// Helpers for writing the tables.
export const text = (description: string) => ({ kind: 'text', takesScalars: true, description }) as const;
export const template = (description: string) =>
  ({ kind: 'text', takesScalars: true, holds: 'template', description }) as const;
export const expression = (description: string) =>
  ({ kind: 'text', takesScalars: true, holds: 'expression', description }) as const;
export const state = (description: string) =>
  ({ kind: 'text', takesScalars: true, holds: 'state', description }) as const;
export const states = (description: string) =>
  ({ kind: 'list', description, of: state('Name of a state.') }) as const;
export const texts = (description: string) => ({ kind: 'list', description, of: text('A string.') }) as const;
export const flag = (description: string) => ({ kind: 'boolean', takesWords: true, description }) as const;

export const hooks = (description: string) =>
  ({
    kind: 'list',
    description,
    of: {
      kind: 'record',
      description: 'An action. A failure is logged and does not affect the run.',
      fields: {
        log: template('Line for the run log.'),
        command: { kind: 'text', takesScalars: true, holds: 'command', description: 'Shell command.' },
      },
    },
  }) as const;
