import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { ContactBook, Domain } from "../../../client/types.ts"
import { Link } from "../../app/link.tsx"
import { Empty } from "../../ui/empty.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { booksQuery, domainsQuery } from "./data.ts"

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
            if (books.length === 0) return <NoBook noun={noun} />
            return domains.length === 0 ? <NoDomain noun={noun} /> : children({ books, domains })
          }}
        </Loaded>
      )}
    </Loaded>
  )
}

const NoBook = ({ noun }: Pick<Props, "noun">) => (
  <Empty title={`${noun} needs a contact book`}>
    <p>
      <Link to="/contacts?new=true" className="underline">
        Create a contact book
      </Link>{" "}
      and add or import people who agreed to receive your email.
    </p>
  </Empty>
)

const NoDomain = ({ noun }: Pick<Props, "noun">) => (
  <Empty title={`${noun} needs a verified domain`}>
    <p>
      <Link to="/domains" className="underline">
        Go to your domains
      </Link>{" "}
      to add one or see what is missing.
    </p>
  </Empty>
)
