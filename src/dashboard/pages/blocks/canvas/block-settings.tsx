import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { Card } from "../../../ui/page.tsx"
import { BlockPanel, type PanelProps } from "./block-panel.tsx"
import { useCanvas } from "./canvas-context.ts"
import { focusBlock } from "./focus-block.ts"
import { KINDS } from "./kinds.ts"

/** The settings of the selected block, beside the canvas. Esc goes back to the block. */
export function BlockSettings(props: PanelProps) {
  const { select } = useCanvas()
  const { key, kind } = props.block
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc of the fields inside
    <div
      data-settings
      className="max-xl:hidden"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) focusBlock(key, "handle")
      }}
    >
      <Card>
        <div className="mb-3 flex items-center justify-between gap-2">
          <h2 className="font-semibold">{KINDS[kind].label}</h2>
          <Button small kind="quiet" onClick={() => select(null)}>
            Done
          </Button>
        </div>
        <BlockPanel {...props} />
      </Card>
    </div>
  )
}

/** The same from below, on screens without room beside the canvas. */
export const SettingsSheet = ({
  open,
  onOpenChange,
  ...props
}: PanelProps & { open: boolean; onOpenChange(open: boolean): void }) => (
  <Dialog sheet open={open} onOpenChange={onOpenChange} title={KINDS[props.block.kind].label}>
    <BlockPanel {...props} />
  </Dialog>
)
