import { describe, expect, it } from 'vitest';
import { parseEntry, parseTarget, targetObject } from './entry.js';

const isBuiltin = (name: string) => name === 'Read' || name === 'Bash';

describe('an entry', () => {
  it.each([
    ['Read', 'tool:builtin/Read'],
    ['read', 'group:glob/read'],
    ['github_create_issue', 'group:glob/github_create_issue'],
    ['find_*', 'group:glob/find_*'],
    ['?ead', 'group:glob/?ead'],
    ['*', 'group:glob/*'],
    ['builtin/Read', 'tool:builtin/Read'],
    ['builtin/Gone', 'tool:builtin/Gone'],
    ['builtin/*', 'provider:builtin'],
    ['workspace/deploy', 'tool:workspace/deploy'],
    ['builtin', 'group:glob/builtin'],
    ['server:github', 'provider:server/github'],
    ['server:github/*', 'provider:server/github'],
    ['server:github/create_issue', 'tool:server/github/create_issue'],
    ['server:github/issues:create/now', 'tool:server/github/issues%3Acreate/now'],
    ['plugin:x', 'provider:plugin/x'],
    ['plugin:x/y', 'tool:plugin/x/y'],
    ['tier:2', 'group:tier/2'],
    ['with space', 'group:glob/with%20space'],
  ])('%s means %s', (text, object) => {
    const target = parseTarget(text, isBuiltin);
    expect(target.kind === 'flaw' ? target : targetObject(target)).toBe(object);
  });

  it.each([
    '',
    ' Read',
    'Read ',
    'Re\0ad',
    'x'.repeat(257),
    'server:',
    'server:/x',
    'server:github/',
    'server:git*',
    'server:github/get_*',
    'server:..',
    'plugin:a b',
    'tier:0',
    'tier:6',
    'tier:x',
    'tier:2/x',
    'agent:alice',
    'serve:github',
    'builtin/',
    'builtin/R*',
  ])('%j is invalid', (text) => {
    expect(parseTarget(text, isBuiltin)).toMatchObject({ kind: 'flaw' });
  });

  it('blocks with a leading !, in any list', () => {
    expect(parseEntry('!Bash', 'call', isBuiltin)).toMatchObject({
      text: '!Bash',
      effect: 'block',
      target: { kind: 'tool', localName: 'Bash' },
    });
    expect(parseEntry('!tier:3', 'see', isBuiltin)).toMatchObject({ effect: 'block' });
    expect(parseEntry('tier:3', 'see', isBuiltin)).toMatchObject({ effect: 'see' });
    expect(parseEntry('!', 'call', isBuiltin)).toMatchObject({ kind: 'flaw' });
    expect(parseEntry('! Bash', 'call', isBuiltin)).toMatchObject({ kind: 'flaw' });
  });
});
