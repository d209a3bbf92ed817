const text = {
  isLiteral: false,
  ignoresCase: false,
  isMultiline: false,
  before: 0,
  after: 0,
  offset: 0,
  limit: 250,
  includeIgnored: true,
};
const list = { order: 'newest', limit: 100, includeIgnored: true };
const all = ['--no-config', '--no-ignore', '--hidden', '--glob=!.git'];

/** `plain` is the command a user would type for the same answer. */
export const cases = [
  grep('files_with_matches, few', 'files', 'createServer', ['-l']),
  grep('content, few', 'lines', 'createServer', ['-n']),
  grep('content, no match', 'lines', 'zzqqxxyy[0-9]{7}', ['-n']),
  grep('content, context', 'lines', 'createHash\\(', ['-n', '-C2'], { before: 2, after: 2 }),
  grep('count, few', 'counts', 'createServer', ['-c']),
  grep('files_with_matches, most', 'files', 'the', ['-l']),
  grep('content, very many', 'lines', 'the', ['-n']),
  grep('count, most', 'counts', 'the', ['-c']),
  glob('newest, **/*.ts', { pattern: '**/*.ts' }, ['--sortr=modified', '--glob=*.ts']),
  glob('newest, **/*', { pattern: '**/*' }, ['--sortr=modified']),
  glob('by name, **/*', { pattern: '**/*', order: 'name' }, []),
];

function grep(name, mode, pattern, plain, more = {}) {
  return {
    name: `Grep ${name}`,
    kind: 'text',
    query: { ...text, ...more, mode, pattern },
    plain: [...all, ...plain, `--regexp=${pattern}`, '--', './'],
  };
}

function glob(name, query, plain) {
  return {
    name: `Glob ${name}`,
    kind: 'files',
    query: { ...list, ...query },
    plain: [...all, '--files', ...plain, '--', './'],
  };
}
