import type { Article, Block, Code, MemberLine } from "./blocks.ts"
import type { Group } from "./contents.ts"

/** The whole reference as Markdown. Links within the page lead to the page. */
export function toMarkdown(groups: readonly Group[], origin: string): string {
  const sections = groups.flatMap((group) => group.sections)
  const texts = sections.map(({ title, body }) => `## ${title}\n\n${join(body)}`)
  const page = `# Edgepost API reference\n\n${texts.join("\n\n")}\n`
  return page.replaceAll("](#", `](${origin}/docs#`).replaceAll("](/", `](${origin}/`)
}

const join = (blocks: readonly Block[]): string => blocks.map(block).join("\n\n")

function block(one: Block): string {
  switch (one.kind) {
    case "prose":
      return one.text.trim()
    case "heading":
      return `### ${one.title}`
    case "title":
      return `**${one.title}**${one.note ? ` (${one.note})` : ""}`
    case "table":
      return table(one.head, one.rows)
    case "code":
      return code(one)
    case "members":
      return one.members.map((member) => memberLines(member, "")).join("\n")
    case "variant":
      return `**${one.title}**${one.body.length > 0 ? `\n\n${join(one.body)}` : ""}`
    case "article":
      return article(one)
  }
}

const article = ({ title, call, intro, body, examples }: Article): string =>
  [
    call ? `### ${title}` : `### \`${title}\``,
    ...(call ? [`\`${call.method} ${call.path}\``] : []),
    join([...intro, ...body]),
    ...examples.flatMap(({ name, choices }) =>
      choices.map((one) => `${name}, ${one.name}:\n\n${code(one.code)}`),
    ),
  ].join("\n\n")

const code = ({ text, language }: Code): string =>
  `\`\`\`${language === "text" ? "" : language}\n${text.trimEnd()}\n\`\`\``

const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n")

function memberLines({ name, type, isRequired, notes, text, inside }: MemberLine, indent: string) {
  const presence = isRequired === undefined ? [] : [isRequired ? "required" : "optional"]
  const about = [type, ...presence, ...notes].join(", ")
  const line = `${indent}- \`${name}\` (${about})${text ? `: ${text}` : ""}`
  const below: string[] = inside.flatMap((one) =>
    one.kind === "members" ? one.members.map((inner) => memberLines(inner, `${indent}  `)) : [],
  )
  return [line, ...below].join("\n")
}
