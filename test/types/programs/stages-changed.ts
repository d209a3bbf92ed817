import { stages } from '../../../src/kernel/index.js';

stages.push('after'); // wrong: the order is pinned
// right: stages.slice();
