import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { ContactBook, Domain } from "../../../client/types.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { Empty } from "../../ui/empty.tsx"
import type { AsRequest } from "../../ui/request/request-codes.ts"
import { Loaded } from "../../ui/waiting.tsx"
import { booksQuery, domainsQuery } from "./data.ts"

interface Props {
  title: string
  /** What this page lists. */
  children: ReactNode
  requestOf(book: ContactBook, domain: Domain): AsRequest
  refetch(): unknown
}

/** The text of an empty list whose first object needs a book and a verified domain. */
export function FirstStep(props: Props) {
  const books = useQuery(booksQuery)
  const domains = useQuery(domainsQuery)
  return (
    <Loaded query={books}>
      {([book]) => (
        <Loaded query={domains}>
          {(all) => (
            <Step {...props} book={book} domain={all.find(({ status }) => status === "verified")} />
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

interface StepProps extends Props {
  book: ContactBook | undefined
  domain: Domain | undefined
}

function Step({ title, children, requestOf, refetch, book, domain }: StepProps) {
  if (book && domain) {
    return (
      <FirstCall title={title} request={requestOf(book, domain)} refetch={refetch}>
        {children}
      </FirstCall>
    )
  }
  return (
    <Empty title={title}>
      {children}
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
