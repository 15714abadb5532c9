import type { TemplateContent } from "../../../../worker/templates/contract.ts"
import { TextField } from "../../../ui/form/field.tsx"
import { MailFrame } from "../../../ui/frame.tsx"
import { Card } from "../../../ui/page.tsx"
import type { Outcome, Samples } from "./try-render.ts"

interface Props {
  content: TemplateContent
  used: readonly string[]
  samples: Samples
  onSamples(samples: Samples): void
  outcome: Outcome
}

export function PreviewPane({ content, used, samples, onSamples, outcome }: Props) {
  const { shown, missing, invalid, error } = outcome
  const declared = new Map(content.variablesSchema.variables.map((one) => [one.name, one]))
  return (
    <div className="grid min-w-0 content-start gap-4">
      {used.length > 0 && (
        <Card className="grid gap-3 p-4">
          <h2 className="font-semibold">Sample values</h2>
          <div className="grid gap-3 sm:grid-cols-2">
            {used.map((name) => (
              <TextField
                key={name}
                label={<code className="font-mono text-xs break-all">{name}</code>}
                hint={
                  missing.includes(name) ? "Required. Emails without it are refused." : undefined
                }
                error={
                  invalid.includes(name)
                    ? `Enter a ${declared.get(name)?.type ?? "valid value"}`
                    : undefined
                }
                placeholder={placeholderOf(declared.get(name)?.default)}
                value={samples[name] ?? ""}
                onChange={(event) => onSamples({ ...samples, [name]: event.target.value })}
              />
            ))}
          </div>
        </Card>
      )}
      {error && (
        <p role="alert" className="text-failed">
          {error}
        </p>
      )}
      {shown && (
        <div className="grid min-w-0 gap-2">
          <p className="font-medium wrap-anywhere">{shown.subject}</p>
          <MailFrame html={shown.html} title="Preview" />
          {shown.text !== null && (
            <details>
              <summary className="cursor-pointer text-muted">Text part</summary>
              <pre className="mt-2 rounded-md border bg-sunken p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
                {shown.text}
              </pre>
            </details>
          )}
        </div>
      )}
    </div>
  )
}

const placeholderOf = (value: unknown) => (value === undefined ? "" : String(value))
