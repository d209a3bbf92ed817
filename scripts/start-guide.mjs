// The text that `npm start` prints when the gateway is up: how to connect, try and stop it.

/** The text, with colors if `paint` adds them. */
export function guide({ url, token, tools, command, home, config, paint }) {
  const bearer = `Bearer ${token}`;
  const title = (text) => paint('bold', text);
  const api = url.replace(/\/mcp$/, '/api');
  const cli = `TIDEGATE_HOME="$PWD/${home}" node ${command}`;
  return `
${title('Tidegate is running')} with ${tools} tools.

  URL    ${paint('cyan', url)}
  Token  ${paint('cyan', token)}   ${paint('dim', '(shown because this is a demo; treat real tokens like passwords)')}

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

  ${title('A client that only supports stdio')} can start this command in this folder:
    ${cli} mcp --via ${url}

${title('Try a call')}   ${paint('dim', 'in another terminal, in this folder')}

  ${cli} tools call files_read_text_file path=welcome.md --config ${config}

  curl -s ${api}/tools/files_list_directory/call -H "Authorization: ${bearer}" -d '{"path":"."}'

${title('Stop')} with Ctrl+C. This also stops the servers. Each call prints a line of JSON below.
`;
}
