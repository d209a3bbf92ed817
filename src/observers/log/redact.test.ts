import { describe, expect, it } from 'vitest';
import { createLineRedactor, redactAll, redactFields, redactText } from './redact.js';

const canary = 'CaNaRy0hUnTeR2xYz9';

describe('redactText', () => {
  it.each([
    ['a bearer token', `got Bearer ${canary} from the caller`],
    ['basic credentials', `Authorization: Basic ${canary}==`],
    ['a header to the end of its line', `Cookie: a=1; sid="${canary}"`],
    ['an environment variable', `export GITHUB_TOKEN=${canary}`],
    ['a value in quotes', `password = "two words ${canary}"`],
    ['a value with escaped quotes', `{"password":"a\\"${canary}","x":1}`],
    ['JSON inside JSON', `{\\"api_key\\":\\"${canary}\\"}`],
    ['a subscript', `config['client_secret'] = '${canary}'`],
    ['a query parameter', `GET https://host/path?access_token=${canary}&page=2`],
    ['a query parameter inside another value', `url="https://host/?token=${canary}"`],
    ['a flag', `server --api-key ${canary} --verbose`],
    ['a flag in a JSON array', `["--token","${canary}"]`],
    ['a scheme inside a value', `token=Bearer ${canary}`],
    ['user and password of a URL', `postgres://admin:${canary}@db.example/x`],
    ['a password with an at sign', `postgres://admin:p@${canary}@db.example/x`],
    ['a URL with only a token', `https://${canary}@git.example/repo`],
    ['an unknown name with a random value', `blob=${canary}7Qw`],
    ['a key with a value of one case', `license_key=${canary.toLowerCase()}`],
    ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${canary}\n-----END RSA PRIVATE KEY----- end`],
    ['a private key that is cut off', `-----BEGIN OPENSSH PRIVATE KEY-----\n${canary}\n${canary}`],
    ['a token of the gateway', `refused tg_${canary}-${canary}`],
    ['a token of a client', `refused tgt_${canary}-${canary}`],
    ['a token glued to a word', `unknown tool ztgt_${canary}-${canary}${canary}-${canary}`],
    ['a model key', `invalid key sk-proj-${canary}`],
    ['a forge token', `remote: ghp_${canary}${canary} rejected`],
    ['a web token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx${canary}.${canary}`],
    ['a chat token', `xoxb-123456-${canary}`],
  ])('removes %s', (_what, text) => {
    expect(redactText(text)).not.toContain(canary);
    expect(redactText(text).toLowerCase()).not.toContain(canary.toLowerCase());
    expect(redactText(text)).toContain('[redacted]');
  });

  it('removes a cloud key id', () => {
    expect(redactText('using AKIAABCDEFGHIJKLMNOP now')).toBe('using [redacted] now');
  });

  it.each([
    'Unknown tool: files_read',
    '550e8400-e29b-41d4-a716-446655440000',
    'id=550e8400-e29b-41d4-a716-446655440000',
    'commit=0123456789abcdef0123456789abcdef01234567',
    'maxTokens=4096 tokens: 12',
    'unknown key: foo',
    'Error: boom\n    at run (file:///srv/app/main.js:10:3)',
    'https://host.example/path?page=2#top',
    'user@example.com wrote',
    'filesystem_read_text_file',
  ])('keeps %j unchanged', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('does not change its own output', () => {
    for (const text of ['token=[redacted]; x', 'password=[redacted], y', 'token: [redacted] z'])
      expect(redactText(text)).toBe(text);
    // The control: only its own mark is skipped.
    expect(redactText('token=[red]; x')).not.toContain('[red]');
  });

  it('keeps the text around a secret', () => {
    expect(redactText('GET https://host/?token=abc&page=2 failed')).toBe(
      'GET https://host/?token=[redacted]&page=2 failed',
    );
  });

  it('cuts long texts, and finds a secret that crosses the cut', () => {
    const text = `${'x '.repeat(4090)}token=${canary.repeat(100)}`;
    const safe = redactText(text);
    expect(safe.length).toBeLessThan(8300);
    expect(safe).not.toContain(canary);
    expect(safe).toMatch(/… \[9986 characters\]$/);
  });

  it('takes time proportional to the length of any text', () => {
    const pieces = [
      'a=',
      'eyJ',
      'eyJaaaaaaaa.',
      '://',
      '://a@',
      'sk-',
      '-a ',
      'a":"',
      'a\\"',
      '\\',
      'password="',
    ];
    pieces.push(
      "password='\\",
      'Bearer ',
      '-----BEGIN PRIVATE KEY-----',
      '-----END ',
      'SG.aaaaaaaaaaaaaaaaaa',
    );
    pieces.push(
      'a\t=',
      'authorization:\n',
      'k=Aa1',
      'key=a',
      '--token","',
      'a]]',
      '.',
      '-',
      ' ',
      'npm_',
      'x',
    );
    // Sixteen times the text may cost sixteen times the time; quadratic would be 256 times.
    const slow = pieces.filter((piece) => costOf(piece, 160_000) > 100 * Math.max(costOf(piece, 10_000), 1));
    expect(slow).toEqual([]);
  });
});

/** CPU time in milliseconds to redact a text of `length` made of one piece, the best of three. */
function costOf(piece: string, length: number): number {
  const text = piece.repeat(Math.ceil(length / piece.length));
  const runs = [0, 1, 2].map(() => {
    const started = process.cpuUsage();
    redactAll(text);
    return process.cpuUsage(started).user / 1000;
  });
  return Math.min(...runs);
}

describe('redactFields', () => {
  it('hides values by the name of their field, at any depth', () => {
    const safe = redactFields({
      Authorization: canary,
      'x-api-key': canary,
      nested: { list: [{ dbPassword: canary }, { refresh_token: [canary] }] },
      pin: 1234,
      hasToken: true,
      maxTokens: 7,
    });
    expect(JSON.stringify(safe)).not.toContain(canary);
    expect(safe).toMatchObject({ pin: '[redacted]', hasToken: true, maxTokens: 7 });
  });

  it('hides the argument after a secret flag', () => {
    expect(redactFields({ args: ['--port', '80', '--token', canary] })).toEqual({
      args: ['--port', '80', '--token', '[redacted]'],
    });
  });

  it('hides secrets in names, errors and keys that are not strings', () => {
    const safe = redactFields({
      [`token=${canary}`]: 1,
      error: new Error(`login with password=${canary} failed`),
      bytes: Buffer.from(canary),
    });
    expect(JSON.stringify(safe)).not.toContain(canary);
    expect(safe).toMatchObject({ bytes: '[18 bytes]' });
  });

  it('terminates on circular values', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(JSON.stringify(redactFields(circle))).toContain('[deep]');
  });
});

describe('createLineRedactor', () => {
  it('hides a private key that spans several lines, and continues after it', () => {
    const redact = createLineRedactor();
    const lines = [
      'start',
      '-----BEGIN PRIVATE KEY-----',
      canary,
      canary,
      '-----END PRIVATE KEY-----',
      'done',
    ];
    const safe = lines.map(redact);
    expect(safe.join('\n')).not.toContain(canary);
    expect(safe.at(0)).toBe('start');
    expect(safe.at(-1)).toBe('done');
  });

  it('resumes after a private key that never ends', () => {
    const redact = createLineRedactor();
    redact('-----BEGIN PRIVATE KEY-----');
    for (let i = 0; i < 200; i += 1) redact('x');
    expect(redact('readable again')).toBe('readable again');
  });
});
