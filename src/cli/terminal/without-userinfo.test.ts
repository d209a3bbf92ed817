import { describe, expect, it } from 'vitest';
import { withoutUserinfo } from './without-userinfo.js';

describe('withoutUserinfo', () => {
  it.each([
    ['at https://ann:hunter2@host.example/mcp.', 'at https://host.example/mcp.'],
    ['http://hunter2@[::1]:7331/', 'http://[::1]:7331/'],
    ['http://ann:p@ss@host and ftp://b:c@d', 'http://host and ftp://d'],
    ['https://host.example/@scope/name?mail=a@b', 'https://host.example/@scope/name?mail=a@b'],
    ['mail ann@host.example', 'mail ann@host.example'],
  ])('removes user and password from %j', (text, safe) => {
    expect(withoutUserinfo(text)).toBe(safe);
  });
});
