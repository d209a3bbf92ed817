import { stages } from '../../../src/core/index.js';

stages.push('after'); // wrong: the order is pinned
// right: stages.slice();
