import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import type { Theme } from "../../../../worker/campaigns/blocks/contract.ts"
import { PREHEADER_CHARACTERS } from "../../../../worker/campaigns/blocks/preheader.ts"
import type { Brand } from "../../../../worker/teams/brand-contract.ts"
import { renderDesign } from "../../../../worker/templates/design.ts"
import { type Design, designBlocks } from "../../../../worker/templates/design-contract.ts"
import { teamQuery } from "../../../api/queries.ts"
import { TextField } from "../../../ui/form/field.tsx"
import { Tabs } from "../../../ui/tabs.tsx"
import { BlockCanvas } from "../../blocks/canvas/canvas.tsx"
import { Fold } from "../../blocks/canvas/fold.tsx"
import { useHistory } from "../../blocks/canvas/history.ts"
import { InsertLabel } from "../../blocks/canvas/merge-menu.tsx"
import { type Draft, toBlocks, toDrafts, written } from "../../blocks/draft/draft.ts"
import { branded } from "../../blocks/look/branded.ts"
import { ThemeForm } from "../../blocks/look/theme-form.tsx"
import { PreviewPane } from "./preview-pane.tsx"
import { type EditorProps, Envelope, variablesTab, versionsTab } from "./template-parts.tsx"

interface Canvas {
  theme: Theme | null
  preheader: string | null
  drafts: readonly Draft[]
}

const toCanvas = ({ blocks, theme, preheader }: Design): Canvas => ({
  theme,
  preheader,
  drafts: toDrafts(blocks),
})

/** A template of blocks, edited on the message itself. */
export default function TemplateBlocks(props: EditorProps & { design: Design }) {
  const { design, editor, outcome, settled, ...preview } = props
  const history = useHistory(toCanvas(design))
  const { present, change } = history
  useReported(props, present)
  const names = [...preview.used, ...namesOf(props)]
  return (
    <div className="grid min-w-0 gap-6">
      <Envelope editor={editor} outcome={outcome}>
        <Preheader
          value={present.preheader}
          onChange={(preheader) => change((now) => ({ ...now, preheader }), "preheader")}
        />
      </Envelope>
      <Tabs
        label="Template"
        tabs={[
          {
            name: "Blocks",
            children: (
              <InsertLabel value="Insert a variable">
                <BlockCanvas
                  blocks={present.drafts}
                  theme={present.theme}
                  schema={designBlocks}
                  history={history}
                  mergeFields={names.length > 0 ? [...new Set(names)] : ["name"]}
                  onChange={(next, step) =>
                    change((now) => ({ ...now, drafts: next(now.drafts) }), step)
                  }
                  aside={<ThemeFold history={history} />}
                />
              </InsertLabel>
            ),
          },
          {
            name: "Preview",
            children: <PreviewPane content={settled} outcome={outcome} {...preview} />,
          },
          variablesTab(props),
          versionsTab(props),
        ]}
      />
    </div>
  )
}

type History = ReturnType<typeof useHistory<Canvas>>

const namesOf = ({ editor }: EditorProps) =>
  editor.content.variablesSchema.variables.map(({ name }) => name).filter(Boolean)

/** Hands each change to the editor, with the bodies that the server will render. */
function useReported({ editor }: EditorProps, present: History["present"]) {
  const { subject } = editor.content
  const reported = useRef({ present, subject })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is another one each time
  useEffect(() => {
    if (reported.current.present === present && reported.current.subject === subject) return
    reported.current = { present, subject }
    const { drafts, theme, preheader } = present
    const design = { blocks: toBlocks(written(drafts)), theme, preheader }
    editor.change({ design, ...renderDesign(subject, design) })
  }, [present, subject])
}

function Preheader({
  value,
  onChange,
}: {
  value: string | null
  onChange(value: string | null): void
}) {
  return (
    <TextField
      label="Preheader"
      optional
      hint="Shown beside the subject in the inbox. Leave empty to use the first words of the text."
      maxLength={PREHEADER_CHARACTERS}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || null)}
    />
  )
}

function ThemeFold({ history: { present, change } }: { history: History }) {
  const { data: team } = useQuery(teamQuery)
  const applyBrand = () => {
    if (!team?.brand) return
    const { theme, drafts } = branded(present, team.brand as Brand, team.name)
    change((now) => ({ ...now, theme, drafts }), "use the brand")
  }
  return (
    <Fold title="Theme">
      <ThemeForm
        theme={present.theme}
        onUseBrand={team?.brand ? applyBrand : undefined}
        onChange={(theme, step) => change((now) => ({ ...now, theme }), step)}
      />
    </Fold>
  )
}
