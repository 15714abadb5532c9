import { useEffect, useRef, useState } from "react"
import { cx } from "./cx.ts"
import { OWN_IMAGES } from "./own-image.ts"
import { type Strangers, showMail } from "./show-mail.ts"

const SIZES = { Desktop: "w-full", Phone: "w-[390px] max-w-full" } as const

/** As tall as the message, within these. */
const HEIGHTS = { min: 240, max: 720 }

const heightOf = ({ documentElement }: Document, min: number) =>
  Math.min(Math.max(documentElement.offsetHeight, min), HEIGHTS.max)

/** The frame fetches uploaded images only, since a fetched pixel would count as an open. */
const EMPTY = `<!doctype html><meta charset=utf-8><meta http-equiv=content-security-policy content="default-src 'none'; img-src data: ${OWN_IMAGES}; font-src data:"><title>Message</title>`

/** An empty page whose own policy lets images of all hosts in, and nothing else. */
const WITH_IMAGES = "/dashboard/mail-with-images"

const STRANGERS_SANDBOX = "allow-same-origin allow-popups allow-popups-to-escape-sandbox"

/**
 * A message's HTML as a mail client would show it, in a frame without script. Only images
 * inside the message, and those uploaded to this service, appear.
 */
export function MailFrame({
  html,
  title = "Message",
  strangers,
}: {
  html: string
  title?: string
  /** Received mail: its links open in another tab, and it can be shown with its remote images. */
  strangers?: Strangers
}) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [size, setSize] = useState<keyof typeof SIZES>("Desktop")
  const [dark, setDark] = useState(false)
  const [loaded, setLoaded] = useState(false)
  const [height, setHeight] = useState(HEIGHTS.min)
  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!loaded || !page) return
    showMail(page, html, { dark, strangers })
    const observer = new ResizeObserver(() =>
      setHeight(heightOf(page, strangers ? 0 : HEIGHTS.min)),
    )
    observer.observe(page.documentElement)
    return () => observer.disconnect()
  }, [loaded, html, dark, strangers])
  const choices = (
    <fieldset className="flex gap-1">
      <legend className="sr-only">Preview</legend>
      {(Object.keys(SIZES) as (keyof typeof SIZES)[]).map((name) => (
        <Choice key={name} on={size === name} onClick={() => setSize(name)} label={name} />
      ))}
      <Choice on={dark} onClick={() => setDark(!dark)} label="Dark" />
    </fieldset>
  )
  return (
    <div className="grid gap-2">
      {!strangers && choices}
      <div className="flex justify-center overflow-hidden rounded-lg border bg-sunken">
        <iframe
          ref={frame}
          title={title}
          sandbox={strangers ? STRANGERS_SANDBOX : "allow-same-origin"}
          {...(strangers?.showsImages ? { src: WITH_IMAGES } : { srcDoc: EMPTY })}
          onLoad={() => setLoaded(true)}
          style={{ colorScheme: "light", height }}
          className={cx("border-0", SIZES[size], dark ? "bg-black" : "bg-white")}
        />
      </div>
    </div>
  )
}

const Choice = ({ on, onClick, label }: { on: boolean; onClick(): void; label: string }) => (
  <button
    type="button"
    aria-pressed={on}
    onClick={onClick}
    className="rounded-md px-2 py-1 text-xs text-muted aria-pressed:bg-sunken aria-pressed:text-ink"
  >
    {label}
  </button>
)
