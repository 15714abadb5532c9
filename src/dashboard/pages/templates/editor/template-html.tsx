import { useEffect, useMemo, useRef } from "react"
import { Tabs } from "../../../ui/tabs.tsx"
import { findIn } from "../versions/findings.ts"
import { findForMail } from "../versions/mail-findings.ts"
import { CodeField } from "./code-field.tsx"
import { PreviewPane } from "./preview-pane.tsx"
import { type EditorProps, Envelope, variablesTab, versionsTab } from "./template-parts.tsx"

const MIN_PANE_PX = 400
/** The space below the code. */
const BELOW_PX = 24

/** Code reaches down to the end of the window. */
function usePaneHeight() {
  const panes = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const measure = () => {
      const panel = panes.current?.querySelector("[role=tabpanel]")
      if (!panel) return
      const top = panel.getBoundingClientRect().top + scrollY
      const height = Math.max(MIN_PANE_PX, innerHeight - top - BELOW_PX)
      panes.current?.style.setProperty("--pane", `${height}px`)
    }
    measure()
    addEventListener("resize", measure)
    return () => removeEventListener("resize", measure)
  }, [])
  return panes
}

/** A template of HTML: its code, with the preview beside it. */
export function TemplateHtml(props: EditorProps) {
  const { editor, outcome, settled, ...preview } = props
  const { content, change: set } = editor
  const html = useMemo(
    () => [...findIn(content.bodyHtml, outcome), ...findForMail(content.bodyHtml)],
    [content.bodyHtml, outcome],
  )
  const text = content.bodyText ?? ""
  const textFindings = useMemo(() => findIn(text, outcome), [text, outcome])
  const panes = usePaneHeight()
  return (
    <div ref={panes} className="grid min-w-0 items-start gap-6 xl:grid-cols-2">
      <div className="grid min-w-0 gap-4">
        <Envelope editor={editor} outcome={outcome} />
        <Tabs
          label="Template"
          tabs={[
            {
              name: "HTML",
              children: (
                <>
                  <CodeField
                    label="HTML"
                    language="html"
                    value={content.bodyHtml}
                    findings={html}
                    onChange={(bodyHtml) => set({ bodyHtml })}
                  />
                  {content.bodyHtml === "" && (
                    <p role="alert" className="mt-1 text-xs text-failed">
                      Enter the HTML
                    </p>
                  )}
                </>
              ),
            },
            {
              name: "Text",
              children: (
                <>
                  <p className="mb-2 text-muted">Leave empty to generate the text from the HTML.</p>
                  <CodeField
                    label="Text"
                    value={text}
                    findings={textFindings}
                    onChange={(bodyText) => set({ bodyText: bodyText || null })}
                  />
                </>
              ),
            },
            variablesTab(props),
            versionsTab(props),
          ]}
        />
      </div>
      <div className="min-w-0 xl:sticky xl:top-[calc(var(--head,0px)+8px)] xl:max-h-[calc(100dvh-var(--head,0px)-16px)] xl:overflow-y-auto">
        <PreviewPane content={settled} outcome={outcome} {...preview} />
      </div>
    </div>
  )
}
