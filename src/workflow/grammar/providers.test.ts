import { expect, it } from 'vitest';
import { optionFields } from '../fields/option-fields.js';
import { providerNamed, runnable } from './providers.js';

it('user-facing names are exactly the providers that can be run', () => {
  expect(runnable.map(providerNamed).sort()).toEqual(Object.keys(optionFields).sort());
});
