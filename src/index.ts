export { callTool, listTools, openTidegate, type Tidegate, type TidegateOptions } from './app/index.js';
