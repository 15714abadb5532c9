import { useEffect, useRef, useState } from "react"
import { cx } from "./cx.ts"
import { OWN_IMAGES } from "./own-image.ts"
import { showMail } from "./show-mail.ts"

const SIZES = { Desktop: "w-full", Phone: "w-[390px] max-w-full" } as const

/** As tall as the message, within these. */
const HEIGHTS = { min: 240, max: 720 }

const heightOf = ({ documentElement }: Document) =>
  Math.min(Math.max(documentElement.offsetHeight, HEIGHTS.min), HEIGHTS.max)

/** The frame fetches uploaded images only, since a fetched pixel would count as an open. */
const EMPTY = `<!doctype html><meta charset=utf-8><meta http-equiv=content-security-policy content="default-src 'none'; img-src data: ${OWN_IMAGES}; font-src data:"><title>Message</title>`

/**
 * A message's HTML as a mail client would show it, in a frame without script. Only images
 * inside the message, and those uploaded to this service, appear.
 */
export function MailFrame({ html, title = "Message" }: { html: string; title?: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [size, setSize] = useState<keyof typeof SIZES>("Desktop")
  const [dark, setDark] = useState(false)
  const [loaded, setLoaded] = useState(false)
  const [height, setHeight] = useState(HEIGHTS.min)
  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!loaded || !page) return
    showMail(page, html, dark)
    const observer = new ResizeObserver(() => setHeight(heightOf(page)))
    observer.observe(page.documentElement)
    return () => observer.disconnect()
  }, [loaded, html, dark])
  return (
    <div className="grid gap-2">
      <fieldset className="flex gap-1">
        <legend className="sr-only">Preview</legend>
        {(Object.keys(SIZES) as (keyof typeof SIZES)[]).map((name) => (
          <Choice key={name} on={size === name} onClick={() => setSize(name)} label={name} />
        ))}
        <Choice on={dark} onClick={() => setDark(!dark)} label="Dark" />
      </fieldset>
      <div className="flex justify-center overflow-hidden rounded-lg border bg-sunken">
        <iframe
          ref={frame}
          title={title}
          sandbox="allow-same-origin"
          srcDoc={EMPTY}
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
