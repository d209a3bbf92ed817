import { describe, expect, it } from 'vitest';
import { actionOf, actionsOf } from './actions.js';
import { readEntities } from './entities.js';

describe('values in a query', () => {
  it.each([
    ['mail it to jo@example.org', ['email']],
    ['open https://example.org/a?b=c', ['url', 'website', 'webpage', 'link']],
    ['who is 10.0.0.1', ['ip', 'address']],
    ['what is at (104.07, 30.66)', ['coordinates', 'latitude', 'longitude', 'location']],
    ['spend $500', ['amount', 'price', 'money']],
    ['read report.pdf', ['file']],
    ['SELECT name FROM people', ['sql', 'query', 'database']],
    ['order B0FFG8ZL9P', ['id']],
    ['list my issues', []],
  ])('in %j hint at %j', (text, kinds) => {
    expect(readEntities(text).kinds).toEqual(kinds);
  });

  it('leave no fragments that look like words', () => {
    expect(readEntities('order B0FFG8ZL9P for jo@example.org from 10.0.0.1').text).not.toMatch(/B0|jo@|10\./);
    expect(readEntities('open github.com').text).toContain('github');
  });

  it.each([
    'a'.repeat(2000),
    '1.'.repeat(1000),
    '/a'.repeat(1000),
    'select '.repeat(285),
    'a@'.repeat(1000),
    '#a '.repeat(600),
  ])('are found in linear time (%#)', (text) => {
    const before = process.cpuUsage();
    for (let turn = 0; turn < 20; turn += 1) readEntities(text);
    const { user } = process.cpuUsage(before);
    expect(user / 20 / 1000).toBeLessThan(20);
  });
});

describe('the wanted action', () => {
  it('comes from the first verb of a name, and of each clause', () => {
    expect(actionOf('linear_getCycleIssues')).toBe(actionOf('list'));
    expect(actionOf('forecast')).toBe(0);
    expect(actionsOf(['What is the weather'])).toBe(actionOf('get'));
    expect(actionsOf(['please delete the file', 'create a folder'])).toBe(
      actionOf('remove') | actionOf('add'),
    );
  });
});
