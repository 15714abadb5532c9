import { useEffect } from "react"
import type { UseFormReturn } from "react-hook-form"
import type { Block } from "../../../worker/campaigns/blocks/contract.ts"
import { useHistory } from "../blocks/canvas/history.ts"
import { type Draft, toBlocks, toDrafts, written } from "../blocks/draft/draft.ts"
import type { Values } from "./values.ts"

interface Mail {
  subject: string
  drafts: readonly Draft[]
}

type Confirmation = Values["confirmation"]

const toMail = (confirmation: Confirmation): Mail | null =>
  confirmation && {
    subject: confirmation.subject,
    drafts: toDrafts(confirmation.blocks as readonly Block[]),
  }

const toConfirmation = (mail: Mail | null): Confirmation =>
  mail && {
    subject: mail.subject,
    blocks: toBlocks(written(mail.drafts)) as NonNullable<Confirmation>["blocks"],
  }

/** The mail of a form on the canvas, with undo. Each change goes into the form. */
export function useConfirmation(form: UseFormReturn<Values>) {
  const history = useHistory<Mail | null>(toMail(form.getValues("confirmation")))
  const { present } = history
  useEffect(() => {
    const next = toConfirmation(present)
    if (JSON.stringify(next) === JSON.stringify(form.getValues("confirmation"))) return
    form.setValue("confirmation", next, { shouldDirty: true })
  }, [present, form])
  return { history }
}

export const STARTER: Mail = {
  subject: "Please confirm your subscription",
  drafts: toDrafts([
    { kind: "heading", level: 1, text: "One more step" },
    { kind: "text", html: "Press the button to confirm your subscription." },
    { kind: "button", label: "Confirm subscription", url: "{{ confirmUrl }}" },
    { kind: "text", html: "If you did not ask for it, ignore this email." },
  ]),
}
