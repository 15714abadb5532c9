import { Card, Section } from "../../ui/page.tsx"
import { Mono } from "../../ui/request/copy.tsx"
import { Raw } from "../../ui/request/raw.tsx"
import { type Embedded, embedCode } from "./embed-code.ts"

interface Props {
  id: string
  hasTurnstile: boolean
  shown: Embedded
}

/** The link of the hosted page, and the form for other sites. */
export function Embed({ id, hasTurnstile, shown }: Props) {
  const url = `${location.origin}/f/${id}`
  return (
    <div className="grid gap-6">
      <Section
        title="Hosted page"
        about={hasTurnstile ? "With Turnstile, only your own site can show the form." : undefined}
      >
        <Card>
          <Mono text={url} copy />
        </Card>
      </Section>
      <Section title="Embed code" about="Plain HTML without a script. Style it as you like.">
        <div className="overflow-hidden rounded-lg border">
          <Raw text={embedCode(shown, url)} label="Copy embed code" />
        </div>
      </Section>
    </div>
  )
}
