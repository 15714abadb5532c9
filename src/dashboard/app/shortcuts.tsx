import { Dialog } from "../ui/dialog.tsx"
import { activeShortcuts } from "./keyboard.ts"

export default function Shortcuts({
  open,
  onOpenChange,
}: {
  open: boolean
  onOpenChange(open: boolean): void
}) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[1fr_auto] gap-y-2">
        {[
          ...activeShortcuts(),
          { keys: "Ctrl/Cmd K", label: "Search" },
          { keys: "Ctrl/Cmd Enter", label: "Submit" },
        ].map(({ keys, label }) => (
          <div key={keys} className="contents">
            <dt>{label}</dt>
            <dd>
              <kbd className="rounded border px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
