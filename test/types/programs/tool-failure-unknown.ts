import { ToolFailure } from '../../../src/tool/index.js';

throw new ToolFailure('oops', 'It failed.'); // wrong: the codes are a closed list
// right: throw new ToolFailure('failed', 'It failed.');
