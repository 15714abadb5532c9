import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Sequence } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries, refresh } from "../../api/queries.ts"
import { useMay } from "../../app/people.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { TaskButton } from "../../ui/task-button.tsx"
import { say, sayError } from "../../ui/toast.tsx"
import { keep } from "./data.ts"
import { type Editing, isLive } from "./use-sequence.ts"
import { triggerWords } from "./words.ts"

interface Props {
  sequence: Sequence
  editing: Editing
  onReview(): void
}

/** What can be done with a sequence in its state, and with what is not saved yet. */
export function SequenceActions({ sequence, editing, onReview }: Props) {
  const { saving, issues, content } = editing
  const { status, id } = sequence
  const [activating, setActivating] = useState(false)
  const waits = isLive(sequence) && saving.dirty
  const because =
    (content.steps.length === 0 && "Add a step first") ||
    (issues.length > 0 && "Fill in the marked fields first")
  return (
    <>
      {waits && (
        <Button kind="primary" disabledBecause={because} onClick={onReview}>
          Review changes
        </Button>
      )}
      {(status === "draft" || status === "paused") && (
        <Button
          kind={waits ? "plain" : "primary"}
          disabledBecause={because || (waits && "Save the changes first")}
          onClick={async () => {
            if (await saving.flush()) setActivating(true)
          }}
        >
          Activate
        </Button>
      )}
      {status === "active" && <PauseButton id={id} />}
      <SequenceMenu sequence={sequence} editing={editing} />
      <Confirm
        open={activating}
        onOpenChange={setActivating}
        kind="primary"
        title="Activate sequence"
        description={
          status === "paused"
            ? "People continue where they are, and new people enter."
            : `From now on, it starts ${triggerWords(content)}.`
        }
        action="Activate sequence"
        onConfirm={async () => {
          keep(await api.sequences.activate(id))
          say("Sequence is active")
        }}
      />
    </>
  )
}

function PauseButton({ id }: { id: string }) {
  const pause = async () => {
    keep(await api.sequences.pause(id))
    say("Sequence paused", async () => keep(await api.sequences.activate(id)), {
      label: "Undo",
      done: "Sequence is active",
    })
  }
  return <TaskButton run={pause}>Pause</TaskButton>
}

function SequenceMenu({ sequence, editing }: Omit<Props, "onReview">) {
  const { id, status, name, version } = sequence
  const navigate = useNavigate()
  const may = useMay()
  const [archiving, setArchiving] = useState(false)
  const isDone = status === "draft" || status === "archived"
  const duplicate = async () => {
    const { domainId, ...content } = editing.value
    const copy = await api.sequences.create({
      ...content,
      domainId,
      bookId: sequence.bookId,
      name: `Copy of ${name}`.slice(0, 200),
    } as Parameters<typeof api.sequences.create>[0])
    keep(copy)
    await navigate({ to: `/sequences/${copy.id}` })
    say("Sequence duplicated. This is the copy.")
  }
  const remove = async () => {
    await api.sequences.remove(id)
    queries.removeQueries({ queryKey: ["sequences", "one", id] })
    refresh("sequences")
    await navigate({ to: "/sequences", ignoreBlocker: true })
    say("Sequence deleted")
  }
  const json = { version, ...editing.value }
  return (
    <>
      <MoreMenu
        request={requestOf("PATCH", `/sequences/${id}`, "sequences.update", id, json)}
        items={[
          { label: "Duplicate", onSelect: () => void duplicate().catch(sayError) },
          !isDone && {
            label: "Archive sequence",
            danger: true,
            onSelect: () => setArchiving(true),
          },
        ]}
        deletion={
          may.manage &&
          isDone && {
            action: "Delete sequence",
            description: "Deletes it with its people and numbers. Emails already sent are kept.",
            typed: name,
            onConfirm: remove,
          }
        }
      />
      <Confirm
        open={archiving}
        onOpenChange={setArchiving}
        title="Archive sequence"
        description="Everyone in it leaves, and queued emails are cancelled. It cannot be activated again."
        action="Archive sequence"
        typed={name}
        onConfirm={async () => {
          keep(await api.sequences.archive(id))
          say("Sequence archived")
        }}
      />
    </>
  )
}
