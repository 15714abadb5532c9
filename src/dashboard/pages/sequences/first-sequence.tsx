import type { ContactBook, Domain } from "../../../client/types.ts"
import { requestOf } from "../../ui/request/request-of.ts"
import { FirstStep } from "../campaigns/first-step.tsx"

export default function FirstSequence({ refetch }: { refetch(): unknown }) {
  return (
    <FirstStep title="No sequences yet" requestOf={firstRequest} refetch={refetch}>
      <p>
        A sequence takes contacts through steps: emails, waits and branches. Start with a welcome
        series, a trial ending or an abandoned cart. Nobody enters before you activate it.
      </p>
    </FirstStep>
  )
}

const firstRequest = (book: ContactBook, domain: Domain) =>
  requestOf("POST", "/sequences", "sequences.create", {
    name: "Welcome",
    bookId: book.id,
    domainId: domain.id,
    from: `news@${domain.name}`,
    trigger: { on: "subscribed" },
    steps: [
      {
        key: "hello",
        kind: "send",
        subject: "Welcome",
        blocks: [{ kind: "text", html: "Thanks for joining." }],
      },
    ],
  })
