import { content, type Observer } from '../../../src/core/index.js';
import { emptyObject } from '../../../src/lib/json-text.js';

export const meddler: Observer = {
  name: 'meddler',
  begin: () => content(emptyObject), // wrong: an observer changes nothing
  // right: begin: () => () => {},
};
