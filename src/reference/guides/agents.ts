import { TOOLS } from "../../worker/mcp/tools.ts"
import { code, prose, type Section, table } from "../blocks.ts"

const CONFIGURATION = `{
  "mcpServers": {
    "edgepost": {
      "type": "http",
      "url": "https://mail.example.com/mcp",
      "headers": { "Authorization": "Bearer svc_live_…" }
    }
  }
}`

export const agents: Section = {
  id: "agents",
  title: "Tools for agents",
  body: [
    prose(
      "`POST /mcp` speaks the Model Context Protocol: streamable HTTP, without sessions, with an API key as the bearer. Add it to a client such as Claude Code, Cursor or VS Code:",
    ),
    code(CONFIGURATION, "Configuration of an MCP client", "json"),
    table(
      ["Tool", "Call", "What it does"],
      TOOLS.map(({ name, endpoint, description }) => [
        `\`${name}\``,
        `[\`${endpoint.method} ${endpoint.path}\`](#call-${endpoint.name})`,
        description,
      ]),
    ),
    prose(`Each tool makes the call beside it with your key, so permissions, limits and refusals are those of the call. A refusal is an error of the tool with \`code\`, \`message\` and \`details\`.

- A **sending_only** key has \`check_email\` and \`send_email\` alone.
- \`send_email\` and \`reply\` mail people, and need an \`idempotencyKey\`: a repeated call sends once.
- The others only read, or stop mail: they cancel, unsubscribe and suppress. No tool can undo this, so clients may ask for confirmation.
- A result is also the \`structuredContent\`. Its schema is that of the call.
- No tool mails a suppressed address, lifts a suppression, deletes anything, starts a campaign or makes a key.
- A request may have up to 1 MiB. A call of a tool counts as two requests of the [rate limit](#retries).
- A text of more than 20,000 characters is cut.`),
  ],
}
