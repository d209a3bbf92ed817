import { describe, expect, it } from 'vitest';
import { clausesOf } from './clauses.js';

describe('the clauses of a query', () => {
  it('are its sentences and its "then" parts', () => {
    expect(clausesOf('Find a flight to Rome. Book a hotel there and then send me an email!')).toEqual([
      'Find a flight to Rome',
      'Book a hotel there',
      'send me an email',
    ]);
  });

  it('are not split inside numbers and names', () => {
    expect(clausesOf('open example.com version 2.5')).toEqual(['open example.com version 2.5']);
  });

  it('keep a short addition with the clause before it', () => {
    expect(clausesOf('list my files and also folders')).toEqual(['list my files and   folders']);
  });

  it('are twelve at most', () => {
    expect(clausesOf('Do one more thing. '.repeat(50))).toHaveLength(12);
  });
});
