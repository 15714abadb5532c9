import { useQuery } from "@tanstack/react-query"
import type { ContactBook, Domain } from "../../../client/types.ts"
import { FirstCall, firstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { Empty } from "../../ui/empty.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { booksQuery, domainsQuery } from "./data.ts"

/** A campaign needs a book and a verified domain, so only then is there a call that works. */
export default function FirstCampaign({ refetch }: { refetch(): unknown }) {
  const books = useQuery(booksQuery)
  const domains = useQuery(domainsQuery)
  return (
    <Loaded query={books}>
      {([book]) => (
        <Loaded query={domains}>
          {(all) => (
            <FirstStep
              book={book}
              domain={all.find(({ status }) => status === "verified")}
              refetch={refetch}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

interface Props {
  book: ContactBook | undefined
  domain: Domain | undefined
  refetch(): unknown
}

function FirstStep({ book, domain, refetch }: Props) {
  const about = (
    <p>
      A campaign goes to the subscribed contacts of one{" "}
      <Link to="/contacts" className="underline">
        contact book
      </Link>
      . Nothing is sent until you confirm.
    </p>
  )
  if (!book || !domain) {
    return (
      <Empty title="No campaigns yet">
        {about}
        {!book && (
          <p>
            First,{" "}
            <Link to="/contacts?new=true" className="underline">
              create a contact book
            </Link>
            .
          </p>
        )}
        {!domain && (
          <p>
            {book ? "First" : "Then"},{" "}
            <Link to="/domains" className="underline">
              verify a domain
            </Link>{" "}
            to send from.
          </p>
        )}
      </Empty>
    )
  }
  const request = firstCall("/campaigns", "campaigns.create", {
    name: "Spring news",
    bookId: book.id,
    domainId: domain.id,
    from: `news@${domain.name}`,
    subject: "Spring is here",
    blocks: [{ kind: "text", html: "Hello {{ firstName }}," }],
    mergeDefaults: { firstName: "there" },
  })
  return (
    <FirstCall title="No campaigns yet" request={request} refetch={refetch}>
      {about}
    </FirstCall>
  )
}
