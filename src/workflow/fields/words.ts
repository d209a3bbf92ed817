// Helpers for writing the tables.
export const text = (about: string) => ({ kind: 'text', about }) as const;
export const template = (about: string) => ({ kind: 'text', holds: 'template', about }) as const;
export const expression = (about: string) => ({ kind: 'text', holds: 'expression', about }) as const;
export const state = (about: string) => ({ kind: 'text', holds: 'state', about }) as const;
export const states = (about: string) => ({ kind: 'list', about, of: state('Name of a state.') }) as const;
export const texts = (about: string) => ({ kind: 'list', about, of: text('A string.') }) as const;
export const flag = (about: string) => ({ kind: 'flag', about }) as const;

export const hooks = (about: string) =>
  ({
    kind: 'list',
    about,
    of: {
      kind: 'map',
      about: 'An action. A failure is logged and does not affect the run.',
      of: {
        log: template('Line for the run log.'),
        command: { kind: 'text', holds: 'command', about: 'Shell command.' },
      },
    },
  }) as const;
