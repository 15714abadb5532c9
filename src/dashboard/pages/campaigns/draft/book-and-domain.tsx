import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { ContactBook, Domain } from "../../../../client/types.ts"
import { Link } from "../../../app/link.tsx"
import { Empty } from "../../../ui/empty.tsx"
import { Loaded } from "../../../ui/waiting.tsx"
import { booksQuery, domainsQuery } from "../data.ts"

interface Props {
  /** "A campaign": what needs a book and a domain. */
  noun: string
  children(found: { books: ContactBook[]; domains: Domain[] }): ReactNode
}

/** Shows its children once the team has a book and a verified domain, or else what is missing. */
export function BookAndDomain({ noun, children }: Props) {
  const books = useQuery(booksQuery)
  const domains = useQuery(domainsQuery)
  return (
    <Loaded query={books}>
      {(books) => (
        <Loaded query={domains}>
          {(all) => {
            const domains = all.filter(({ status }) => status === "verified")
            if (books.length > 0 && domains.length > 0) return children({ books, domains })
            return books.length === 0 ? (
              <Missing
                title={`${noun} needs a contact book`}
                to="/contacts?new=true"
                link="Create a contact book"
              >
                and add or import people who agreed to receive your email.
              </Missing>
            ) : (
              <Missing
                title={`${noun} needs a verified domain`}
                to="/domains"
                link="Go to your domains"
              >
                to add one or see what is missing.
              </Missing>
            )
          }}
        </Loaded>
      )}
    </Loaded>
  )
}

interface MissingProps {
  title: string
  to: string
  link: string
  children: string
}

const Missing = ({ title, to, link, children }: MissingProps) => (
  <Empty title={title}>
    <p>
      <Link to={to} className="underline">
        {link}
      </Link>{" "}
      {children}
    </p>
  </Empty>
)
