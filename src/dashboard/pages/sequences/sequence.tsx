import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { Page } from "../../ui/page.tsx"
import { LoadedPage, Skeleton } from "../../ui/waiting.tsx"
import { domainsQuery } from "../campaigns/data.ts"
import { sequenceQuery } from "./data.ts"

const SequenceEditor = lazy(() => import("./sequence-editor.tsx"))

const ABOVE = <Link to="/sequences">Sequences</Link>

export default function SequencePage() {
  const id = useParam("id")
  const query = useQuery(sequenceQuery(id))
  const domains = useQuery(domainsQuery)
  return (
    <LoadedPage query={query} waits={domains.isPending} title="Sequence" above={ABOVE}>
      {(sequence) => (
        <Suspense
          fallback={
            <Page wide title={sequence.name} above={ABOVE}>
              <Skeleton />
            </Page>
          }
        >
          <SequenceEditor key={id} sequence={sequence} domains={domains.data ?? []} />
        </Suspense>
      )}
    </LoadedPage>
  )
}
