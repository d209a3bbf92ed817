// What `npm start` prints once the gate is up: how to connect, how to try it, how to stop it.

/** The text, with colours only where `paint` gives some. */
export function guide({ url, token, tools, command, home, config, paint }) {
  const bearer = `Bearer ${token}`;
  const title = (text) => paint('bold', text);
  const api = url.replace(/\/mcp$/, '/api');
  const cli = `TIDEGATE_HOME="$PWD/${home}" node ${command}`;
  return `
${title('Tidegate is running')} with ${tools} tools.

  URL    ${paint('cyan', url)}
  Token  ${paint('cyan', token)}   ${paint('dim', '(shown because this is the demo: treat a real one as a password)')}

${title('Connect an agent')}

  ${title('Claude Code')}   ${paint('dim', 'undo: claude mcp remove tidegate')}
    claude mcp add --transport http tidegate ${url} --header "Authorization: ${bearer}"

  ${title('Gemini CLI')}   ${paint('dim', 'undo: gemini mcp remove --scope user tidegate')}
    gemini mcp add --scope user --transport http --header "Authorization: ${bearer}" tidegate ${url}

  ${title('Codex')}   ${paint('dim', 'in ~/.codex/config.toml')}
    [mcp_servers.tidegate]
    url = "${url}"
    http_headers = { Authorization = "${bearer}" }

  ${title('OpenCode')}   ${paint('dim', 'in opencode.json')}
    { "mcp": { "tidegate": { "type": "remote", "url": "${url}", "oauth": false,
        "headers": { "Authorization": "${bearer}" } } } }

  ${title('Any MCP client')}   ${paint('dim', 'Streamable HTTP, as written in .mcp.json')}
    { "mcpServers": { "tidegate": { "type": "http", "url": "${url}",
        "headers": { "Authorization": "${bearer}" } } } }

  ${title('A client that only speaks stdio')} starts this, from this folder:
    ${cli} mcp --via ${url}

${title('Try a call')}   ${paint('dim', 'in another terminal, from this folder')}

  ${cli} tools call files_read_text_file path=welcome.md --config ${config}

  curl -s ${api}/tools/files_list_directory/call -H "Authorization: ${bearer}" -d '{"path":"."}'

${title('Stop')} with Ctrl+C: Tidegate and its servers end. Each call prints a line of JSON below.
`;
}
