import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Brand } from "../../../worker/teams/brand-contract.ts"
import { refresh, teamQuery } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useSession } from "../../app/people.ts"
import { cx } from "../../ui/cx.ts"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { Card, Page } from "../../ui/page.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { GallerySkeleton } from "../blocks/starters/gallery-skeleton.tsx"
import { createDraft } from "./data.ts"
import { keepSamples } from "./editor/samples.ts"
import type { TemplateStarter } from "./starters/starter.ts"

const TemplateGallery = lazy(() => import("./starters/gallery.tsx"))

const loadSchema = async () => {
  const { createTemplate } = await import("../../../worker/templates/contract.ts")
  return createTemplate.json.pick({ name: true, slug: true, subject: true })
}

const MAX_SLUG_CHARACTERS = 64
const slugOf = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_CHARACTERS)
    .replace(/^-+|-+$/g, "")

const VARIABLES = [{ name: "name", default: "there" }]

const BLANK: TemplateStarter = {
  name: "Blank",
  about: "A heading and a greeting",
  subject: "",
  variables: VARIABLES,
  samples: { name: "Ada" },
  blocks: [
    { kind: "heading", level: 1, text: "Your heading" },
    { kind: "text", html: "Hello {{ name }}," },
  ],
}

const HTML = "<p>Hello {{ name }},</p>\n<p>Write your message here.</p>\n"

const ofHtml = {
  bodyHtml: HTML,
  bodyText: null,
  design: null,
  variablesSchema: { variables: VARIABLES },
}

/** The server renders the bodies. */
const ofBlocks = ({ blocks, theme, preheader, variables }: TemplateStarter) => ({
  bodyHtml: HTML,
  bodyText: null,
  design: { blocks: [...blocks], theme: theme ?? null, preheader: preheader ?? null },
  variablesSchema: { variables },
})

export default function NewTemplate() {
  const team = useQuery(teamQuery)
  return (
    <Page
      title="Create template"
      above={<Link to="/templates">Templates</Link>}
      about="Starts as a draft. Your code can use it once you publish."
    >
      <Loaded query={team}>{({ brand }) => <Start brand={brand as Brand | null} />}</Loaded>
    </Page>
  )
}

function Start({ brand }: { brand: Brand | null }) {
  const { team } = useSession()
  const form = useSchemaForm(loadSchema, { name: "", slug: "", subject: "" })
  const [ownSlug, setOwnSlug] = useState(false)
  const [made, setMade] = useState<"blocks" | "html">("blocks")
  const [starter, setStarter] = useState(BLANK)
  const navigate = useNavigate()
  const begin = (chosen: TemplateStarter) => {
    // What somebody wrote stays.
    const replace = (field: "name" | "subject", before: string, next: string) => {
      const value = form.getValues(field)
      if (value === "" || value === before) form.setValue(field, next)
    }
    const nameOf = (one: TemplateStarter) => (one === BLANK ? "" : one.name)
    replace("name", nameOf(starter), nameOf(chosen))
    replace("subject", starter.subject, chosen.subject)
    if (!ownSlug) form.setValue("slug", slugOf(form.getValues("name")))
    setStarter(chosen)
  }
  async function create(values: { name: string; slug: string; subject: string }) {
    const { inBrand } = await import("../blocks/starters/in-brand.ts")
    const content = made === "html" ? ofHtml : ofBlocks(inBrand(starter, brand, team.name))
    const template = await createDraft({ ...values, ...content })
    if (made === "blocks") keepSamples(template.id, starter.samples)
    refresh("templates")
    await navigate({ to: `/templates/${template.id}`, replace: true })
  }
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <Card>
        <Form form={form} submit="Create draft" onSubmit={create} guard>
          <MadeOf value={made} onChange={setMade} />
          <TextField
            label="Name"
            autoFocus
            {...fieldOf(form, "name", {
              onChange: ({ target }) => {
                if (!ownSlug) form.setValue("slug", slugOf(target.value))
              },
            })}
          />
          <TextField
            label="Slug"
            hint="The name your code uses. It cannot change after you publish."
            className="font-mono text-xs"
            {...fieldOf(form, "slug", { onChange: () => setOwnSlug(true) })}
          />
          <TextField label="Subject" hint="You can use {{ name }}." {...fieldOf(form, "subject")} />
        </Form>
      </Card>
      {made === "blocks" && (
        <Suspense fallback={<GallerySkeleton starters={9} />}>
          <TemplateGallery blank={BLANK} value={starter.name} onChange={begin} />
        </Suspense>
      )}
    </div>
  )
}

const WAYS = [
  ["blocks", "Blocks", "Click and type, like a document"],
  ["html", "HTML", "Write the code yourself"],
] as const

function MadeOf({
  value,
  onChange,
}: {
  value: "blocks" | "html"
  onChange(value: "blocks" | "html"): void
}) {
  return (
    <fieldset className="grid min-w-0 grid-cols-2 gap-3">
      <legend className="mb-1 font-medium">Build with</legend>
      {WAYS.map(([way, label, about]) => (
        <label
          key={way}
          className={cx(
            "relative block min-w-0 cursor-pointer rounded-lg border bg-raised p-2 has-focus-visible:outline-2 has-focus-visible:outline-focus",
            way === value && "ring-2 ring-focus",
          )}
        >
          <input
            type="radio"
            name="way"
            value={way}
            checked={way === value}
            onChange={() => onChange(way)}
            className="sr-only"
          />
          <span className="block font-medium">{label}</span>
          <span className="block text-xs text-muted">{about}</span>
        </label>
      ))}
    </fieldset>
  )
}
