import { Dialog } from "../ui/dialog/dialog.tsx"
import { Switch } from "../ui/form/field.tsx"
import { activeShortcuts, characterKeys } from "./keyboard.ts"

const ALWAYS = [
  { keys: "Ctrl/Cmd K", label: "Search" },
  { keys: "Ctrl/Cmd Enter", label: "Submit" },
]

export default function Shortcuts({
  open,
  onOpenChange,
}: {
  open: boolean
  onOpenChange(open: boolean): void
}) {
  const areOn = characterKeys.use()
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <div className="grid gap-4">
        <Keys shortcuts={ALWAYS} />
        <div className="border-t pt-4">
          <Switch
            label="Single-key shortcuts"
            hint="Saved in this browser. Turn off if you use dictation or press keys by accident."
            checked={areOn}
            onChange={characterKeys.set}
          />
        </div>
        {areOn && <Keys shortcuts={activeShortcuts()} />}
      </div>
    </Dialog>
  )
}

const Keys = ({ shortcuts }: { shortcuts: readonly { keys: string; label: string }[] }) => (
  <dl className="grid grid-cols-[1fr_auto] gap-y-2">
    {shortcuts.map(({ keys, label }) => (
      <div key={keys} className="contents">
        <dt>{label}</dt>
        <dd className="text-right">
          <kbd className="rounded border px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
        </dd>
      </div>
    ))}
  </dl>
)
