import { useDeferredValue, useMemo } from "react"
import { cleanHtml } from "../../../../worker/campaigns/blocks/author-html.ts"
import { MailPicture } from "../mail-picture.tsx"

/** The HTML of a block as mail shows it. It is written in the block's settings. */
export function HtmlContent({ html }: { html: string }) {
  const shown = useDeferredValue(html)
  const page = useMemo(() => {
    const { html, css } = cleanHtml(shown)
    return `<style>${css}</style>${html}`
  }, [shown])
  if (shown.trim() === "") {
    return <p className="p-6 text-center font-sans text-muted">Paste HTML into the settings</p>
  }
  return <MailPicture html={page} label="HTML" />
}
