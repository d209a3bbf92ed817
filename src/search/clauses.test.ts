import { describe, expect, it } from 'vitest';
import { clausesOf } from './clauses.js';

describe('the clauses of a need', () => {
  it('are its sentences, and what comes then', () => {
    expect(clausesOf('Find a flight to Rome. Book a hotel there and then send me an email!')).toEqual([
      'Find a flight to Rome',
      'Book a hotel there',
      'send me an email',
    ]);
  });

  it('are not cut inside of numbers and names', () => {
    expect(clausesOf('open example.com version 2.5')).toEqual(['open example.com version 2.5']);
  });

  it('keep a short afterthought with what it belongs to', () => {
    expect(clausesOf('list my files and also folders')).toEqual(['list my files and   folders']);
  });

  it('are twelve at most', () => {
    expect(clausesOf('Do one more thing. '.repeat(50))).toHaveLength(12);
  });
});
