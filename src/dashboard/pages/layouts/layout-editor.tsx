import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useMemo } from "react"
import type { Theme } from "../../../worker/campaigns/blocks/contract.ts"
import { updateLayout } from "../../../worker/campaigns/layouts/contract.ts"
import { call, path } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { useMay } from "../../app/people.ts"
import { ErrorBox } from "../../ui/error-box.tsx"
import { Field, TextInput } from "../../ui/field.tsx"
import { MoreMenu } from "../../ui/more-menu.tsx"
import { Card, Page, Section } from "../../ui/page.tsx"
import { say } from "../../ui/toast.tsx"
import { type Draft, toBlocks, toDrafts } from "../blocks/draft.ts"
import { BlockEditor } from "../blocks/editor.tsx"
import { useHistory } from "../blocks/history.ts"
import { useSharedAutosave } from "../blocks/other-tabs.ts"
import { Preview } from "../blocks/preview.tsx"
import { findProblems } from "../blocks/problems.ts"
import { SaveState } from "../blocks/save-state.tsx"
import { ThemeForm } from "../blocks/theme-form.tsx"
import { UndoButtons } from "../blocks/undo-buttons.tsx"
import { teamQuery } from "../campaigns/data.ts"
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
    () => ({ name: content.name, theme: content.theme, blocks: toBlocks(content.drafts) }),
    [content],
  )
  const problems = useMemo(() => findProblems(content.drafts), [content.drafts])
  const save = (changes: Partial<typeof value>) => saveLayout(layout.id, changes as Partial<Layout>)
  const saving = useSharedAutosave(layout, value, updateLayout.json, save, onOld)
  const sender = useQuery(teamQuery).data ?? { name: "", postalAddress: null }
  return (
    <Page
      wide
      title={layout.name}
      above={<Link to="/layouts">Layouts</Link>}
      about={<SaveState saving={saving} />}
      actions={
        <>
          <UndoButtons {...history} />
          <LayoutMenu layout={layout} />
        </>
      }
    >
      {saving.error !== null && <ErrorBox error={saving.error} retry={saving.flush} />}
      <div className="grid min-w-0 items-start gap-6 xl:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        <div className="grid min-w-0 gap-6">
          <Card>
            <Field label="Name" error={saving.invalid.name}>
              {(control) => (
                <TextInput
                  {...control}
                  value={content.name}
                  onChange={({ target }) =>
                    change((now) => ({ ...now, name: target.value }), "name")
                  }
                />
              )}
            </Field>
          </Card>
          <Section title="Content">
            {problems.general && <p className="text-failed">{problems.general}</p>}
            <div>
              <BlockEditor
                drafts={content.drafts}
                problems={problems.byBlock}
                fields={FIELDS}
                change={(next, step) =>
                  change((now) => ({ ...now, drafts: next(now.drafts) }), step)
                }
              />
            </div>
          </Section>
          <Section title="Theme" about="Used by campaigns without their own theme.">
            <Card>
              <ThemeForm
                theme={content.theme}
                onChange={(theme, step) => change((now) => ({ ...now, theme }), step)}
              />
            </Card>
          </Section>
        </div>
        <div className="min-w-0 xl:sticky xl:top-4">
          <Preview
            message={{
              ...{
                subject: "",
                preheader: null,
                header: [],
                footer: [],
                mergeDefaults: {},
                sender,
              },
              blocks: value.blocks,
              theme: value.theme,
            }}
          />
        </div>
      </div>
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
          queries.invalidateQueries({ queryKey: ["layouts"] })
          await navigate({ to: "/layouts" })
          say("Layout deleted")
        },
      }}
    />
  )
}
