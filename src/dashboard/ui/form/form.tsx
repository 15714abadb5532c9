import { useBlocker } from "@tanstack/react-router"
import { type ReactNode, useEffect, useRef, useState } from "react"
import {
  type FieldError,
  type FieldValues,
  get,
  type Path,
  type RegisterOptions,
  type Resolver,
  set,
  type UseFormReturn,
  useForm,
} from "react-hook-form"
import type * as z from "zod"
import { EdgepostError } from "../../api/api.ts"
import { loadCode } from "../../app/load-code.ts"
import { Button, type ButtonKind } from "../button.tsx"
import { mayLeave } from "../dialog/unsaved.ts"
import { AsRequestButton } from "../request/as-request.tsx"
import type { AsRequest } from "../request/request-codes.ts"
import { ErrorBox } from "./error-box.tsx"
import { asTask, enter, inWords } from "./issue-words.ts"
import { pressSubmit } from "./press-submit.ts"

/** A page that opens with its form loads the schema later: schemas are large. */
type LoadSchema = () => Promise<z.ZodType>

/**
 * A form that checks its values with the contract's schema, as the API does. It submits the values
 * as they were typed, since the API reads them again.
 */
export function useSchemaForm<T extends FieldValues>(
  schema: z.ZodType | LoadSchema,
  defaultValues: T,
): UseFormReturn<T> {
  const resolver: Resolver<T> = async (values) => {
    const loaded = typeof schema === "function" ? await loadCode(schema) : schema
    const { error } = await loaded.safeParseAsync(values, { error: inWords })
    const errors = {}
    for (const { path, code, message } of error?.issues ?? []) {
      const name = path.join(".")
      const said = values[name] === "" ? enter(name) : asTask(message)
      if (!get(errors, name)) set(errors, name, { type: code, message: said })
    }
    // The schema's output (times as numbers, defaults filled in) is only for the server.
    return error ? { values: {}, errors } : { values, errors }
  }
  const form = useForm<T>({ resolver, defaultValues: defaultValues as never })
  const { isDirty } = form.formState
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded once, while somebody types
  useEffect(() => {
    if (isDirty && typeof schema === "function") loadCode(schema)
  }, [isDirty])
  return form
}

/** Binds a field to a value: `<TextField label="Name" {...fieldOf(form, "name")} />`. */
export const fieldOf = <T extends FieldValues>(
  form: UseFormReturn<T>,
  name: Path<T>,
  options?: RegisterOptions<T>,
) => ({
  ...form.register(name, options),
  error: (get(form.formState.errors, name) as FieldError | undefined)?.message,
})

interface FormProps<T extends FieldValues> {
  form: UseFormReturn<T>
  /** The verb on the button. */
  submit: string
  onSubmit(values: T): Promise<unknown>
  /** Another action beside the primary one, such as Cancel. */
  beside?: ReactNode
  /** The call of the API that does the same, in a menu after the button. */
  request?: AsRequest | undefined
  /** Asks before unsaved changes are left. */
  guard?: boolean
  /** The button is as wide as the fields, as on the pages of sign-in. */
  wide?: boolean
  /** Plain where the page has several forms. */
  kind?: ButtonKind
  children: ReactNode
}

/** Ctrl/Cmd+Enter submits; the server's errors land on their fields, the others above the button. */
export function Form<T extends FieldValues>({
  form,
  submit,
  onSubmit,
  beside,
  request,
  guard,
  wide,
  kind = "primary",
  children,
}: FormProps<T>) {
  const [error, setError] = useState<unknown>(null)
  const element = useRef<HTMLFormElement>(null)
  const { isDirty, isSubmitting } = form.formState
  const saved = useRef(false)
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      !saved.current && isElsewhere(current, next) && !(await mayLeave()),
    // What is being saved may still be refused.
    enableBeforeUnload: () => Boolean(guard) && isDirty && (isSubmitting || !saved.current),
    disabled: !guard || !isDirty,
  })
  useEffect(() => {
    if (isDirty) saved.current = false
  }, [isDirty])
  const send = form.handleSubmit(async (values) => {
    setError(null)
    try {
      saved.current = true
      await onSubmit(values)
    } catch (error) {
      saved.current = false
      if (!showOnFields(form, error)) setError(error)
    }
  })
  return (
    <form
      ref={element}
      noValidate
      data-unsaved={guard && isDirty ? "" : undefined}
      className="grid grid-cols-1 gap-4"
      onSubmit={send}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
        // React also hands on the keys of a dialog that the form has opened.
        if (!element.current?.contains(event.target as Node)) return
        event.preventDefault()
        pressSubmit(element.current)
      }}
    >
      {children}
      {error !== null && <ErrorBox error={error} />}
      <div className={wide ? "grid gap-2" : "flex flex-wrap justify-end gap-2"}>
        {beside}
        <Button kind={kind} type="submit" busy={isSubmitting}>
          {submit}
        </Button>
        {request && <AsRequestButton {...request} />}
      </div>
    </form>
  )
}

interface Place {
  pathname: string
  search: unknown
}

/** The URL also says which dialog is open. */
const isElsewhere = (one: Place, other: Place) =>
  one.pathname !== other.pathname || JSON.stringify(one.search) !== JSON.stringify(other.search)

/** True when every issue of the error belongs to a field of the form. */
function showOnFields<T extends FieldValues>(form: UseFormReturn<T>, error: unknown): boolean {
  if (!(error instanceof EdgepostError) || error.code !== "validation_error") return false
  const issues = Array.isArray(error.details) ? error.details : []
  const known = issues.filter(({ path }) => path?.length && path[0] in form.getValues())
  for (const { path, message } of known) {
    form.setError(path.join(".") as Path<T>, { message: asTask(message) })
  }
  return known.length > 0 && known.length === issues.length
}
