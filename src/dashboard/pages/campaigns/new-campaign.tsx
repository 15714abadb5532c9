import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type * as z from "zod"
import type { ContactBook, CreateCampaignInput, Domain } from "../../../client/types.ts"
import type { envelope } from "../../../worker/campaigns/envelope-contract.ts"
import type { Brand } from "../../../worker/teams/brand-contract.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { useSession } from "../../app/people.ts"
import { Field, TextInput } from "../../ui/field.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"
import { Card, Page } from "../../ui/page.tsx"
import { requestOf } from "../../ui/request-of.ts"
import { Loaded } from "../../ui/waiting.tsx"
import { GallerySkeleton } from "../blocks/starters/gallery-skeleton.tsx"
import { inBrand } from "../blocks/starters/in-brand.ts"
import type { Starter } from "../blocks/starters/starter.ts"
import { BookAndDomain } from "./book-and-domain.tsx"
import { domainOfSender, teamQuery } from "./data.ts"
import { BookField, SenderField } from "./start-fields.tsx"

const StarterGallery = lazy(() => import("../blocks/starters/campaign-gallery.tsx"))

type Values = z.input<typeof envelope>

const loadSchema = async () =>
  (await import("../../../worker/campaigns/envelope-contract.ts")).envelope

export default function NewCampaign() {
  const team = useQuery(teamQuery)
  return (
    <Page
      title="Create campaign"
      above={<Link to="/campaigns">Campaigns</Link>}
      about="Starts as a draft. Nothing is sent until you confirm."
    >
      <BookAndDomain noun="A campaign">
        {(found) => (
          <Loaded query={team}>
            {({ brand }) => <StartForm {...found} brand={brand as Brand | null} />}
          </Loaded>
        )}
      </BookAndDomain>
    </Page>
  )
}

const BLANK = "Blank"

const blankOf = (subject: string): Starter => ({
  name: BLANK,
  about: "A heading and a greeting",
  subject: "",
  blocks: [
    { kind: "heading", level: 1, text: subject },
    { kind: "text", html: "Hello {{ firstName }}," },
  ],
})

const contentOf = ({ blocks, theme, preheader }: Starter) => ({
  blocks: blocks as CreateCampaignInput["blocks"],
  ...(theme && { theme: theme as NonNullable<CreateCampaignInput["theme"]> }),
  ...(preheader && { preheader }),
})

interface StartProps {
  books: ContactBook[]
  domains: Domain[]
  brand: Brand | null
}

function StartForm({ books, domains, brand }: StartProps) {
  const { team } = useSession()
  const navigate = useNavigate()
  const [{ bookId }] = useFilters()
  const book = books.find(({ id }) => id === bookId) ?? (books[0] as ContactBook)
  const form = useSchemaForm<Values>(loadSchema, {
    name: "",
    subject: "",
    bookId: book.id,
    from: book.defaultFrom ?? `${team.name} <news@${domains[0]?.name}>`,
  })
  const { register, formState } = form
  const values = form.watch()
  const [starter, setStarter] = useState(blankOf(""))
  const begin = (chosen: Starter) => {
    // A subject that somebody wrote stays.
    const { subject } = form.getValues()
    if (subject === "" || subject === starter.subject) form.setValue("subject", chosen.subject)
    setStarter(chosen)
  }
  const inputOf = (values: Values): CreateCampaignInput => ({
    ...values,
    domainId: domainOfSender(values.from, domains)?.id ?? (domains[0] as Domain).id,
    ...contentOf(
      inBrand(starter.name === BLANK ? blankOf(values.subject) : starter, brand, team.name),
    ),
    mergeDefaults: { firstName: "there" },
  })
  async function start(values: Values) {
    const campaign = await api.campaigns.create(inputOf(values))
    refresh("campaigns")
    await navigate({ to: `/campaigns/${campaign.id}`, replace: true })
  }
  const input = inputOf(values)
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <Card>
        <Form
          form={form}
          submit="Create draft"
          onSubmit={start}
          guard
          request={requestOf("POST", "/campaigns", "campaigns.create", input)}
        >
          <Field label="Name" hint="Only your team sees it." error={formState.errors.name?.message}>
            {(props) => <TextInput {...props} {...register("name")} autoFocus />}
          </Field>
          <BookField
            books={books}
            value={values.bookId}
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
          <Field label="Subject" error={formState.errors.subject?.message}>
            {(props) => <TextInput {...props} {...register("subject")} />}
          </Field>
        </Form>
      </Card>
      <Suspense fallback={<GallerySkeleton starters={11} />}>
        <StarterGallery blank={blankOf("Your subject")} value={starter.name} onChange={begin} />
      </Suspense>
    </div>
  )
}
