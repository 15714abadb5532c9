import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useMemo } from "react"
import type { Theme } from "../../../worker/campaigns/blocks/contract.ts"
import { updateLayout } from "../../../worker/campaigns/layouts/contract.ts"
import type { Brand } from "../../../worker/teams/brand-contract.ts"
import { call, path } from "../../api/api.ts"
import { refresh, teamQuery } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { useMay } from "../../app/people.ts"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import { Card, Page, Section } from "../../ui/page.tsx"
import { say } from "../../ui/toast.tsx"
import { BlockCanvas } from "../blocks/canvas/canvas.tsx"
import { useHistory } from "../blocks/canvas/history.ts"
import { type Draft, toBlocks, toDrafts, written } from "../blocks/draft/draft.ts"
import { useSharedAutosave } from "../blocks/draft/other-tabs.ts"
import { SaveState } from "../blocks/draft/save-state.tsx"
import { brandTheme } from "../blocks/look/brand.ts"
import { ThemeForm } from "../blocks/look/theme-form.tsx"
import { type Layout, saveLayout } from "./data.ts"

interface Content {
  name: string
  theme: Theme | null
  drafts: readonly Draft[]
}

const FIELDS = ["firstName", "lastName", "email"]

export default function LayoutEditor({ layout, onOld }: { layout: Layout; onOld(): void }) {
  const history = useHistory<Content>({
    name: layout.name,
    theme: layout.theme,
    drafts: toDrafts(layout.blocks),
  })
  const { present: content, change } = history
  const value = useMemo(
    () => ({ name: content.name, theme: content.theme, blocks: toBlocks(written(content.drafts)) }),
    [content],
  )
  const save = async (changes: Partial<typeof value>) =>
    (await saveLayout(layout.id, changes as Partial<Layout>)).updatedAt
  const saving = useSharedAutosave(layout.updatedAt, value, updateLayout.json, save, onOld)
  const team = useQuery(teamQuery).data
  const sender = team ?? { name: "", postalAddress: null }
  const applyBrand = () => {
    const brand = team?.brand as Brand
    change((now) => ({ ...now, theme: brandTheme(brand, now.theme ?? {}) }), "use the brand")
  }
  return (
    <Page
      wide
      title={layout.name}
      above={<Link to="/layouts">Layouts</Link>}
      about={<SaveState saving={saving} />}
      actions={<LayoutMenu layout={layout} />}
    >
      {saving.error !== null && <ErrorBox error={saving.error} retry={saving.flush} />}
      <BlockCanvas
        blocks={content.drafts}
        theme={content.theme}
        sender={sender}
        history={history}
        mergeFields={FIELDS}
        onChange={(next, step) => change((now) => ({ ...now, drafts: next(now.drafts) }), step)}
        aside={
          <>
            <Card>
              <TextField
                label="Name"
                error={saving.invalid.name}
                value={content.name}
                onChange={({ target }) => change((now) => ({ ...now, name: target.value }), "name")}
              />
            </Card>
            <Section title="Theme" about="Used by campaigns without their own theme.">
              <Card>
                <ThemeForm
                  theme={content.theme}
                  onUseBrand={team?.brand ? applyBrand : undefined}
                  onChange={(theme, step) => change((now) => ({ ...now, theme }), step)}
                />
              </Card>
            </Section>
          </>
        }
      />
    </Page>
  )
}

function LayoutMenu({ layout }: { layout: Layout }) {
  const navigate = useNavigate()
  const may = useMay()
  if (!may.manage) return null
  return (
    <MoreMenu
      deletion={{
        action: "Delete layout",
        description:
          "Campaigns that use it cannot be sent until you choose another layout or none.",
        typed: layout.name,
        async onConfirm() {
          await call({ method: "DELETE", path: path`/layouts/${layout.id}` })
          refresh("layouts")
          await navigate({ to: "/layouts" })
          say("Layout deleted")
        },
      }}
    />
  )
}
