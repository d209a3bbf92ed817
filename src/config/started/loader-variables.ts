const known = new Set([
  'PATH',
  'ENV',
  'BASH_ENV',
  'IFS',
  'CLASSPATH',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'GCONV_PATH',
  'DOTNET_STARTUP_HOOKS',
  'BUN_OPTIONS',
  'BUN_INSTALL',
  'GIT_SSH_COMMAND',
  'GIT_EXEC_PATH',
]);
const families = /^(LD_|DYLD_|NODE_|PYTHON|PERL5|RUBY|GEM_|LUA_|npm_config_|NPM_CONFIG_|PHP)/;

/** Whether a variable decides which code runs. Such variables are shown in full, and the files they name are hashed. */
export function decidesWhatLoads(variable: string): boolean {
  return known.has(variable) || families.test(variable);
}
