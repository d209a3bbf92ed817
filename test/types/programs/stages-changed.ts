import { stageNames } from '../../../src/core/index.js';

stageNames.push('after'); // wrong: the order is pinned
// right: stageNames.slice();
