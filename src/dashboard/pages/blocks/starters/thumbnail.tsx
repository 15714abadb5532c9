import { useEffect, useRef, useState } from "react"
import { showMail } from "../../../ui/show-mail.ts"
import type { Starter } from "./starter.ts"

const PAGE_WIDTH = 640

/** A small picture of the message, by the code that the server renders with. */
export function Thumbnail<T extends Starter>({
  starter,
  htmlOf,
}: {
  starter: T
  htmlOf(starter: T): string
}) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [loaded, setLoaded] = useState(false)
  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!loaded || !page) return
    showMail(page, htmlOf(starter), false)
  }, [loaded, starter, htmlOf])
  return (
    <div aria-hidden className="@container relative aspect-square overflow-hidden bg-white">
      <iframe
        ref={frame}
        title="Preview"
        tabIndex={-1}
        sandbox="allow-same-origin"
        srcDoc="<!doctype html><meta charset=utf-8><title>Preview</title>"
        onLoad={() => setLoaded(true)}
        className="pointer-events-none absolute top-0 left-0 h-[640px] origin-top-left border-0"
        style={{
          width: PAGE_WIDTH,
          colorScheme: "light",
          transform: `scale(calc(100cqw / ${PAGE_WIDTH}px))`,
        }}
      />
    </div>
  )
}
