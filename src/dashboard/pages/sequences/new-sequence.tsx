import { useNavigate } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { CreateSequenceInput } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useSchemaForm } from "../../ui/form/form.tsx"
import { Page } from "../../ui/page.tsx"
import { Skeleton } from "../../ui/waiting.tsx"
import { BookAndDomain } from "../campaigns/draft/book-and-domain.tsx"
import { domainIdOf, type Found, StartForm, useStart } from "../campaigns/draft/start-form.tsx"
import { keep } from "./data.ts"
import type { SequenceStarter } from "./starters/starter.ts"

const StarterChoice = lazy(() => import("./starter-choice.tsx"))

type Values = Pick<CreateSequenceInput, "name" | "bookId" | "from">

const loadSchema = async () => {
  const { createSequence } = await import("../../../worker/sequences/contract.ts")
  return createSequence.json.pick({ name: true, bookId: true, from: true })
}

export default function NewSequence() {
  return (
    <Page
      title="Create sequence"
      above={<Link to="/sequences">Sequences</Link>}
      about="Starts as a draft. Nobody enters until you activate it."
    >
      <BookAndDomain noun="A sequence">{(found) => <Start {...found} />}</BookAndDomain>
    </Page>
  )
}

const EMPTY: SequenceStarter = {
  name: "Empty",
  about: "Begin with your own first step",
  content: { trigger: { on: "subscribed" }, steps: [] },
}

function Start(found: Found) {
  const navigate = useNavigate()
  const form = useSchemaForm<Values>(loadSchema, useStart(found))
  const values = form.watch()
  const [starter, setStarter] = useState(EMPTY)
  const begin = (chosen: SequenceStarter) => {
    // A name that somebody wrote stays.
    const { name } = form.getValues()
    if (name === "" || name === starter.name) {
      form.setValue("name", chosen === EMPTY ? "" : chosen.name)
    }
    setStarter(chosen)
  }
  const inputOf = (values: Values): CreateSequenceInput => ({
    ...values,
    domainId: domainIdOf(values.from, found.domains),
    ...starter.content,
  })
  async function start(values: Values) {
    const { id } = keep(await api.sequences.create(inputOf(values)))
    await navigate({ to: `/sequences/${id}`, replace: true })
  }
  return (
    <div className="grid items-start gap-6 xl:grid-cols-2">
      <StartForm
        {...found}
        noun="sequences"
        form={form}
        input={inputOf(values)}
        onSubmit={start}
        bookHint="Only its subscribed contacts enter. It cannot change later."
      />
      <Suspense fallback={<Skeleton />}>
        <StarterChoice empty={EMPTY} value={starter.name} onChange={begin} />
      </Suspense>
    </div>
  )
}
