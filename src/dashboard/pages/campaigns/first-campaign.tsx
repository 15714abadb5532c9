import type { ContactBook, Domain } from "../../../client/types.ts"
import { firstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { FirstStep } from "./first-step.tsx"

export default function FirstCampaign({ refetch }: { refetch(): unknown }) {
  return (
    <FirstStep title="No campaigns yet" requestOf={requestOf} refetch={refetch}>
      <p>
        A campaign goes to the subscribed contacts of one{" "}
        <Link to="/contacts" className="underline">
          contact book
        </Link>
        . Nothing is sent until you confirm.
      </p>
    </FirstStep>
  )
}

const requestOf = (book: ContactBook, domain: Domain) =>
  firstCall("/campaigns", "campaigns.create", {
    name: "Spring news",
    bookId: book.id,
    domainId: domain.id,
    from: `news@${domain.name}`,
    subject: "Spring is here",
    blocks: [{ kind: "text", html: "Hello {{ firstName }}," }],
    mergeDefaults: { firstName: "there" },
  })
