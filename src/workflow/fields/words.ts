// Small words that the tables are written with.
export const text = (about: string) => ({ kind: 'text', about }) as const;
export const template = (about: string) => ({ kind: 'text', holds: 'template', about }) as const;
export const expression = (about: string) => ({ kind: 'text', holds: 'expression', about }) as const;
export const state = (about: string) => ({ kind: 'text', holds: 'state', about }) as const;
export const states = (about: string) =>
  ({ kind: 'list', about, of: state('The name of a state.') }) as const;
export const texts = (about: string) => ({ kind: 'list', about, of: text('A text.') }) as const;
export const flag = (about: string) => ({ kind: 'flag', about }) as const;

export const hooks = (about: string) =>
  ({
    kind: 'list',
    about,
    of: {
      kind: 'map',
      about: 'One thing to do. What fails is told, and changes nothing.',
      of: {
        log: template('A line for the log of the run.'),
        command: { kind: 'text', holds: 'command', about: 'A command for the shell.' },
      },
    },
  }) as const;
