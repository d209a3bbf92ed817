export { asideFor } from './aside.js';
export { inConversation } from './in-conversation.js';
export { type ModelScript, openScriptedModel, type ScriptedModel } from './open-scripted-model.js';
export type {
  AdvertisedTool,
  CallKind,
  ModelRequest,
  ScriptedAnswer,
  ScriptedCall,
  ScriptedDelivery,
  ScriptedFault,
  ScriptedTurn,
  ToolResult,
} from './turn.js';
