import { cx } from "./cx.ts"

/** The meaning of each colour. Colours have no other use on a page. */
const TONES = {
  waiting: "text-waiting",
  delivered: "text-delivered",
  opened: "text-opened",
  clicked: "text-clicked",
  delayed: "text-delayed",
  failed: "text-failed",
} as const
type Tone = keyof typeof TONES

/** A state without a tone is grey, so new states of the contract are shown. */
const TONE_OF: Record<string, Tone> = {
  delivered: "delivered",
  verified: "delivered",
  succeeded: "delivered",
  ok: "delivered",
  done: "delivered",
  enabled: "delivered",
  subscribed: "delivered",
  published: "delivered",
  opened: "opened",
  clicked: "clicked",
  delayed: "delayed",
  complained: "delayed",
  complaint: "delayed",
  warning: "delayed",
  retrying: "delayed",
  missing: "delayed",
  bounced: "failed",
  bounce: "failed",
  failed: "failed",
  critical: "failed",
  disabled: "failed",
  mismatch: "failed",
}

const toneOf = (state: string): Tone => TONE_OF[state] ?? "waiting"

const TINTS: Record<Tone, string> = {
  waiting: "bg-sunken",
  delivered: "border-delivered/30 bg-delivered/5",
  opened: "border-opened/30 bg-opened/5",
  clicked: "border-clicked/30 bg-clicked/5",
  delayed: "border-delayed/30 bg-delayed/5",
  failed: "border-failed/30 bg-failed/5",
}

/** The look of a block about something in this state. */
export const tintOf = (state: string): string => TINTS[toneOf(state)]

const SHAPES: Record<Tone, string> = {
  waiting: "M4 1a3 3 0 1 0 0 6 3 3 0 0 0 0-6zm0 1.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  delivered: "M4 1a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
  opened: "M4 .6 7.4 4 4 7.4.6 4z",
  clicked: "M1 1h6v6H1z",
  delayed: "M4 .8 7.6 7H.4z",
  failed: "M1.6.6 4 3 6.4.6l1 1L5 4l2.4 2.4-1 1L4 5 1.6 7.4l-1-1L3 4 .6 1.6z",
}

/** A state as a coloured shape and a word, since some people do not see the colour. */
export function Badge({
  state,
  label,
  tone = toneOf(state),
}: {
  state: string
  label?: string
  tone?: Tone
}) {
  return (
    <span
      className={cx(
        "inline-flex items-baseline gap-1.5 font-medium whitespace-nowrap",
        TONES[tone],
      )}
    >
      <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden fill="currentColor">
        <path d={SHAPES[tone]} />
      </svg>
      {label ?? sentence(state)}
    </span>
  )
}

/** `sending_only` is shown as "Sending only". */
export function sentence(name: string): string {
  const words = name.replaceAll(/[_.]/g, " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}
