import type { ComponentProps } from "react"
import { cx } from "./cx.ts"

const KINDS = {
  primary: "bg-primary text-on-primary hover:opacity-90",
  plain: "border bg-raised text-ink hover:bg-sunken",
  quiet: "text-ink hover:bg-sunken",
  danger: "border border-failed/40 bg-raised text-failed hover:bg-failed/10",
} as const

export type ButtonKind = keyof typeof KINDS

export const buttonClass = (kind: ButtonKind = "plain", small = false) =>
  cx(
    "inline-flex items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap select-none",
    "aria-disabled:cursor-not-allowed aria-disabled:opacity-50",
    small ? "h-7 px-2 text-xs" : "h-8 px-3",
    KINDS[kind],
  )

interface Props extends Omit<ComponentProps<"button">, "disabled"> {
  kind?: ButtonKind
  small?: boolean
  /** While the action runs, a second press does nothing. */
  busy?: boolean
  /** Why the action cannot be done now: the button stays focusable and says the reason. */
  disabledBecause?: string | false | null | undefined
}

/** The label is a verb that says what happens: "Revoke key". A page has one primary button. */
export function Button({
  kind,
  small,
  busy,
  disabledBecause,
  className,
  onClick,
  type = "button",
  ...props
}: Props) {
  const off = Boolean(busy || disabledBecause)
  return (
    <button
      {...(disabledBecause && hint(disabledBecause))}
      {...props}
      type={type}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      onClick={off ? (event) => event.preventDefault() : onClick}
      className={cx(buttonClass(kind, small), className)}
    />
  )
}

/** A button with an icon. Its label is read out, and shown on hover. */
export function IconButton({ label, className, ...props }: Props & { label: string }) {
  return (
    <Button
      kind="quiet"
      aria-label={label}
      data-hint={label}
      {...props}
      className={cx("w-8 px-0!", className)}
    />
  )
}

/** Shows a text on hover and on focus: see `HintLayer`. */
export const hint = (text: string) => ({ "data-hint": text, "aria-description": text })
