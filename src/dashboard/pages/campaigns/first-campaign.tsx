import type { ContactBook, Domain } from "../../../client/types.ts"
import { Link } from "../../app/link.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { FirstStep } from "./first-step.tsx"

export default function FirstCampaign({ refetch }: { refetch(): unknown }) {
  return (
    <FirstStep title="No campaigns yet" requestOf={firstRequest} refetch={refetch}>
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

const firstRequest = (book: ContactBook, domain: Domain) =>
  requestOf("POST", "/campaigns", "campaigns.create", {
    name: "Spring news",
    bookId: book.id,
    domainId: domain.id,
    from: `news@${domain.name}`,
    subject: "Spring is here",
    blocks: [{ kind: "text", html: "Hello {{ firstName }}," }],
    mergeDefaults: { firstName: "there" },
  })
