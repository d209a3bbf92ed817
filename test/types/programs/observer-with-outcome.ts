import { content, emptyObject, type Observer } from '../../../src/kernel/index.js';

export const meddler: Observer = {
  name: 'meddler',
  begin: () => content(emptyObject), // wrong: an observer changes nothing
  // right: begin: () => () => {},
};
