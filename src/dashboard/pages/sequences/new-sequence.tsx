import { useNavigate } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { ContactBook, CreateSequenceInput, Domain } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { useSession } from "../../app/people.ts"
import { Field, TextInput } from "../../ui/field.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"
import { Card, Page } from "../../ui/page.tsx"
import { requestOf } from "../../ui/request-of.ts"
import { Skeleton } from "../../ui/waiting.tsx"
import { BookAndDomain } from "../campaigns/book-and-domain.tsx"
import { domainOfSender } from "../campaigns/data.ts"
import { BookField, SenderField } from "../campaigns/start-fields.tsx"
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
      <BookAndDomain noun="A sequence">{(found) => <StartForm {...found} />}</BookAndDomain>
    </Page>
  )
}

const EMPTY: SequenceStarter = {
  name: "Empty",
  about: "Begin with your own first step",
  content: { trigger: { on: "subscribed" }, steps: [] },
}

function StartForm({ books, domains }: { books: ContactBook[]; domains: Domain[] }) {
  const { team } = useSession()
  const navigate = useNavigate()
  const [{ bookId }] = useFilters()
  const book = books.find(({ id }) => id === bookId) ?? (books[0] as ContactBook)
  const form = useSchemaForm<Values>(loadSchema, {
    name: "",
    bookId: book.id,
    from: book.defaultFrom ?? `${team.name} <news@${domains[0]?.name}>`,
  })
  const { register, formState } = form
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
    domainId: domainOfSender(values.from, domains)?.id ?? (domains[0] as Domain).id,
    ...starter.content,
  })
  async function start(values: Values) {
    const { id } = keep(await api.sequences.create(inputOf(values)))
    await navigate({ to: `/sequences/${id}`, replace: true })
  }
  const input = inputOf(values)
  return (
    <div className="grid items-start gap-6 xl:grid-cols-2">
      <Card>
        <Form
          form={form}
          submit="Create draft"
          onSubmit={start}
          guard
          request={requestOf("POST", "/sequences", "sequences.create", input)}
        >
          <Field label="Name" hint="Only your team sees it." error={formState.errors.name?.message}>
            {(props) => <TextInput {...props} {...register("name")} autoFocus />}
          </Field>
          <BookField
            books={books}
            value={values.bookId}
            hint="Only its subscribed contacts enter. It cannot change later."
            error={formState.errors.bookId?.message}
            onChange={(bookId, defaultFrom) => {
              form.setValue("bookId", bookId, { shouldDirty: true })
              if (defaultFrom) form.setValue("from", defaultFrom)
            }}
          />
          <SenderField
            domains={domains}
            input={register("from")}
            error={formState.errors.from?.message}
          />
        </Form>
      </Card>
      <Suspense fallback={<Skeleton />}>
        <StarterChoice empty={EMPTY} value={starter.name} onChange={begin} />
      </Suspense>
    </div>
  )
}
