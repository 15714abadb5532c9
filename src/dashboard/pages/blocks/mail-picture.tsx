import { useEffect, useRef, useState } from "react"
import { showMail } from "../../ui/show-mail.ts"

const PAGE_WIDTH = 640
const MAX_HEIGHT = 1_600

/** A small picture of a message, by the code that the server renders with. */
export function MailPicture({
  html,
  label,
  square,
}: {
  html: string
  label: string
  square?: boolean
}) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [loaded, setLoaded] = useState(false)
  const [height, setHeight] = useState(PAGE_WIDTH)
  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!loaded || !page) return
    showMail(page, html)
    if (square) return
    const measure = () => setHeight(Math.min(page.documentElement.offsetHeight, MAX_HEIGHT))
    const observer = new ResizeObserver(measure)
    observer.observe(page.documentElement)
    return () => observer.disconnect()
  }, [loaded, html, square])
  return (
    <div
      className="@container relative overflow-hidden bg-white dark:brightness-75"
      style={{ aspectRatio: `${PAGE_WIDTH} / ${height}` }}
    >
      <iframe
        ref={frame}
        title={label}
        tabIndex={-1}
        sandbox="allow-same-origin"
        srcDoc="<!doctype html><meta charset=utf-8><title>Preview</title>"
        onLoad={() => setLoaded(true)}
        className="pointer-events-none absolute top-0 left-0 origin-top-left border-0"
        style={{
          width: PAGE_WIDTH,
          height,
          colorScheme: "light",
          transform: `scale(calc(100cqw / ${PAGE_WIDTH}px))`,
        }}
      />
    </div>
  )
}
