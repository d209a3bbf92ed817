import { describe, it } from 'vitest';

describe('What the observers write', () => {
  it.todo('is being written');
});
