import type { Command } from '../command.js';
import { accessExport } from './access/access-export.js';
import { accessImport } from './access/access-import.js';
import { accessAcceptStore } from './access/access-accept-store.js';
import { accessTest } from './access/access-test.js';
import { audit } from './access/audit.js';
import { auditPrune } from './access/audit-prune.js';
import { check } from './access/check.js';
import { completionOf } from './setup/completion.js';
import { configCheck } from './config/config-check.js';
import { configPath } from './config/config-path.js';
import { configSchema } from './config/config-schema.js';
import { doctor } from './setup/doctor.js';
import { exec } from './run/exec.js';
import { explain } from './access/explain.js';
import { grant } from './access/grant.js';
import { importCommand } from './setup/import.js';
import { init } from './setup/init.js';
import { login } from './config/login.js';
import { logout } from './config/logout.js';
import { mcp } from './gateway/mcp.js';
import { pluginCall } from './plugin/plugin-call.js';
import { pluginList } from './plugin/plugin-list.js';
import { pluginNew } from './plugin/plugin-new.js';
import { pluginShow } from './plugin/plugin-show.js';
import { pluginDisable, pluginEnable } from './plugin/plugin-switch.js';
import { pluginTrust } from './plugin/plugin-trust.js';
import { profileAssign } from './access/profile-assign.js';
import { profileInspect } from './access/profile-inspect.js';
import { profileList } from './access/profile-list.js';
import { profileShow } from './access/profile-show.js';
import { revoke } from './access/revoke.js';
import { run } from './run/run.js';
import { runsList } from './run/runs-list.js';
import { runsShow } from './run/runs-show.js';
import { secretsForget, secretsList, secretsSet } from './config/secrets.js';
import { serve } from './gateway/serve.js';
import { servers } from './tools/servers.js';
import { exposure } from './tools/context.js';
import { tokenAttenuate } from './token/token-attenuate.js';
import { tokenCreate } from './token/token-create.js';
import { tokenList } from './token/token-list.js';
import { tokenRevoke } from './token/token-revoke.js';
import { tokenRotate } from './token/token-rotate.js';
import { tokenShow } from './token/token-show.js';
import { toolsCall } from './tools/tools-call.js';
import { toolsCost } from './tools/tools-cost.js';
import { toolsList } from './tools/tools-list.js';
import { toolsNew } from './tools/tools-new.js';
import { toolsSearch } from './tools/tools-search.js';
import { toolsShow } from './tools/tools-show.js';
import { trust } from './config/trust.js';
import { validate } from './run/validate.js';

/** Every command. Help, parsing and the reference page are generated from this list. */
export const commands: readonly Command[] = [
  init,
  importCommand,
  serve,
  mcp,
  toolsList,
  toolsShow,
  toolsSearch,
  toolsCall,
  toolsCost,
  toolsNew,
  servers,
  login,
  logout,
  exposure,
  doctor,
  exec,
  pluginList,
  pluginShow,
  pluginCall,
  pluginTrust,
  pluginEnable,
  pluginDisable,
  pluginNew,
  profileList,
  profileShow,
  profileAssign,
  profileInspect,
  grant,
  revoke,
  check,
  explain,
  accessExport,
  accessImport,
  accessTest,
  accessAcceptStore,
  audit,
  auditPrune,
  tokenCreate,
  tokenList,
  tokenShow,
  tokenRotate,
  tokenRevoke,
  tokenAttenuate,
  trust,
  secretsSet,
  secretsList,
  secretsForget,
  run,
  runsList,
  runsShow,
  validate,
  configCheck,
  configSchema,
  configPath,
  completionOf(() => commands),
];
