import { describe, it } from 'vitest';

describe('upstream servers that fail', () => {
  it.todo('cost each request exactly one answer, and others nothing');
});
