import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type * as z from "zod"
import type { CreateCampaignInput } from "../../../client/types.ts"
import type { envelope } from "../../../worker/campaigns/envelope-contract.ts"
import type { Brand } from "../../../worker/teams/brand-contract.ts"
import { api } from "../../api/api.ts"
import { refresh, teamQuery } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useSession } from "../../app/people.ts"
import { TextField } from "../../ui/form/field.tsx"
import { fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { Page } from "../../ui/page.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { GallerySkeleton } from "../blocks/starters/gallery-skeleton.tsx"
import { inBrand } from "../blocks/starters/in-brand.ts"
import type { Starter } from "../blocks/starters/starter.ts"
import { BookAndDomain } from "./draft/book-and-domain.tsx"
import { domainIdOf, type Found, StartForm, useStart } from "./draft/start-form.tsx"

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
            {({ brand }) => <Start {...found} brand={brand as Brand | null} />}
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

function Start({ brand, ...found }: Found & { brand: Brand | null }) {
  const { team } = useSession()
  const navigate = useNavigate()
  const form = useSchemaForm<Values>(loadSchema, { ...useStart(found), subject: "" })
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
    domainId: domainIdOf(values.from, found.domains),
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
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <StartForm {...found} noun="campaigns" form={form} input={inputOf(values)} onSubmit={start}>
        <TextField label="Subject" {...fieldOf(form, "subject")} />
      </StartForm>
      <Suspense fallback={<GallerySkeleton starters={11} />}>
        <StarterGallery blank={blankOf("Your subject")} value={starter.name} onChange={begin} />
      </Suspense>
    </div>
  )
}
