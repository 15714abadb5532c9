import { API_PREFIX } from "../worker/contract.ts"
import type { Section } from "./blocks.ts"
import type { Group } from "./contents.ts"

/** A short guide for language models, in the form of llmstxt.org. */
export const toLlmsText = (groups: readonly Group[], origin: string): string => `# Edgepost

> An email sending service: transactional mail and campaigns through a REST API or SMTP, with a timeline for every message, signed webhooks, a live stream, templates, contact books and suppressions.

The API lives at ${origin}${API_PREFIX}. It takes and answers JSON. Every call carries \`Authorization: Bearer <API_KEY>\`; a key begins with \`svc_live_\`. Agents may use the Model Context Protocol at ${origin}/mcp with the same key.

## Reference

- [The whole reference as Markdown](${origin}/docs.md): every call with its members, its refusals and examples
- [OpenAPI 3.1](${origin}${API_PREFIX}/openapi.json): the same for programs
- [The reference as a page](${origin}/docs): the same for people

${groups.map((group) => groupText(group, origin)).join("\n\n")}
`

const groupText = ({ title, sections }: Group, origin: string) =>
  `## ${title}\n\n${sections.map((one) => line(one, origin)).join("\n")}`

function line({ id, title, body }: Section, origin: string): string {
  const calls = body.flatMap((one) =>
    one.kind === "article" && one.call ? [`${one.call.method} ${one.call.path}`] : [],
  )
  return `- [${title}](${origin}/docs#${id})${calls.length > 0 ? `: ${calls.join(", ")}` : ""}`
}
