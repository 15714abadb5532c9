import type { Form, UpdateFormInput } from "../../../client/types.ts"

/** What the editor changes. The secret is never shown again. */
export type Values = Required<Omit<UpdateFormInput, "turnstileSecret" | "enabled" | "fields">> & {
  fields: FieldValues[]
  turnstileSecret?: string | null | undefined
}

export type FieldValues = Required<Omit<Form["fields"][number], "options">> & {
  options?: string[] | undefined
}

export const toValues = (form: Form): Values => {
  const { name, topicIds, wording, confirm, confirmation, doneUrl, confirmedUrl, origins } = form
  return {
    name,
    topicIds,
    wording,
    confirm,
    confirmation,
    doneUrl,
    confirmedUrl,
    origins,
    turnstileSecret: undefined,
    fields: form.fields.map(({ required = false, type = "text", ...field }) => ({
      required,
      type,
      ...field,
    })),
  }
}

/** "Favourite color" is kept as `favouriteColor`. */
export const toName = (label: string) =>
  label
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+(\p{L}|\p{N})/gu, (_, first: string) => first.toUpperCase())
    .replace(/[^\p{L}\p{N}]/gu, "")
