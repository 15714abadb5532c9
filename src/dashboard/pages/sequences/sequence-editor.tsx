import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import type { Domain, Sequence } from "../../../client/types.ts"
import { EdgepostError } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useFilters, useTab } from "../../app/params.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { number } from "../../ui/numbers.ts"
import { Page } from "../../ui/page.tsx"
import { Mono } from "../../ui/request/copy.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { useLoads } from "../blocks/draft/other-tabs.ts"
import { SaveState } from "../blocks/draft/save-state.tsx"
import { bookQuery } from "../contacts/data.ts"
import { focusStep } from "./builder/builder.ts"
import { BuilderTab } from "./builder/builder-tab.tsx"
import { CodeTab } from "./builder/code-tab.tsx"
import { MailEditor } from "./builder/mail-editor.tsx"
import { stepOf } from "./builder/tree.ts"
import { sequenceQuery } from "./data.ts"
import { People } from "./people.tsx"
import { SequenceActions } from "./sequence-actions.tsx"
import { Settings } from "./settings.tsx"
import { stateOf } from "./state.ts"
import { type Editing, isLive, useSequence } from "./use-sequence.ts"

const ReviewDialog = lazy(() => import("./builder/review-dialog.tsx"))

interface Props {
  sequence: Sequence
  domains: Domain[]
}

export default function SequenceEditor(props: Props) {
  const loads = useLoads()
  return <Editor key={loads.key} {...props} onOld={loads.onOld} />
}

function Editor({ sequence, domains, onOld }: Props & { onOld(): void }) {
  const editing = useSequence(sequence, domains, onOld)
  const { saving, content } = editing
  const [reviewing, setReviewing] = useState(false)
  const isConflict = saving.error instanceof EdgepostError && saving.error.code === "conflict"
  return (
    <Page
      wide
      title={sequence.name}
      above={<Link to="/sequences">Sequences</Link>}
      about={<About {...{ sequence, editing }} />}
      actions={<SequenceActions {...{ sequence, editing }} onReview={() => setReviewing(true)} />}
    >
      {isConflict && sequence.status !== "archived" ? (
        <Conflict editing={editing} onDiscard={onOld} id={sequence.id} />
      ) : (
        saving.error !== null &&
        !reviewing && <ErrorBox error={saving.error} retry={saving.flush} />
      )}
      <Parts {...{ sequence, editing }} />
      <Suspense>
        {reviewing && saving.dirty && content.steps.length > 0 && (
          <ReviewDialog {...{ sequence, editing }} onClose={() => setReviewing(false)} />
        )}
      </Suspense>
    </Page>
  )
}

function Parts({ sequence, editing }: { sequence: Sequence; editing: Editing }) {
  const { steps } = editing.content
  const [filters, setFilters] = useFilters()
  const [selected, setSelected] = useState<string | null>(null)
  const [mail, setMail] = useState<string | null>(null)
  const { step = "", state = "" } = filters
  const tab = useTab("Steps")
  const written = mail === null ? undefined : stepOf(steps, mail)
  if (written?.kind === "send" && written.blocks) {
    return (
      <MailEditor
        step={written}
        bookId={sequence.bookId}
        editing={editing}
        onClose={() => {
          setMail(null)
          focusStep(written.key)
        }}
      />
    )
  }
  return (
    <Tabs
      label="Sequence"
      {...tab}
      tabs={[
        {
          name: "Steps",
          children: (
            <BuilderTab
              {...{ sequence, editing, selected }}
              onSelect={setSelected}
              onEditMail={setMail}
              onShowSettings={() => tab.onShow("Settings")}
              onShowPeople={(step) => setFilters({ tab: "People", step, state: "waiting" })}
            />
          ),
        },
        isLive(sequence) && {
          name: "People",
          children: <People {...{ sequence, steps }} shown={{ step, state }} onShow={setFilters} />,
        },
        sequence.status !== "archived" && {
          name: "Settings",
          children: <Settings {...{ sequence, editing }} />,
        },
        sequence.status !== "archived" && { name: "Code", children: <CodeTab editing={editing} /> },
      ]}
    />
  )
}

function About({ sequence, editing }: { sequence: Sequence; editing: Editing }) {
  const { saving } = editing
  const { counts, bookId } = sequence
  const { data: book } = useQuery(bookQuery(bookId))
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <Badge {...stateOf(sequence)} />
      {isLive(sequence) ? (
        <>
          <span>
            {number(counts.active)} waiting, {number(counts.finished)} finished
          </span>
          {saving.dirty && <Badge state="delayed" label="Unsaved changes" />}
        </>
      ) : (
        <SaveState saving={saving} waitsFor="Fill in the marked fields to save" />
      )}
      <Link to={`/contacts/${bookId}`} className="underline">
        {book?.name ?? "Contact book"}
      </Link>
      <Mono text={sequence.id} copy />
    </span>
  )
}

function Conflict({ id, editing, onDiscard }: { id: string; editing: Editing; onDiscard(): void }) {
  const discard = async () => {
    await queries.refetchQueries({ queryKey: sequenceQuery(id).queryKey })
    onDiscard()
  }
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-lg border bg-sunken p-3">
      <span className="min-w-0 flex-1 basis-80">
        Someone else changed this sequence. Nothing of theirs is overwritten yet.
      </span>
      <Button small onClick={discard}>
        Discard my changes
      </Button>
      <Button small onClick={editing.saveOver}>
        Save mine over theirs
      </Button>
    </div>
  )
}
