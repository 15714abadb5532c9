import { useMemo } from "react"
import { Tabs } from "../../ui/tabs.tsx"
import { CodeField } from "./code-field.tsx"
import { findIn } from "./findings.ts"
import { findForMail } from "./mail-findings.ts"
import { PreviewPane } from "./preview-pane.tsx"
import { type EditorProps, Envelope, variablesTab, versionsTab } from "./template-parts.tsx"

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
  return (
    <div className="grid min-w-0 items-start gap-6 xl:grid-cols-2">
      <div className="grid min-w-0 gap-6">
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
      <div className="min-w-0 xl:sticky xl:top-4">
        <PreviewPane content={settled} outcome={outcome} {...preview} />
      </div>
    </div>
  )
}
