import { useMemo } from "react"
import type { SandboxMessage } from "../../../client/types.ts"
import { number } from "../../ui/numbers.ts"
import { Card, Facts } from "../../ui/page.tsx"
import { CopyButton, Mono } from "../../ui/request/copy.tsx"
import { codesIn, tokensIn } from "./codes.ts"
import { readHtml } from "./mime.ts"

const LINKS_SHOWN = 20

export function Extracts({ message }: { message: SandboxMessage }) {
  const { codes, tokens, links } = useMemo(() => extract(message), [message])
  if (codes.length + tokens.length + links.length === 0) return null
  return (
    <Card>
      <Facts
        facts={[
          codes.length > 0 && [
            codes.length === 1 ? "Code" : "Codes",
            <Codes key="codes" codes={codes} />,
          ],
          ...tokens.map(
            ({ name, value }) => [name, <Mono key={value} text={value} copy />] as const,
          ),
          links.length > 0 && [
            links.length === 1 ? "Link" : "Links",
            <Links key="links" links={links} />,
          ],
        ]}
      />
    </Card>
  )
}

const Codes = ({ codes }: { codes: readonly string[] }) => (
  <span className="flex flex-wrap gap-x-4 gap-y-1">
    {codes.map((code) => (
      <span key={code} className="inline-flex items-center">
        <code className="font-mono text-lg">{code}</code>
        <CopyButton text={code.replaceAll(" ", "")} label={`Copy ${code}`} />
      </span>
    ))}
  </span>
)

const Links = ({ links }: { links: readonly { href: string; label: string }[] }) => (
  <ul className="grid max-h-60 gap-1 overflow-y-auto">
    {links.slice(0, LINKS_SHOWN).map(({ href, label }) => (
      <li key={href} className="min-w-0">
        {label && <span className="mr-2">{label}</span>}
        <Mono text={href} copy />
      </li>
    ))}
    {links.length > LINKS_SHOWN && (
      <li className="text-muted">and {number(links.length - LINKS_SHOWN)} more, in the source</li>
    )}
  </ul>
)

function extract({ subject, html, text, links }: SandboxMessage) {
  const read = html === null ? null : readHtml(html)
  const found = read ? read.links : links.map((href) => ({ href, label: "" }))
  return {
    codes: codesIn([subject, read?.text, text].filter(Boolean).join("\n")),
    tokens: tokensIn(found.map(({ href }) => href)),
    links: found,
  }
}
